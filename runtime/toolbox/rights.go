package toolbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"chatterbox/runtime/egress"
)

// Effects is what a tool does to the world.
type Effects string

// The effects, from the least.
const (
	Read         Effects = "read"
	Write        Effects = "write"
	Irreversible Effects = "irreversible"
)

// Confirm is when a person is asked before a call.
type Confirm string

// The policies, from the least. First is carried out as Always: the yes of an earlier call is not remembered.
const (
	Never  Confirm = "never"
	First  Confirm = "first"
	Always Confirm = "always"
)

// Scope is who shares what a tool keeps.
type Scope string

// The scopes. Absent is Shared, which is the wider one.
const (
	Shared          Scope = "shared"       // one quota; all conversations read and write the same
	PerConversation Scope = "conversation" // a quota for each conversation, and gone with it
)

// Rights are what a tool may do: what a manifest asks, what a grant gives, and what both together come to.
type Rights struct {
	Effects Effects    `json:"effects,omitempty" of:"read write irreversible"`
	Confirm Confirm    `json:"confirm,omitempty" of:"never first always"`
	Net     []NetRule  `json:"net,omitempty" max:"32"`
	Secrets []Secret   `json:"secrets,omitempty" max:"32"`
	KV      Quota      `json:"kv,omitzero"`
	Deliver []Delivery `json:"deliver,omitempty" max:"32"`
}

// Quota is how much a tool may keep, and for whom. Zero is nothing.
type Quota struct {
	Bytes int64 `json:"quota" in:"1,16777216"`
	Scope Scope `json:"scope,omitempty" of:"shared conversation"`
}

func (q *Quota) check(path string) error {
	if q.Bytes == 0 {
		return fieldError(join(path, "quota"), "is missing")
	}
	return nil
}

// NetRule allows requests to one host and port. A manifest cannot ask for Private; only a grant gives it.
type NetRule struct {
	Scheme        string        `json:"scheme" max:"8"`
	Host          string        `json:"host" max:"253"`
	Port          int           `json:"port" in:"1,65535"`
	Methods       []string      `json:"methods" max:"8,16"`
	Path          string        `json:"path" max:"1024"`
	ResponseBytes int64         `json:"response_bytes,omitempty" in:"1,2097152"`
	Timeout       time.Duration `json:"timeout_ms,omitempty" in:"1,30000"`
	Private       bool          `json:"private,omitempty" granted:"true"`
}

func (r *NetRule) prepare() { r.Methods, r.Path = []string{http.MethodGet}, "*" }

func (r *NetRule) check(path string) error {
	if r.Port == 0 {
		r.Port = map[string]int{"http": 80, "https": 443}[r.Scheme]
	}
	if err := egress.Rule(*r).Validate(); err != nil {
		return fieldError(path, "is not a rule: "+err.Error())
	}
	return nil
}

// MarshalJSON writes the rule as it is read.
func (r NetRule) MarshalJSON() ([]byte, error) {
	type plain NetRule
	r.Timeout /= time.Millisecond
	return json.Marshal(plain(r))
}

// Secret is a value that the host adds to requests to one host. The guest never sees it.
type Secret struct {
	Ref    string `json:"ref" max:"64"`
	Header string `json:"header" max:"64"`
	OnlyTo string `json:"only_to" max:"253"`
}

func (s *Secret) check(path string) error {
	if s.Ref == "" || s.Header == "" || s.OnlyTo == "" {
		return fieldError(path, "needs ref, header and only_to")
	}
	if !isToolName(s.Ref) {
		return fieldError(join(path, "ref"), "has 1 to 64 letters, digits, _ and -, and does not begin with -")
	}
	if err := egress.ValidateSecret(s.Header, s.OnlyTo); err != nil {
		return fieldError(path, "is not where a secret goes: "+err.Error())
	}
	return nil
}

// Delivery lets the host send for the tool.
type Delivery struct {
	Channel    string   `json:"channel" max:"64"`
	Recipients []string `json:"recipients" max:"32,256"`
}

func (d *Delivery) check(path string) error {
	if d.Channel == "" || d.Recipients == nil {
		return fieldError(path, "needs channel and recipients")
	}
	return nil
}

// Grant is what a person allows a tool. nil is a tool that nobody was asked about.
type Grant Rights

