package steps

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/cucumber/godog"

	"chatterbox/evals/mockllm"
	"chatterbox/evals/scenario"
)

// modelSentences write the model's part of the next turn, one reply for each sentence, in their order.
func (w *world) modelSentences() []sentence {
	return []sentence{
		{`the model replies ` + text, func(content string) { w.reply(mockllm.Reply{Content: content}) }},
		{`the model replies:`, func(content *godog.DocString) { w.reply(mockllm.Reply{Content: content.Content}) }},
		{`the model replies nothing`, func() { w.reply(mockllm.Reply{}) }},
		{`the model replies ` + text + ` to ` + text, func(content, said string) {
			w.reply(mockllm.Reply{Content: content, Match: &mockllm.Match{User: said, Last: "user"}})
		}},
		{`the model replies ` + text + ` when a tool has told it ` + text, func(content, result string) {
			w.reply(mockllm.Reply{Content: content, Match: &mockllm.Match{Tool: result}})
		}},
		{`the model replies ` + text + ` letter by letter`, func(content string) error {
			if utf8.RuneCountInString(content) < 2 {
				return fmt.Errorf("%q is only one letter", content)
			}
			w.reply(mockllm.Reply{Content: content, Chunk: 1})
			return nil
		}},
		{`the model replies ` + text + ` and gives the reason ` + text, func(content, reason string) {
			w.reply(mockllm.Reply{Content: content, FinishReason: reason})
		}},
		{`the model calls ` + name + ` with no arguments`, func(tool string) { w.reply(oneCall(tool, nil)) }},
		{`the model calls ` + name + ` with ` + name + ` ` + text, func(tool, argument, value string) {
			w.reply(oneCall(tool, map[string]any{argument: value}))
		}},
		{`the model calls ` + name + ` with:`, func(tool string, table *godog.Table) error {
			arguments, err := pairs(table, "argument")
			if err != nil {
				return err
			}
			w.reply(oneCall(tool, values(arguments)))
			return nil
		}},
		{`the model calls ` + name + ` with the text:`, func(tool string, raw *godog.DocString) {
			w.reply(mockllm.Reply{ToolCalls: []mockllm.ToolCall{{Name: tool, Arguments: marshal(raw.Content)}}})
		}},
		{`the model calls ` + name + ` with ` + name + ` ` + text + ` in the turn of ` + text, func(tool, argument, value, said string) {
			reply := oneCall(tool, map[string]any{argument: value})
			reply.Match = &mockllm.Match{User: said, Last: "user"}
			w.reply(reply)
		}},
		{`the model calls at once:`, w.callAtOnce},
		{`the model says ` + text + ` and calls ` + name + ` with ` + name + ` ` + text, func(content, tool, argument, value string) {
			reply := oneCall(tool, map[string]any{argument: value})
			reply.Content = content
			w.reply(reply)
		}},
		{`the model calls ` + name + ` with ` + name + ` ` + text + ` ` + count + ` in a row`, w.callAgain},
		{`the model calls ` + name + ` one after the other with:`, w.callEach},
	}
}

// modelTroubles are how a model fails. A trouble lasts the whole turn, however often the product tries.
func (w *world) modelTroubles() []sentence {
	failing := func(status int, kind, code string) mockllm.Reply {
		body := map[string]any{"error": map[string]any{"message": "the scenario has it so", "type": kind, "code": code}}
		return mockllm.Reply{Status: status, Body: mockllm.Text(marshal(body)), Repeat: mockllm.Forever}
	}
	trouble := func(reply mockllm.Reply) func() { return func() { w.reply(reply) } }
	return []sentence{
		{`the model gets too many requests`, trouble(failing(http.StatusTooManyRequests, "requests", "rate_limit_exceeded"))},
		{`the model gets too many requests for another (\d+) seconds`, func(seconds int) {
			reply := failing(http.StatusTooManyRequests, "requests", "rate_limit_exceeded")
			reply.Headers = map[string]string{"Retry-After": strconv.Itoa(seconds)}
			w.reply(reply)
		}},
		{`the model gets too many requests once`, func() {
			reply := failing(http.StatusTooManyRequests, "requests", "rate_limit_exceeded")
			reply.Repeat = 0
			w.reply(reply)
		}},
		{`the model's account is used up`, trouble(failing(http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota"))},
		{`the model refuses the key`, trouble(failing(http.StatusUnauthorized, "invalid_request_error", "invalid_api_key"))},
		{`the conversation is too long for the model`, trouble(failing(http.StatusBadRequest, "invalid_request_error", "context_length_exceeded"))},
		{`the model's server is broken`, trouble(failing(http.StatusInternalServerError, "server_error", "internal_error"))},
		{`the model's answer ` + text + ` breaks off`, func(content string) {
			w.reply(mockllm.Reply{Content: content, Fault: "cut", Repeat: mockllm.Forever})
		}},
		{`the model cannot be reached`, func() { w.modelIsGone.Store(true) }},
		{`the model can be reached again`, func() { w.modelIsGone.Store(false) }},
	}
}

func (w *world) reply(reply mockllm.Reply) { w.script = append(w.script, reply) }

func oneCall(tool string, arguments map[string]any) mockllm.Reply {
	return mockllm.Reply{ToolCalls: []mockllm.ToolCall{{Name: tool, Arguments: argumentsJSON(arguments)}}}
}

func (w *world) callAtOnce(table *godog.Table) error {
	list, err := calls(table)
	if err != nil {
		return err
	}
	var reply mockllm.Reply
	for _, call := range list {
		reply.ToolCalls = append(reply.ToolCalls, mockllm.ToolCall{
			ID: call.ID, Name: call.Tool, Arguments: argumentsJSON(values(call.Arguments)),
		})
	}
	w.reply(reply)
	return nil
}

// callAgain writes the same call into several replies.
func (w *world) callAgain(tool, argument, value, often string) error {
	n, err := scenario.ReadCount(often)
	if err != nil {
		return err
	}
	for range n {
		w.reply(oneCall(tool, map[string]any{argument: value}))
	}
	return nil
}

// callEach writes a reply with one call for each row; the columns are the arguments.
func (w *world) callEach(tool string, table *godog.Table) error {
	if len(table.Rows) < 2 {
		return fmt.Errorf("the table needs a row that names the arguments and one more")
	}
	for _, row := range table.Rows[1:] {
		arguments := map[string]any{}
		for i, one := range row.Cells {
			arguments[table.Rows[0].Cells[i].Value] = scenario.CellValue(one.Value)
		}
		w.reply(oneCall(tool, arguments))
	}
	return nil
}

func values(cells map[string]string) map[string]any {
	out := map[string]any{}
	for name, written := range cells {
		out[name] = scenario.CellValue(written)
	}
	return out
}

func argumentsJSON(arguments map[string]any) json.RawMessage {
	if arguments == nil {
		return json.RawMessage(`{}`)
	}
	return marshal(arguments)
}

// marshal is for values that are made of cells, which always marshal.
func marshal(value any) json.RawMessage {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return out
}
