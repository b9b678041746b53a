package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"chatterbox/evals/judge"
	"chatterbox/evals/scenario"
)

// replyBytesMax bounds a product's answer to one turn, with its trace.
const replyBytesMax = 16 << 20

// conversations makes ids that no other conversation of this process has.
var conversations atomic.Int64

// newConversation is the id of a conversation.
func newConversation() string { return fmt.Sprintf("trial-%d-%d", os.Getpid(), conversations.Add(1)) }

// product is a product of this kind, by its HTTP API.
type product struct {
	url       string
	header    map[string]string
	client    *http.Client
	language  string
	offered   []scenario.Tool
	anyResult bool // its tools are its own, so that their errors may be results
}

// conversation is one with the product.
func (p product) conversation() Say {
	body := map[string]any{"conversation_id": newConversation(), "trace": true}
	if p.language != "" {
		body["language"] = p.language
	}
	return func(ctx context.Context, said string) (judge.Observed, error) {
		body["text"] = said
		raw, err := exchange(ctx, p.client, p.url+"/conversation", p.header, body)
		if err != nil {
			return judge.Observed{}, err
		}
		reply, err := ReadReply(raw)
		if err != nil {
			return judge.Observed{}, err
		}
		return p.observed(reply)
	}
}

// Reply is a product's answer to one turn.
type Reply struct {
	ResponseText   string  `json:"response_text"`
	ConversationID *string `json:"conversation_id"`
	Extra          struct {
		Error *struct {
			Kind       string
			RetryAfter float64 `json:"retry_after"`
		}
		Approval *struct { // a call that waits for a yes
			Tool, Question string
			Expires        time.Time
		}
	}
	Trace *Trace
}

// Trace is what a product says it did in a turn.
type Trace struct {
	States    []string
	LLMCalls  int         `json:"llm_calls"`
	ToolCalls []TraceCall `json:"tool_calls"`
	Route     struct{ Stage, Reason string }
	Mode      string
	Claims    []string `json:"claim"`
	Workflow  *struct {
		Name, Phase string
		Fields      map[string]string
	}
}

// TraceCall is a call of a tool.
type TraceCall struct {
	Name      string
	Arguments json.RawMessage
	Result    json.RawMessage
	Repaired  []string
	Cached    bool
}

// ReadReply reads a reply, which has a trace.
func ReadReply(body []byte) (Reply, error) {
	var reply Reply
	if err := json.Unmarshal(body, &reply); err != nil || reply.Trace == nil {
		return reply, infrastructure("server", "the product's reply has no trace: %.300s", body)
	}
	return reply, nil
}

// exchange posts JSON and returns the body of the answer, whose status must be 200.
func exchange(
	ctx context.Context, client *http.Client, url string, header map[string]string, body any,
) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(marshal(body)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, connectionError(ctx, err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, replyBytesMax))
	if err != nil {
		return nil, connectionError(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, infrastructure("server", "the product answered %d %.300s", response.StatusCode, raw)
	}
	return raw, nil
}

// failures are the kinds of failed turns that are the subject's own. All others are the infrastructure's.
var failures = map[string]judge.Class{"iteration_limit": judge.IterationLimit, "repeated_call": judge.RepeatedCall}

func (p product) observed(reply Reply) (judge.Observed, error) {
	got := judge.Observed{Answer: reply.ResponseText, Asked: reply.Trace.LLMCalls}
	if failed := reply.Extra.Error; failed != nil {
		class, own := failures[failed.Kind]
		if !own {
			return got, infrastructure(failed.Kind, "the product could not finish the turn: %s", reply.ResponseText)
		}
		got.Failure = class
	}
	if reply.Extra.Approval != nil {
		got.Approval = reply.Extra.Approval.Tool
	}
	for _, c := range reply.Trace.ToolCalls {
		call := judge.Call{Name: c.Name, Arguments: c.Arguments, Result: c.Result, Cached: c.Cached}
		call.Refusal = p.refusal(call)
		got.Calls = append(got.Calls, call)
		got.Repaired += min(1, len(c.Repaired))
	}
	rounds := slices.DeleteFunc(reply.Trace.States, func(state string) bool { return state != "TOOL_EXECUTION" })
	atOnce := len(rounds) <= 1
	got.AtOnce = &atOnce
	if w := reply.Trace.Workflow; w != nil {
		got.Phase, got.Fields = w.Phase, w.Fields
	}
	return got, nil
}

// refusal says why a call did not run: a stub answers what its scenario says, so any other error is the product's.
func (p product) refusal(call judge.Call) judge.Refusal {
	var result struct{ Error *string }
	if json.Unmarshal(call.Result, &result) != nil || result.Error == nil {
		return judge.Ran
	}
	for _, tool := range p.offered {
		answer, err := scenario.ReadJSON(call.Result)
		if tool.Name == call.Name && err == nil && scenario.MatchValue("", string(tool.Answer), answer) == nil {
			return judge.Ran
		}
	}
	switch {
	case strings.HasPrefix(*result.Error, "Unknown tool"):
		return judge.NotOffered
	case len(call.Arguments) == 0 || call.Arguments[0] != '{':
		return judge.NotReadable
	case p.anyResult && !strings.HasPrefix(*result.Error, "Missing required argument"):
		return judge.Ran
	}
	return judge.NotAcceptable
}