// withDefaults fills in what absent means.
func (r Rights) withDefaults() Rights {
	if r.Effects == "" {
		r.Effects = Read
	}
	if r.Confirm == "" {
		r.Confirm = map[Effects]Confirm{Read: Never, Write: First, Irreversible: Always}[r.Effects]
	}
	return r
}

// Effective gives what the tool may do: what it asks and what it is granted, both. The reason says why it may not
// run at all, and is empty when it may. Without a grant only a tool that reads nothing but its arguments and the
// clock runs.
func Effective(asks Rights, grant *Grant) (effective Rights, reason string) {
	if grant == nil {
		if wants := asks.beyondNothing(); len(wants) > 0 {
			return Rights{Effects: Read, Confirm: asks.Confirm}, "waits for a grant of " + strings.Join(wants, ", ")
		}
		return asks, ""
	}
	effective = Rights{
		Effects: asks.Effects,
		Confirm: slices.MaxFunc([]Confirm{asks.Confirm, grant.Confirm}, func(a, b Confirm) int { return rank(a) - rank(b) }),
		KV:      Quota{Bytes: min(asks.KV.Bytes, grant.KV.Bytes)},
	}
	if effective.KV.Bytes > 0 && (asks.KV.Scope == PerConversation || grant.KV.Scope == PerConversation) {
		effective.KV.Scope = PerConversation
	}
	for _, a := range asks.Net {
		for _, g := range grant.Net {
			if rule, ok := both(a, g); ok {
				effective.Net = append(effective.Net, rule)
			}
		}
	}
	for _, secret := range asks.Secrets {
		if slices.Contains(grant.Secrets, secret) {
			effective.Secrets = append(effective.Secrets, secret)
		}
	}
	for _, a := range asks.Deliver {
		for _, g := range grant.Deliver {
			to := common(a.Recipients, g.Recipients)
			if a.Channel == g.Channel && len(to) > 0 {
				effective.Deliver = append(effective.Deliver, Delivery{a.Channel, to})
			}
		}
	}
	if rank(asks.Effects) > rank(grant.Effects) {
		return effective, fmt.Sprintf("waits for a grant of effects %s: it is granted %s only", asks.Effects, grant.Effects)
	}
	return effective, ""
}

// rank orders effects and policies; an unknown or absent one is the least.
func rank[T ~string](value T) int {
	return map[T]int{"write": 1, "first": 1, "irreversible": 2, "always": 2}[value]
}

// beyondNothing names what the rights hold that needs somebody's yes.
func (r Rights) beyondNothing() []string {
	var wants []string
	if r.Effects != Read {
		wants = append(wants, "effects "+string(r.Effects))
	}
	for _, rule := range r.Net {
		wants = append(wants, fmt.Sprintf("net to %s://%s:%d", rule.Scheme, rule.Host, rule.Port))
	}
	for _, secret := range r.Secrets {
		wants = append(wants, "secret "+secret.Ref)
	}
	if r.KV.Bytes > 0 {
		wants = append(wants, "kv")
	}
	for _, delivery := range r.Deliver {
		wants = append(wants, "deliver by "+delivery.Channel)
	}
	return wants
}

// both gives the rule that allows what asked and granted allow, if there is such a request.
func both(asked, granted NetRule) (NetRule, bool) {
	if asked.Scheme != granted.Scheme || !strings.EqualFold(asked.Host, granted.Host) || asked.Port != granted.Port {
		return NetRule{}, false
	}
	path, ok := narrower(asked.Path, granted.Path)
	rule := asked
	rule.Path, rule.Methods, rule.Private = path, common(asked.Methods, granted.Methods), granted.Private
	rule.ResponseBytes = least(asked.ResponseBytes, granted.ResponseBytes)
	rule.Timeout = least(asked.Timeout, granted.Timeout)
	return rule, ok && len(rule.Methods) > 0
}

// narrower gives the pattern of the paths that match both a and b.
func narrower(a, b string) (string, bool) {
	prefixA, openA := strings.CutSuffix(a, "*")
	prefixB, openB := strings.CutSuffix(b, "*")
	switch {
	case openA && strings.HasPrefix(prefixB, prefixA):
		return b, true
	case openB && strings.HasPrefix(prefixA, prefixB):
		return a, true
	default:
		return a, a == b
	}
}

func common(a, b []string) []string {
	var found []string
	for _, value := range a {
		if slices.Contains(b, value) {
			found = append(found, value)
		}
	}
	return found
}

// least is the smaller of two bounds, where 0 is none.
func least[T ~int | ~int64](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
