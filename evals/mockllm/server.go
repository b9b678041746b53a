package mockllm

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// requestMax bounds the body of a request.
const requestMax = 32 << 20

// Options are the settings of a [Server]. Zero values mean the defaults.
type Options struct {
	Prefix    string      // of the paths; default /v1, "/" is none
	Models    []string    // that GET /models lists; default mock
	Faults    *FaultPlan  // injected besides those of the script
	Keep      int         // how many requests Requests has; default 1000, the latest
	OnFailure func(error) // called for every failure as it happens, by any goroutine
}

// Server answers requests for completions from a script. It is an [http.Handler] and may be used by many clients at
// once.
type Server struct {
	options Options
	prefix  string
	quit    chan struct{}
	closing sync.Once

	mu       sync.Mutex
	name     string
	replies  []scripted
	first    int // replies before it are used up
	seen     int // requests
	calls    int // ids given to calls
	kept     []Request
	failures []error
}

// scripted is a reply and how often it still serves.
type scripted struct {
	Reply
	left int // Forever, or how often
}

// New makes a server. script may be nil and come later, by SetScript or Append.
func New(script *Script, options Options) *Server {
	options.Keep = cmp.Or(options.Keep, 1000)
	if len(options.Models) == 0 {
		options.Models = []string{"mock"}
	}
	prefix := strings.TrimRight(cmp.Or(options.Prefix, "/v1"), "/")
	s := &Server{options: options, prefix: prefix, quit: make(chan struct{})}
	s.SetScript(cmp.Or(script, &Script{Name: "script"}))
	return s
}

// Close ends the responses that a fault keeps open.
func (s *Server) Close() { s.closing.Do(func() { close(s.quit) }) }

// SetScript begins a new script. What was left of the old one is forgotten, and so are requests and failures.
func (s *Server) SetScript(script *Script) {
	s.mu.Lock()
	s.replies, s.first, s.seen, s.kept, s.failures, s.name = nil, 0, 0, nil, nil, script.Name
	s.mu.Unlock()
	s.Append(script.Replies...)
}

// Append adds replies to the end of the script.
func (s *Server) Append(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, reply := range replies {
		reply.line = cmp.Or(reply.line, len(s.replies)+1)
		s.replies = append(s.replies, scripted{Reply: reply, left: cmp.Or(reply.Repeat, 1)})
	}
}

// Requests are the requests so far, in the order in which they came; at most the latest Options.Keep.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.kept[max(0, len(s.kept)-s.options.Keep):])
}

// Failures are the requests that did not fit the script.
func (s *Server) Failures() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.failures...)
}

// Leftover is an error that names the replies that were never asked for as often as they stand in the script. Those
// that repeat forever are not counted.
func (s *Server) Leftover() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []error
	for _, reply := range s.replies {
		if reply.left > 0 {
			left = append(left,
				fmt.Errorf("%s:%d: reply left over, %d times: %s", s.name, reply.line, reply.left, reply.brief()))
		}
	}
	return errors.Join(left...)
}

// Err is Failures and Leftover together: nil when all went by the script.
func (s *Server) Err() error { return errors.Join(s.Failures(), s.Leftover()) }

func (r *Reply) brief() string {
	switch {
	case r.Status != 0:
		return "status " + strconv.Itoa(r.Status)
	case len(r.ToolCalls) > 0:
		return "a call of " + r.ToolCalls[0].Name
	case r.Fault != "":
		return "fault " + r.Fault
	}
	return strconv.Quote(r.Content)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, s.prefix)
	switch {
	case ok && path == "/chat/completions" && r.Method == http.MethodPost:
		s.complete(w, r)
	case ok && path == "/models" && r.Method == http.MethodGet:
		s.models(w)
	case ok && (path == "/chat/completions" || path == "/models"):
		writeError(w, http.StatusMethodNotAllowed, "invalid_request_error", r.Method+" is not for "+r.URL.Path)
	default:
		writeError(w, http.StatusNotFound, "invalid_request_error", "no such path: "+r.URL.Path)
	}
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestMax))
	if err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	request, err := parseRequest(r.Header, body)
	if err != nil {
		s.fail(fmt.Errorf("a request that cannot be read: %w", err))
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	answer, err := s.pick(request)
	if err != nil {
		s.fail(err)
		writeError(w, http.StatusInternalServerError, "mockllm", err.Error())
		return
	}
	answer.w, answer.r = w, r
	answer.respond()
}

func (s *Server) fail(err error) {
	s.mu.Lock()
	s.failures = append(s.failures, err)
	s.mu.Unlock()
	if s.options.OnFailure != nil {
		s.options.OnFailure(err)
	}
}

// pick takes the reply for a request: the first that is left and whose Match fits, else the first without a Match. A
// reply that does not reach the client whole because of an injected fault is not used up.
func (s *Server) pick(request *Request) (*answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	s.keep(request)
	injected := s.options.Faults.next()
	isBroken := injected != nil && injected.breaks()
	reply := s.find(request)
	if reply == nil && !isBroken {
		return nil, fmt.Errorf("mockllm: %s has no reply left for request %d (%s)", s.name, s.seen, request.brief())
	}
	a := &answer{request: request, number: s.seen, quit: s.quit}
	if reply != nil {
		a.Reply = reply.Reply
	}
	if a.Expect != nil {
		if what := a.Expect.differs(request); what != "" {
			return nil, fmt.Errorf("mockllm: %s:%d: request %d is not as expected: %s (%s)",
				s.name, a.line, s.seen, what, request.brief())
		}
	}
	if injected != nil {
		a.Reply = injected.into(a.Reply)
	}
	if !isBroken && !a.refuses() && reply.left > 0 {
		reply.left--
	}
	a.ToolCalls = slices.Clone(a.ToolCalls)
	for i := range a.ToolCalls {
		if a.ToolCalls[i].ID == "" && a.Fault != "no_id" {
			s.calls++
			a.ToolCalls[i].ID = "call_" + strconv.Itoa(s.calls)
		}
	}
	return a, nil
}

func (s *Server) find(request *Request) *scripted {
	for s.first < len(s.replies) && s.replies[s.first].left == 0 {
		s.first++
	}
	var other *scripted
	for i := s.first; i < len(s.replies); i++ {
		reply := &s.replies[i]
		switch {
		case reply.left == 0:
		case reply.Match == nil && other == nil:
			other = reply
		case reply.Match != nil && reply.Match.fits(request):
			return reply
		}
	}
	return other
}

// keep records a request. Old ones are dropped in blocks.
func (s *Server) keep(request *Request) {
	if s.options.Keep < 0 {
		return
	}
	if len(s.kept) >= 2*s.options.Keep {
		s.kept = slices.Clone(s.kept[len(s.kept)-s.options.Keep:])
	}
	s.kept = append(s.kept, *request)
}

func (s *Server) models(w http.ResponseWriter) {
	rows := []any{}
	for _, name := range s.options.Models {
		rows = append(rows, map[string]any{"id": name, "object": "model", "created": created, "owned_by": "mockllm"})
	}
	write(w, http.StatusOK, "application/json", encoded(map[string]any{"object": "list", "data": rows}))
}

func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	w.Write(body) // a client that left gets nothing
}

// errorBody is an error in OpenAI's form.
func errorBody(kind, message string) []byte {
	return encoded(map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": nil}})
}

func writeError(w http.ResponseWriter, status int, kind, message string) {
	write(w, status, "application/json", errorBody(kind, message))
}
