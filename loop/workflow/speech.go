package workflow

// Speech is how a language is spoken in workflows: what people say to steer one, and what is answered. A text of
// phrases may hold several, with commas between them.
type Speech struct {
	Language string `yaml:"speech"` // base tag

	Confirm []string `yaml:"confirm"` // phrases of a yes
	Reject  []string `yaml:"reject"`  // phrases of a no or of a wish to change, anywhere in a text
	Hold    []string `yaml:"hold"`    // phrases that want time: "let me think"
	Doubt   []string `yaml:"doubt"`   // phrases that are neither a yes nor a no, or make a value vague: "maybe", "around"
	// Does are phrases of a yes to what a tool does, by the first word of its name: "send it" to send_email.
	Does map[string][]string `yaml:"does"`

	// What may stand beside a yes to change a value with it.
	Lead    []string `yaml:"lead"`    // phrases that lead to a new value: "but at"
	Makes   []string `yaml:"makes"`   // such phrases that are a yes with it: "make it"
	Behind  []string `yaml:"behind"`  // phrases that may stand behind a new value: "instead"
	Article []string `yaml:"article"` // words before a field's name or an ordinal: "the"
	States  []string `yaml:"states"`  // those of Link that state a value: "is"

	One []string `yaml:"one"` // phrases for a thing that is meant, before what tells it from others: "the one"

	Filler  []string `yaml:"filler"`  // words that mean nothing at the beginning or end of a text
	More    []string `yaml:"more"`    // filler behind which more is to come: a text that ends so is no bare yes
	Link    []string `yaml:"link"`    // phrases between a field's name and its value: "to", "should be"
	Correct []string `yaml:"correct"` // phrases between a wrong value and the right one

	// Whole texts, but for Filler.
	Cancel  []string `yaml:"cancel"`
	Restart []string `yaml:"restart"`
	Retry   []string `yaml:"retry"`
	Repeat  []string `yaml:"repeat"`
	Back    []string `yaml:"back"` // how a text begins that returns to what rests, beside one of the workflow's keywords
	Skip    []string `yaml:"skip"`
	Undo    []string `yaml:"undo"` // that take back what was done last
	// Refuse are phrases of somebody who does not want to tell a detail, RefuseWith words that may stand beside them.
	Refuse     []string `yaml:"refuse"`
	RefuseWith []string `yaml:"refuse_with"`
	Neither    []string `yaml:"neither"`

	Questions []string   `yaml:"questions"` // how a text begins that is a question to somebody else
	Commands  []string   `yaml:"commands"`  // how a text begins that wants something else done
	Own       []string   `yaml:"own"`       // how a question begins that is meant for the workflow: "how about"
	Possible  []string   `yaml:"possible"`  // words that make a question with a value one for the workflow: "is Friday possible"
	Ordinals  [][]string `yaml:"ordinals"`
	Soonest   []string   `yaml:"soonest"` // phrases that leave a time to the workflow: "as soon as possible"

	Today    string   `yaml:"today"`
	Tomorrow string   `yaml:"tomorrow"`
	Weekdays []string `yaml:"weekdays"` // from Sunday
	Months   []string `yaml:"months"`   // from January
	// Date and DateYear are texts over {weekday}, {month}, {day} and {year}; Weekday is one over {weekday}.
	Weekday    string              `yaml:"weekday"`
	Date       string              `yaml:"date"`
	DateYear   string              `yaml:"date_year"`
	Hour       string              `yaml:"hour"` // layout of Go's time package
	HourMinute string              `yaml:"hour_minute"`
	OfferTime  string              `yaml:"offer_time"` // an offer over {date} and {time}
	Or         string              `yaml:"or"`         // the word before the last of several offers
	Replies    map[string][]string `yaml:"replies"`
	// Says are what the host says outside of workflows, by name. See [Flows.Say].
	Says map[string]string `yaml:"says"`
	// Calls are how calls that wait for a yes are spoken of, by tool.
	Calls map[string]CallSpeech `yaml:"calls"`
}

// The replies that every Speech must have.
const (
	sayMisunderstood = "misunderstood" // before the question
	sayOpen          = "open"          // before the question for a yes: nothing was done yet
	sayWaiting       = "waiting"
	sayChanging      = "changing" // what should be changed?
	sayRestarted     = "restarted"
	sayCancelled     = "cancelled"
	sayResumed       = "resumed" // before the question of a workflow that was parked
	sayNeeded        = "needed"  // before the question for what cannot be skipped
	sayTaken         = "taken"
	sayOffer         = "offer"
	sayOfferOne      = "offer_one"
	sayNoOffer       = "no_offer"
	sayFailed        = "failed"
	sayInterrupted   = "interrupted"
	sayPast          = "past"
	sayDone          = "done"

	sayCallAny      = "call_any"      // the question about a tool that has no words of its own
	sayCallWith     = "call_with"     // before the question mark: arguments that it does not name
	sayCallQuoted   = "call_quoted"   // an argument's text
	sayCallLong     = "call_long"     // a long argument
	sayCallDropped  = "call_dropped"  // nothing was done
	sayCallDeclined = "call_declined" // to a plain no
)

// ReplyNames lists the names of replies.
func ReplyNames() []string {
	return []string{sayMisunderstood, sayOpen, sayWaiting, sayChanging, sayRestarted, sayCancelled, sayResumed, sayNeeded, sayTaken,
		sayOffer, sayOfferOne, sayNoOffer, sayFailed, sayInterrupted, sayPast, sayDone,
		sayCallAny, sayCallWith, sayCallQuoted, sayCallLong, sayCallDropped, sayCallDeclined}
}

// replyKnows says what a reply may refer to beside fields and results: the tool's complaint and the alternatives.
var replyKnows = map[string][]string{
	sayFailed: {"error"}, sayTaken: {"error"}, sayOffer: {"offers"}, sayOfferOne: {"offers"},
	sayCallAny: {"tool"}, sayCallWith: {"arguments"}, sayCallQuoted: {"text"}, sayCallLong: {"beginning", "end", "characters"},
}
