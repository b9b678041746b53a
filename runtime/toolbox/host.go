package toolbox

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"chatterbox/runtime/egress"
)

// host answers the host functions of one run of a tool. What comes in is the guest's and may be anything; what goes
// out is one JSON value, a failure included.
type host struct {
	box  *Toolbox
	tool *tool
	// conversation is its id; empty where the turn belongs to none.
	conversation string
	requests     atomic.Int64
}

const answerBytesMax = 4 << 20

// failure is the answer that something did not work.
type failure struct {
	Error string `json:"error"`
	Kind  string `json:"kind,omitempty"`
}

func (h *host) answer(ctx context.Context, function string, input []byte) []byte {
	answer := encode(h.dispatch(ctx, function, input))
	if len(answer) > answerBytesMax {
		answer = encode(failure{"the answer is too large", string(egress.TooLarge)})
	}
	return []byte(answer)
}

func (h *host) dispatch(ctx context.Context, function string, input []byte) any {
	switch function {
	case "http_request":
		return h.httpRequest(ctx, input)
	case "now":
		return now(input, h.box.zone, h.box.options.Timezone)
	case "secret_exists":
		return h.secretExists(input)
	case "kv_get", "kv_set":
		return h.kv(function, input)
	case "deliver":
		return h.deliver(ctx, input)
	default:
		return failure{Error: fmt.Sprintf("unknown host function %q", function)}
	}
}

// read decodes a host function's input. A member that is not known is ignored, one of a wrong type is an error.
func read(input []byte, target any) *failure {
	if err := json.Unmarshal(input, target); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return &failure{Error: fmt.Sprintf("member %s must not be a JSON %s", wrong.Field, wrong.Value)}
		}
		return &failure{Error: "the input is not a JSON object"}
	}
	return nil
}

func (h *host) httpRequest(ctx context.Context, input []byte) any {
	if most := *h.tool.limits.HTTPCalls; h.requests.Add(1) > int64(most) {
		return failure{fmt.Sprintf("this tool may make %d requests a call", most), "limit"}
	}
	var asked struct {
		Method     string            `json:"method"`
		URL        string            `json:"url"`
		Headers    map[string]string `json:"headers"`
		Body       *string           `json:"body"`
		BodyBase64 *string           `json:"body_base64"`
		TimeoutMS  int64             `json:"timeout_ms"`
	}
	if wrong := read(input, &asked); wrong != nil {
		return failure{wrong.Error, string(egress.Invalid)}
	}
	request := egress.Request{
		Method: asked.Method, URL: asked.URL, Headers: asked.Headers, Rules: h.tool.rules, Secrets: h.secrets(),
	}
	const hour = int64(time.Hour / time.Millisecond)
	if asked.TimeoutMS < 0 {
		return failure{"member timeout_ms must not be negative", string(egress.Invalid)}
	}
	var wrong string
	if request.Body, wrong = readBytes("body", asked.Body, asked.BodyBase64); wrong != "" {
		return failure{wrong, string(egress.Invalid)}
	}
	request.Timeout = time.Duration(min(asked.TimeoutMS, hour)) * time.Millisecond
	if h.box.options.Egress == nil {
		return failure{"there is no network on this host", string(egress.Refused)}
	}
	sending, cancel := early(ctx)
	defer cancel()
	response, err := h.box.options.Egress.Do(sending, request)
	if err != nil {
		return h.requestFailure(ctx, err)
	}
	answer := map[string]any{"status": response.Status, "headers": response.Headers}
	setBytes(answer, "body", response.Body)
	return answer
}

// setBytes puts bytes into an answer: text as it is, others as base64 under a name that says so.
func setBytes(answer map[string]any, name string, value []byte) {
	if utf8.Valid(value) {
		answer[name] = string(value)
	} else {
		answer[name+"_base64"] = base64.StdEncoding.EncodeToString(value)
	}
}

// readBytes reads what a guest gave as text or as base64, nil where it gave neither. wrong says what is wrong with it.
func readBytes(name string, plain, encoded *string) (value []byte, wrong string) {
	switch {
	case plain != nil && encoded != nil:
		return nil, fmt.Sprintf("give %s or %s_base64, not both", name, name)
	case plain != nil:
		return []byte(*plain), ""
	case encoded == nil:
		return nil, ""
	}
	value, err := base64.StdEncoding.DecodeString(*encoded)
	if err != nil {
		return nil, fmt.Sprintf("member %s_base64 is not base64", name)
	}
	return append([]byte{}, value...), ""
}

// early ends a tenth of the remaining time, and at most half a second, before ctx does, so that a guest whose request
// took too long has the time to say so.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(time.Until(deadline)/10, time.Second/2)))
}

func (h *host) requestFailure(ctx context.Context, err error) failure {
	kind := egress.Protocol
	var typed *egress.Error
	if errors.As(err, &typed) && typed.Kind != egress.Redirect {
		kind = typed.Kind
	}
	if kind == egress.Refused {
		h.box.log.WarnContext(ctx, "request refused", "tool", h.tool.manifest.Name, "reason", err.Error())
	} else {
		h.box.log.InfoContext(ctx, "request failed",
			"tool", h.tool.manifest.Name, "kind", string(kind), "reason", err.Error())
	}
	return failure{err.Error(), string(kind)}
}

// secrets are what the host adds to the tool's requests.
func (h *host) secrets() []egress.Secret {
	var added []egress.Secret
	for _, secret := range h.tool.rights.Secrets {
		added = append(added, egress.Secret{Header: secret.Header, OnlyTo: secret.OnlyTo, Value: func() (string, error) {
			return h.box.secret(secret.Ref)
		}})
	}
	return added
}

func (t *Toolbox) secret(ref string) (string, error) {
	if t.options.Secret == nil {
		return "", errors.New("there are no secrets on this host")
	}
	return t.options.Secret(ref)
}

// secretExists says whether a request may carry the secret. Of secrets that the tool was not granted it says that
// there are none.
func (h *host) secretExists(input []byte) any {
	var asked struct {
		Ref *string `json:"ref"`
	}
	if wrong := read(input, &asked); wrong != nil {
		return *wrong
	}
	if asked.Ref == nil {
		return failure{Error: "member ref is missing"}
	}
	exists := false
	for _, secret := range h.tool.rights.Secrets {
		if secret.Ref == *asked.Ref && !exists {
			value, err := h.box.secret(secret.Ref)
			exists = err == nil && value != ""
		}
	}
	return map[string]bool{"exists": exists}
}
