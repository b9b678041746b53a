package toolbox

import (
	"fmt"
	"slices"
	"strings"

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
	Effects Effects    `json:"effects"`
	Confirm Confirm    `json:"confirm"`
	Net     []NetRule  `json:"net,omitempty"`
	Secrets []Secret   `json:"secrets,omitempty"`
	KV      int64      `json:"kv,omitempty"` // quota in bytes
	KVScope Scope      `json:"kv_scope,omitempty"`
	Deliver []Delivery `json:"deliver,omitempty"`
}

// NetRule allows requests to one host and port. A manifest cannot ask for Private; only a grant gives it.
type NetRule egress.Rule

// Secret is a value that the host adds to requests to one host. The guest never sees it.
type Secret struct {
	Ref    string `json:"ref"`
	Header string `json:"header"`
	OnlyTo string `json:"only_to"`
}

// Delivery lets the host send for the tool.
type Delivery struct {
	Channel    string   `json:"channel"`
	Recipients []string `json:"recipients"`
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

// Effective gives what the tool may do: what it asks and what it is granted, both. The reason says why it may not run at
// all, and is empty when it may. Without a grant only a tool that reads nothing but its arguments and the clock runs.
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
		KV:      min(asks.KV, grant.KV),
	}
	if effective.KV > 0 && (asks.KVScope == PerConversation || grant.KVScope == PerConversation) {
		effective.KVScope = PerConversation
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
	if r.KV > 0 {
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
