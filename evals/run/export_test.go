package run

// ReadCompletion says how many calls and which text a completion has.
func ReadCompletion(kind string, body []byte) (calls int, content string, err error) {
	m, err := readMessage(kind, body)
	if m.Content != nil {
		content = *m.Content
	}
	return len(m.ToolCalls), content, err
}
