package route

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Mode is what a conversation is about: which tools and workflows it has, which model answers and what that model is
// told beside the system prompt.
type Mode struct {
	Name      string   // upper case
	Aliases   []string // lower-case words that people say for the name
	Tools     []string // names, beside the shared ones; All is every tool
	Workflows []string // names; All is every workflow
	Model     string   // "local", "cloud" or a model's name; empty is the first one
	Prompt    string   // follows the system prompt; empty is nothing
	// Idle is how long after its last turn a conversation leaves the mode; 0 is IdleDefault.
	Idle time.Duration
}

// All stands in a mode's list for every tool, or every workflow.
const All = "*"

// How long a mode stays without a turn.
const (
	IdleDefault = 120 * time.Second
	IdleMin     = 10 * time.Second
	IdleMax     = time.Hour
)

// HasWorkflow reports whether the mode knows a workflow.
func (m *Mode) HasWorkflow(name string) bool {
	return slices.Contains(m.Workflows, All) || slices.Contains(m.Workflows, name)
}

// Modes are the modes that a conversation may be in. They never change; several goroutines may use them at once.
type Modes struct {
	list    []Mode
	start   string
	shared  []string
	words   map[string]int // names and aliases, lower case, to the index in list
	pattern *regexp.Regexp // of a switch
}

