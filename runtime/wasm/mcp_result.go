package wasm

// This file turns what the Model Context Protocol says into what tools-wasm/ABI.md says: results, lists of tools, lines
// of the log. Plugins of extism and servers both speak it.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chatterbox/runtime/internal/texts"
)

// toolResult reads the result of a tools/call: its structured content, else its texts. Whatever is not such a result is
// the output as it stands.
func toolResult(raw []byte, outputMax int) Result {
	var read struct {
		Content    []content       `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	isResult := json.Unmarshal(raw, &read) == nil && (read.Content != nil || given(read.Structured))
	switch {
	case !isResult:
		return cutResult(raw, outputMax)
	case read.IsError:
		return failedTool(joined(read.Content), outputMax)
	case given(read.Structured):
		return cutResult(read.Structured, outputMax)
	}
	return cutResult([]byte(joined(read.Content)), outputMax)
}

func given(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// content is one part of a result.
type content struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	MIME     string `json:"mimeType"`
	URI      string `json:"uri"`
	Resource struct {
		Text string `json:"text"`
		MIME string `json:"mimeType"`
		URI  string `json:"uri"`
	} `json:"resource"`
}

// joined is what can be read of the parts, each on lines of its own. For what cannot there is a line that says so.
func joined(parts []content) string {
	var lines []string
	for _, part := range parts {
		switch {
		case part.Text != "":
			lines = append(lines, part.Text)
		case part.Resource.Text != "":
			lines = append(lines, part.Resource.Text)
		case part.Type == "resource_link":
			lines = append(lines, part.URI)
		case part.Type == "resource":
			lines = append(lines, fmt.Sprintf("(%s %s, which cannot be shown)", part.Resource.URI, part.Resource.MIME))
		case part.Type != "text":
			lines = append(lines, fmt.Sprintf("(%s %s, which cannot be shown)", part.Type, part.MIME))
		}
	}
	return strings.Join(lines, "\n")
}

// cutResult is an output held to its limit.
func cutResult(output []byte, outputMax int) Result {
	var r Result
	if r.Truncated = len(output) > outputMax; r.Truncated {
		output = output[:outputMax]
	}
	output, r.Fault, r.Message = judge(output, r.Truncated)
	r.Output = slices.Clone(output)
	return r
}

// failedTool is a tool error, whose text is cut so that the output stays JSON.
func failedTool(text string, outputMax int) Result {
	if strings.TrimSpace(text) == "" {
		text = "the tool failed and did not say why"
	}
	for room := outputMax; ; {
		output, _ := json.Marshal(map[string]string{"error": texts.Cut(text, room)})
		over := len(output) - outputMax
		if over <= 0 || room == 0 {
			return cutResult(output, outputMax)
		}
		room = max(room-over, 0)
	}
}

// describedTools is the manifest of tools that MCP describes. What is not part of a manifest is left out.
func describedTools(tools []json.RawMessage) ([]byte, error) {
	type described struct {
		Name         string          `json:"name"`
		Title        string          `json:"title,omitempty"`
		Description  string          `json:"description"`
		InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
		OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
		Annotations  json.RawMessage `json:"annotations,omitempty"`
	}
	if len(tools) == 0 {
		return nil, refuse("does not describe itself: its list of tools is empty")
	}
	list := make([]described, len(tools))
	for i, tool := range tools {
		if err := json.Unmarshal(tool, &list[i]); err != nil {
			return nil, refuse("does not describe itself: tool %d of its list is not one", i+1)
		}
		for _, part := range []*json.RawMessage{&list[i].InputSchema, &list[i].OutputSchema, &list[i].Annotations} {
			if !given(*part) {
				*part = nil
			}
		}
		if list[i].Description == "" { // MCP does not ask for one, and a model chooses by it
			list[i].Description = cmp.Or(list[i].Title, list[i].Name)
		}
	}
	manifest, err := json.Marshal(map[string]any{"tools": list})
	switch {
	case err != nil:
		return nil, refuse("does not describe itself: %v", err)
	case len(manifest) > manifestBytesMax:
		return nil, refuse("describes itself with more than %d bytes", manifestBytesMax)
	}
	return manifest, nil
}

// loggedMessage is a notification's line for the log.
func loggedMessage(params []byte) string {
	var m struct {
		Level string          `json:"level"`
		Data  json.RawMessage `json:"data"`
	}
	if json.Unmarshal(params, &m) != nil || m.Level == "" {
		return string(params)
	}
	var text string
	if json.Unmarshal(m.Data, &text) != nil {
		text = string(bytes.TrimSpace(m.Data))
	}
	return m.Level + ": " + text
}
