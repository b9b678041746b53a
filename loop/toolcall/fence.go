package toolcall

import "strings"

const fenceMark = "```"

// callFences are the languages of a fence that may hold a call. A fence of any other is a program.
var callFences = [...]string{"", "json", "tool_call", "tool_code"}

// opensCallFence says whether text begins with a fence that may hold a call, or whether more of it must be known.
func opensCallFence(text string) (opens, partial bool) {
	after, isFence := strings.CutPrefix(text, fenceMark)
	if !isFence {
		return false, strings.HasPrefix(fenceMark, text)
	}
	language, _, whole := strings.Cut(after, "\n")
	if !whole && len(language) > 32 {
		return false, false
	}
	language = strings.Trim(language, space)
	for _, candidate := range callFences {
		if whole && language == candidate {
			return true, false
		}
		partial = partial || !whole && strings.HasPrefix(candidate, language)
	}
	return false, partial
}

// fence reads text that is one fence with JSON in it and nothing beside it.
func (d decoder) fence(held string) []Call {
	opens, _ := opensCallFence(held)
	if !opens {
		return nil
	}
	language, body, _ := strings.Cut(held, "\n")
	language = strings.Trim(strings.TrimPrefix(language, fenceMark), space)
	body, after, closed := strings.Cut(body, fenceMark)
	body = strings.Trim(body, space)
	if strings.Trim(after, space) != "" || body == "" {
		return nil
	}
	if !closed {
		if looksLikeCall(body) {
			return []Call{d.broken(body, "the fence around it is not closed")}
		}
		return nil
	}
	if language == "tool_code" {
		return d.toolCode(body)
	}
	return d.whole(body)
}

// toolCode reads one call, which may stand in a print and behind the namespace of the Gemini templates.
func (d decoder) toolCode(body string) []Call {
	if inside, found := strings.CutPrefix(body, "print("); found && strings.HasSuffix(inside, ")") {
		body = strings.Trim(inside[:len(inside)-1], space)
	}
	return d.bare(strings.TrimPrefix(body, "default_api."))
}