// NewModes checks the modes, which it may keep. A conversation begins in start, and leaves the others for it when
// nobody speaks. The tools of shared belong to every mode. People may call the assistant by its name before they ask
// for a mode. The error joins everything that is wrong.
func NewModes(list []Mode, start string, shared []string, name string) (*Modes, error) {
	m := &Modes{list: list, start: strings.ToUpper(start), shared: shared, words: map[string]int{}}
	var errs []error
	for i := range list {
		mode := &list[i]
		if mode.Name == "" || mode.Name != strings.ToUpper(mode.Name) {
			errs = append(errs, fmt.Errorf("mode %q: its name must be in capitals", mode.Name))
		}
		mode.Idle = cmp.Or(mode.Idle, IdleDefault)
		if mode.Idle < IdleMin || mode.Idle > IdleMax {
			errs = append(errs, fmt.Errorf("mode %s: idle must be between %v and %v, not %v", mode.Name, IdleMin, IdleMax, mode.Idle))
		}
		for _, word := range append([]string{mode.Name}, mode.Aliases...) {
			word = strings.ToLower(word)
			if other, taken := m.words[word]; taken {
				errs = append(errs, fmt.Errorf("mode %s: %q already stands for %s", mode.Name, word, list[other].Name))
			}
			m.words[word] = i
		}
	}
	if m.Find(m.start) == nil {
		errs = append(errs, fmt.Errorf("there is no mode %q to start in; there is %s", start, strings.Join(m.Names(), ", ")))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	m.pattern = switchPattern(name)
	return m, nil
}

// switchPattern is the sentence that asks for a mode, in English and German, and what follows it. The text must begin
// with it: "don't go to sleep mode on me" asks for nothing, and neither does what somebody else said.
func switchPattern(name string) *regexp.Regexp {
	called := regexp.QuoteMeta(name)
	return regexp.MustCompile(`(?i)^(?:(?:ok|okay|hey|hi|hello|now|so|please|bitte|and|then|um|uh|äh|ähm|` + called + `),? )*` +
		`(?:(?:(?:can|could|would|will) you |i want (?:you )?to |let'?s |let us )?(?:please )?(?:(?:transition|switch|go|change)(?: back| over)? (?:in)?to|(?:put|switch|set|change) (?:it |yourself |everything )?(?:in|into|to)|enter|activate) (?:the )?(?P<en>[\pL\d_]+) mode` +
		`|(?:kannst du |könntest du )?(?:wechsle?|geh|schalte?|wechseln)(?: bitte| mal| jetzt)* (?:in|auf|zu|zum) (?:den |dem )?(?:modus (?P<de>[\pL\d_]+)|(?P<de2>[\pL\d_]+)[- ]?modus)(?: wechseln)?)` +
		`(?:,? (?:please|now|thanks|thank you|again|bitte|` + called + `))*` +
		`(?:$|(?:[,;:.!]? (?:and then|and|then|und dann|und|dann) |[,;:.!] )(?P<rest>.+)$| (?P<bare>(?:please|turn|play|pause|dim|show|tell|remind|book|schedule|bitte|mach|spiel|zeig|dimme|erinnere|buche|vereinbare) .+)$)`)
}

// noRest is how a text goes on that does not ask for the mode now, or not at all.
var noRest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:and |und )?(?:(?:or|but|if|when|whenever|once|as soon|after|before|until|unless|because|at|in|on|by|tomorrow|tonight|later|is|was|that|which|not|never|he|she|they|it|` +
		`oder|aber|wenn|falls|sobald|nachdem|bevor|bis|weil|um|morgen|später|heute|nicht|nie|ist|war|er|das|hat)\b|(?:i|ich) (?:said|told|heard|read|sagte|habe|hab|hörte)\b)`)
})

// Start is the mode that conversations begin in.
func (m *Modes) Start() *Mode { return m.Find(m.start) }

// Find returns the mode of a name, in any letters, or nil.
func (m *Modes) Find(name string) *Mode {
	i, ok := m.words[strings.ToLower(name)]
	if !ok || !strings.EqualFold(m.list[i].Name, name) {
		return nil
	}
	return &m.list[i]
}

// Names lists the modes in their order.
func (m *Modes) Names() []string {
	names := make([]string, len(m.list))
	for i := range m.list {
		names[i] = m.list[i].Name
	}
	return names
}

// List returns the modes in their order. The caller must not change them.
func (m *Modes) List() []Mode { return m.list }

// Shared lists the tools of every mode. The caller must not change it.
func (m *Modes) Shared() []string { return m.shared }

// Tools returns those of tools that the mode has, in their order.
func (m *Modes) Tools(mode *Mode, tools []string) []string {
	if slices.Contains(mode.Tools, All) {
		return tools
	}
	out := make([]string, 0, len(tools))
	for _, tool := range tools {
		if slices.Contains(mode.Tools, tool) || slices.Contains(m.shared, tool) {
			out = append(out, tool)
		}
	}
	return out
}

// switchMax is the longest text that can begin with a switch, in bytes. What follows it may be longer than a command.
const switchMax = 500

// Switch returns the mode that the text asks for, what else it asks for, and the reason; or nil. A sentence with a
// mode that does not exist asks for none.
func (m *Modes) Switch(text string) (mode *Mode, rest, reason string) {
	if len(text) > switchMax || !mentionsMode(text) {
		return nil, "", ""
	}
	question := strings.HasSuffix(strings.TrimSpace(text), "?")
	groups := m.pattern.FindStringSubmatch(clean(text))
	if groups == nil {
		return nil, "", ""
	}
	named := func(names ...string) (text string) { // one of them is set at most
		for _, name := range names {
			text += groups[m.pattern.SubexpIndex(name)]
		}
		return text
	}
	word := strings.ToLower(named("en", "de", "de2"))
	rest = named("rest", "bare")
	i, ok := m.words[word]
	if !ok || noRest().MatchString(rest) {
		return nil, "", ""
	}
	if question && rest != "" {
		rest += "?"
	}
	return &m.list[i], rest, fmt.Sprintf("%q asks for mode %s", word, m.list[i].Name)
}

// mentionsMode is the cheap test before the pattern.
func mentionsMode(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, " mode") || strings.Contains(lower, "modus")
}

// After returns the mode that a conversation is in now that nobody has spoken for the time idle: it stays as it is
// while a workflow is open. An unknown or empty name is the start.
func (m *Modes) After(name string, idle time.Duration, workflowOpen bool) *Mode {
	mode := m.Find(name)
	if mode == nil || idle > mode.Idle && !workflowOpen {
		return m.Start()
	}
	return mode
}

// DefaultShared are the tools that every mode has when the configuration says nothing else.
func DefaultShared() []string {
	return []string{"get_weather", "get_current_datetime", "get_location"}
}

// DefaultModes are the modes when the configuration says nothing else. Making calls is not among the tools of COMMS.
func DefaultModes() []Mode {
	reminders := []string{"set_reminder", "list_reminders", "complete_reminder", "delete_reminder"}
	return []Mode{
		{Name: "AUTO", Tools: []string{All}, Workflows: []string{All}, Model: "local"},
		{
			Name: "HOME", Aliases: []string{"device", "devices", "haus", "geräte"}, Model: "local",
			Tools: []string{"lights", "media", "scenes", "where_am_i"},
		},
		{
			Name: "RECEPTIONIST", Aliases: []string{"business", "scheduling", "appointment", "empfang"}, Model: "local",
			Tools: append([]string{"check_availability", "book_appointment", "cancel_appointment", "reschedule_appointment",
				"get_calendar", "lookup_customer", "send_notification"}, reminders...),
			Workflows: []string{"booking", "reminder"},
		},
		{
			Name: "COMMS", Aliases: []string{"personal", "friends", "family", "freunde", "familie"}, Model: "local",
			Tools:     append([]string{"send_email", "send_notification", "get_calendar"}, reminders...),
			Workflows: []string{"reminder", "schedule_call"},
		},
		{
			Name: "SECURITY", Aliases: []string{"camera", "cameras", "surveillance", "kamera", "kameras", "sicherheit"}, Model: "local",
			Tools: []string{"show_camera_feed", "get_current_detections", "zones"},
		},
		{Name: "CHAT", Aliases: []string{"general", "conversation", "gespräch"}, Model: "cloud"},
	}
}

// Merge lays changes over modes: a mode of the same name takes every field that is set, any other is added.
func Merge(modes, changes []Mode) []Mode {
	for _, change := range changes {
		i := slices.IndexFunc(modes, func(mode Mode) bool { return strings.EqualFold(mode.Name, change.Name) })
		if i < 0 {
			change.Name = strings.ToUpper(change.Name)
			modes = append(modes, change)
			continue
		}
		mode := &modes[i]
		for _, list := range []struct{ to, from *[]string }{
			{&mode.Aliases, &change.Aliases}, {&mode.Tools, &change.Tools}, {&mode.Workflows, &change.Workflows},
		} {
			if *list.from != nil {
				*list.to = *list.from
			}
		}
		mode.Model = cmp.Or(change.Model, mode.Model)
		mode.Prompt = cmp.Or(change.Prompt, mode.Prompt)
		mode.Idle = cmp.Or(change.Idle, mode.Idle)
	}
	return modes
}
