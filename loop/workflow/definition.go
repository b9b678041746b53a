package workflow

import "time"

// Texts are wordings by language, a base tag such as "en". The machine takes the first, and the next one each time it
// has to say the same again.
type Texts map[string][]string

// Definition is a workflow as data.
//
// Texts are templates: {field} stands for the field as it is spoken, {field:FORMAT} for another form of it,
// {result.key} for a member of the tool's result, {error} for the tool's complaint, {offers} for the alternatives. What
// stands in [brackets] is left out when something in it is not known.
type Definition struct {
	Name    string        `yaml:"workflow"`
	Timeout time.Duration `yaml:"timeout"` // of silence; 0 is DefaultTimeout
	// Triggers open the workflow.
	Triggers map[string]Trigger `yaml:"triggers"` // by language
	Fields   []Field            `yaml:"fields"`   // in the order in which they are asked for
	Phases   []Phase            `yaml:"phases"`   // the first is where a workflow begins
	// Cancel are whole texts that end this workflow, beside those of Speech.
	Cancel map[string][]string `yaml:"cancel"` // by language
	When   Moment              `yaml:"when"`
	// Answers are given to questions that the workflow itself must answer.
	Answers []Answer `yaml:"answers"`
	// Replies replace those of Speech, by name.
	Replies map[string]Texts `yaml:"replies"`
	// Guard says what a text in a language is where it asks for nothing, such as "a negation"; empty is that it may
	// ask. Such a text opens no workflow. It must be pure; nil lets every text through.
	Guard func(text, language string) string `yaml:"-" json:"-"`
	// Checked says that the definition was compiled before without a mistake, when it was not Checked. Its expressions
	// are then not read before a text needs them.
	Checked bool `yaml:"-"`
}

// Trigger says which texts open a workflow.
type Trigger struct {
	Keywords []string `yaml:"keywords"` // lower-case texts of which one must occur; spares the patterns; empty is no such test
	Patterns []string `yaml:"patterns"` // regular expressions of which one must occur, without regard to case
	Unless   []string `yaml:"unless"`   // regular expressions of which none may occur
}

// Field is a fact to collect.
type Field struct {
	Name string `yaml:"name"`
	// Extractors find it; the first names its kind. A datetime is taken apart for a field that is a date or a time.
	Extractors []string `yaml:"extractors"`
	// Patterns are regular expressions, by language, whose group "value" is the field's value, without regard to case:
	// for facts that no extractor knows. The first that fits counts. Except are words that are no part of such a value.
	Patterns map[string][]string `yaml:"patterns"`
	Except   map[string][]string `yaml:"except"`
	// After are words, by language, behind which a bare value counts even where it was not asked for: "with John".
	After map[string][]string `yaml:"after"`
	// Called is how people name the field when they want to change it.
	Called map[string][]string `yaml:"called"`
	Ask    Texts               `yaml:"ask"` // empty for what is never asked for
	// Default is how a field that was not said is known: "next", for the date of Moment, is the next day that fits.
	Default string `yaml:"default"`
}

// Moment names the fields that say when. A moment that has passed is asked for again.
type Moment struct {
	Date       string `yaml:"date"`
	Time       string `yaml:"time"`
	Recurrence string `yaml:"recurrence"`
	// Soonest are the hours in which the first free moment is looked for when the person leaves it to the workflow; nil
	// is none, and then it is asked for.
	Soonest *Hours `yaml:"soonest"`
}

// Hours are a part of each day, as 15:04.
type Hours struct {
	From  string `yaml:"from"`
	Until string `yaml:"until"`
}

// Phase is a state of the dialogue. Its name is in capitals.
type Phase struct {
	Name   string `yaml:"name"`
	Enough string `yaml:"enough"` // condition over fields, such as "name and (address or time)"; when it holds, "enough" happens
	Needs  string `yaml:"needs"`  // condition that must hold before "confirmed" happens
	// Summary is said before a question for what Needs lacks, so that the person hears what is known.
	Summary Texts `yaml:"summary"`
	Ask     Texts `yaml:"ask"`   // the question that a yes answers
	Check   *Use  `yaml:"check"` // a tool that only reads, called when its arguments are known and before a yes counts
	Call    *Use  `yaml:"call"`  // the tool that acts; the phase must be reached by "confirmed" alone, but where it is Unasked
	Reply   Texts `yaml:"reply"` // in a last phase: what is said when all is done
	// On names the next phase by event: "triggered", "enough", "confirmed", "rejected". A phase without is a last one.
	// "unclear" takes the place of "enough" where the answer that made it enough says something else as well.
	On map[string]string `yaml:"on"`
}

// Use says how a tool is called.
type Use struct {
	Tool string `yaml:"tool"`
	// Arguments are templates over the values of fields; one that names an unknown field is left out.
	Arguments map[string]string `yaml:"arguments"`
	Required  []string          `yaml:"required"` // arguments that must be known
	OK        string            `yaml:"ok"`       // the member of the result that must be true; empty is none
	Offers    string            `yaml:"offers"`   // the member of the result that lists alternatives, objects by field; empty is none
	// Unasked lets "enough" lead to a Call, without a yes. It is for a tool whose effect can be taken back; one that
	// asks asks all the same.
	Unasked bool `yaml:"unasked"`
}

// Answer is what is said to a question.
type Answer struct {
	Keywords map[string][]string `yaml:"keywords"` // as in Trigger, by language
	Patterns map[string][]string `yaml:"patterns"` // regular expressions by language, of which one must occur
	Reply    Texts               `yaml:"reply"`
}

// Limits of what is interpreted.
const (
	DefaultTimeout = 10 * time.Minute

	textMax        = 2 << 10 // bytes of a person's text that are looked at
	triggerMax     = 500     // bytes of a text that may open a workflow; nobody says more to do that
	parkedMax      = 3
	digressionsMax = 2 // how often in a row a question is asked again beside other topics
	offersMax      = 3
	wordingsMax    = 60  // a count of questions starts again there; wordings of 1 to 6 come in turn across it
	spokenMax      = 300 // bytes of a tool's text that are spoken
	fieldsMax      = 40
	phasesMax      = 20
	valueMax       = 500 // bytes of a field
)
