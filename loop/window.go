package loop

import (
	"fmt"
	"slices"
)

// Window is how much a model reads at once.
type Window struct {
	Model  string // as its server calls it
	Tokens int    // prompt and answer together; 0 is not known
	// Prompt, where it is above 0, is how many tokens of a prompt are known to be read, which may be less.
	Prompt int
}

// The part of a window that is left for the answer: a quarter, within these bounds.
const (
	answerTokensMin = 128
	answerTokensMax = 2048
)

// PromptTokens is how long a prompt may be; 0 is no limit.
func (w Window) PromptTokens() int {
	room := 0
	if w.Tokens > 0 {
		room = max(w.Tokens-min(max(w.Tokens/4, answerTokensMin), answerTokensMax), 1)
	}
	switch {
	case w.Prompt <= 0:
		return room
	case room == 0:
		return w.Prompt
	default:
		return min(room, w.Prompt)
	}
}

// Left is what [Window.Fit] left out.
type Left struct {
	Messages int // of earlier turns
	Tools    []string
}

// Any reports whether anything was left out.
func (l Left) Any() bool { return l.Messages > 0 || len(l.Tools) > 0 }

// Fit leaves out of a turn's first request what does not fit into the window: the oldest turns first, and only where
// none is left tools in the order of expendable, no more than needed. The system message, the person's text and all
// other tools stay, also where that is too much: what a server then drops of them shows in its count.
func (w Window) Fit(request Request, expendable []string) (Request, Left) {
	limit := w.PromptTokens()
	if limit == 0 {
		return request, Left{}
	}
	v := vocabularyOf(w.Model)
	excess := float64(EstimateTokens(w.Model, request) - limit)
	var left Left
	first, last := 0, len(request.Messages)-1
	for first < last && request.Messages[first].Role == System {
		first++
	}
	for i := first; excess > 0 && i < last; i++ {
		// A turn leaves whole: what follows its first message up to the next of the person's.
		for {
			excess -= v.message(request.Messages[i])
			left.Messages++
			if i+1 >= last || request.Messages[i+1].Role == User {
				break
			}
			i++
		}
	}
	request.Messages = slices.Concat(request.Messages[:first], request.Messages[first+left.Messages:])
	for _, name := range expendable {
		if excess <= 0 {
			break
		}
		request.Tools = slices.DeleteFunc(slices.Clone(request.Tools), func(tool Tool) bool {
			if tool.Name != name {
				return false
			}
			excess -= v.tool(tool)
			left.Tools = append(left.Tools, name)
			return true
		})
	}
	return request, left
}

// Cut is a prompt of which a server read only a part.
type Cut struct {
	Model     string `json:"model"`
	Estimated int    `json:"estimated"` // tokens of the prompt
	Counted   int    `json:"counted"`   // by the server
	// Window is the server's, where prompt and answer fill one of the usual sizes exactly; else 0.
	Window int `json:"window,omitempty"`
}

// usualWindows are the sizes that servers take when nothing is configured.
var usualWindows = []int{2048, 4096, 8192}

// countedMin is below the window of every server. A lower count is no sign of a cut: some count only what they had not
// read before, or nothing.
const countedMin = 512

// FindCut tells from what a server counted that it read only a part of the prompt: the count is far below the estimate,
// or prompt and answer fill one of the usual windows exactly.
func FindCut(model string, request Request, usage Usage) (Cut, bool) {
	cut := Cut{Model: model, Counted: usage.PromptTokens}
	if total := usage.PromptTokens + usage.CompletionTokens; usage.PromptTokens > 0 && slices.Contains(usualWindows, total) {
		cut.Window = total
	} else if usage.PromptTokens < countedMin {
		return cut, false
	}
	cut.Estimated = EstimateTokens(model, request)
	return cut, cut.Window > 0 || usage.PromptTokens*2 < cut.Estimated
}

// learnedMin is half the smallest usual window, of which servers read that much at least. A lower count may be one of
// what a server had not read before, and is no reason to send so little from now on.
const learnedMin = 1024

// Learned is what a cut tells of the server's window.
func (c Cut) Learned() Window {
	if c.Window > 0 {
		return Window{Model: c.Model, Tokens: c.Window}
	}
	return Window{Model: c.Model, Prompt: max(c.Counted, learnedMin)}
}

// Narrowed is the window to ask again with: what was learned, and less than what was asked before.
func (c Cut) Narrowed() Window {
	w := c.Learned()
	w.Prompt = min(w.PromptTokens(), c.Estimated*3/4)
	return w
}

// String says what happened and what to do about it, for whoever runs the server.
func (c Cut) String() string {
	size := "a window that is too small"
	if c.Window > 0 {
		size = fmt.Sprintf("a window of %d tokens", c.Window)
	}
	return fmt.Sprintf("the server of model %s cut the prompt: it has %s (about %d tokens were sent, %d were read). "+
		"Give the model a larger window where it is served "+
		"(Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx in a Modelfile; llama.cpp: --ctx-size), "+
		"or set models[].context to the window that it has, or lower tools.max_offered or conversation.max_history_turns",
		c.Model, size, c.Estimated, c.Counted)
}
