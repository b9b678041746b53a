package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"chatterbox/evals/mockllm"
)

// Script is what a played model does in the next turn: a reply for each sentence, in their order.
type Script struct {
	Replies []mockllm.Reply
	delay   int // in ms, of the next reply
}

// delayMSMax bounds how long a played model takes for an answer.
const delayMSMax = 600_000

// Add adds a reply.
func (s *Script) Add(one mockllm.Reply) {
	one.DelayMS, s.delay = s.delay, 0
	s.Replies = append(s.Replies, one)
}

// scriptMeanings are the sentences that only write the script.
var scriptMeanings = map[string]func(s *Script, args []string, step Step) error{
	`the model replies {text}`:  replying(func(a []string) reply { return reply{Content: a[0]} }),
	`the model replies nothing`: replying(func([]string) reply { return reply{} }),
	`the model replies:`: func(s *Script, _ []string, step Step) error {
		s.Add(reply{Content: *step.Doc})
		return nil
	},
	`the model replies {text} to {text}`: replying(func(a []string) reply {
		return reply{Content: a[0], Match: saidBy(a[1])}
	}),
	`the model replies {text} when a tool has told it {text}`: replying(func(a []string) reply {
		return reply{Content: a[0], Match: &mockllm.Match{Tool: a[1]}}
	}),
	`the model replies {text} letter by letter`: func(s *Script, args []string, _ Step) error {
		if utf8.RuneCountInString(args[0]) < 2 {
			return fmt.Errorf("%q is only one letter", args[0])
		}
		s.Add(reply{Content: args[0], Chunk: 1})
		return nil
	},
	`the model replies {text} and gives the reason {text}`: replying(func(a []string) reply {
		return reply{Content: a[0], FinishReason: a[1]}
	}),
	`the model's answer {text} breaks off`: replying(func(a []string) reply {
		return reply{Content: a[0], Fault: "cut", Repeat: mockllm.Forever}
	}),
	`the model takes {n} ms`: func(s *Script, args []string, _ Step) (err error) {
		if s.delay, err = strconv.Atoi(args[0]); err != nil || s.delay > delayMSMax {
			err = fmt.Errorf("expected up to %d ms, found %s", delayMSMax, args[0])
		}
		return err
	},

	`the model calls {tool} with no arguments`:      replying(calling),
	`the model calls {tool} with {argument} {text}`: replying(calling),
	`the model calls {tool} with {argument} {text} in the turn of {text}`: replying(func(a []string) reply {
		one := calling(a[:3])
		one.Match = saidBy(a[3])
		return one
	}),
	`the model says {text} and calls {tool} with {argument} {text}`: replying(func(a []string) reply {
		one := calling(a[1:])
		one.Content = a[0]
		return one
	}),
	`the model calls {tool} with:`:                                   callTable,
	`the model calls {tool} with the text:`:                          callText,
	`the model calls {tool} one after the other with:`:               callEach,
	`the model calls {tool} with {argument} {text} {count} in a row`: callAgain,
	`the model calls:`:                                               callList,
	`the model calls at once:`:                                       callAtOnce,

	`the model gets too many requests`: failing(http.StatusTooManyRequests, "requests", "rate_limit_exceeded"),
	`the model gets too many requests for another {n} seconds`: replying(func(a []string) reply {
		one := failure(http.StatusTooManyRequests, "requests", "rate_limit_exceeded")
		one.Headers = map[string]string{"Retry-After": a[0]}
		return one
	}),
	`the model gets too many requests once`: replying(func([]string) reply {
		one := failure(http.StatusTooManyRequests, "requests", "rate_limit_exceeded")
		one.Repeat = 0
		return one
	}),
	`the model's account is used up`: failing(http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota"),
	`the model refuses the key`:      failing(http.StatusUnauthorized, "invalid_request_error", "invalid_api_key"),
	`the conversation is too long for the model`: failing(http.StatusBadRequest, "invalid_request_error",
		"context_length_exceeded"),
	`the model's server is broken`: failing(http.StatusInternalServerError, "server_error", "internal_error"),
}

// reply is one answer of a played model.
type reply = mockllm.Reply

// replying is for sentences that write one reply of what varies in them.
func replying(write func(args []string) reply) func(*Script, []string, Step) error {
	return func(s *Script, args []string, _ Step) error {
		s.Add(write(args))
		return nil
	}
}

// failing is for sentences by which the model fails in the whole turn, however often it is tried.
func failing(status int, kind, code string) func(*Script, []string, Step) error {
	return replying(func([]string) reply { return failure(status, kind, code) })
}

func failure(status int, kind, code string) reply {
	body := map[string]any{"error": map[string]any{"message": "the scenario has it so", "type": kind, "code": code}}
	return reply{Status: status, Body: mockllm.Text(marshal(body)), Repeat: mockllm.Forever}
}

func saidBy(words string) *mockllm.Match { return &mockllm.Match{User: words, Last: "user"} }

// calling calls a tool with the named arguments: a name, a cell, and so on.
func calling(toolAndArguments []string) reply {
	arguments := map[string]string{}
	for pair := range slices.Chunk(toolAndArguments[1:], 2) {
		arguments[pair[0]] = pair[1]
	}
	return calls(rowCall{Tool: toolAndArguments[0], Arguments: arguments})
}

// calls makes calls in one answer.
func calls(list ...rowCall) (one reply) {
	for _, c := range list {
		call := mockllm.ToolCall{ID: c.ID, Name: c.Tool, Arguments: marshal(values(c.Arguments))}
		one.ToolCalls = append(one.ToolCalls, call)
	}
	return one
}

// values are the JSON values that cells stand for.
func values(cells map[string]string) map[string]any {
	out := map[string]any{}
	for name, written := range cells {
		out[name] = CellValue(written)
	}
	return out
}

func callTable(s *Script, args []string, step Step) error {
	arguments, err := Pairs(step.Table, "argument")
	if err == nil {
		s.Add(calls(rowCall{Tool: args[0], Arguments: arguments}))
	}
	return err
}

// callText calls with arguments as they are, which may be no JSON.
func callText(s *Script, args []string, step Step) error {
	s.Add(reply{ToolCalls: []mockllm.ToolCall{{Name: args[0], Arguments: marshal(*step.Doc)}}})
	return nil
}

// callEach writes a reply with one call for each row; the columns are the arguments.
func callEach(s *Script, args []string, step Step) error {
	list, err := Rows(step.Table, step.Table[0]...)
	for _, arguments := range list {
		s.Add(calls(rowCall{Tool: args[0], Arguments: arguments}))
	}
	return err
}

// callAgain writes the same call into several replies.
func callAgain(s *Script, args []string, _ Step) error {
	n, err := ReadCount(args[3])
	for range n {
		s.Add(calling(args[:3]))
	}
	return err
}

func callList(s *Script, _ []string, step Step) error {
	var one reply
	if err := json.Unmarshal([]byte(*step.Doc), &one.ToolCalls); err != nil {
		return fmt.Errorf("expected a JSON list of calls with name and arguments: %w", err)
	}
	if len(one.ToolCalls) == 0 {
		return errors.New("expected a JSON list with a call")
	}
	s.Add(one)
	return nil
}

func callAtOnce(s *Script, _ []string, step Step) error {
	list, err := tableCalls(step.Table)
	if err == nil {
		s.Add(calls(list...))
	}
	return err
}

// marshal is for values that are made of cells, which always marshal.
func marshal(value any) json.RawMessage {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return out
}
