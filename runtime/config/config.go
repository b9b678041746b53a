// Package config turns the configuration file and the environment into a plain struct.
//
// [Default] gives the values without any configuration, [Parse] reads a file's text, [Resolve] finds the file and lays
// the environment over it, [Validate] checks. One table of keys (keys.go) says what there is: the file, the
// environment variables, the template that `config init` writes, the JSON Schema and `config show` all come from it.
package config

import (
	"cmp"
	"strconv"
	"time"
)

// Config is the whole configuration. Every field is one key of the file, named in keys.go.
type Config struct {
	Listen   string
	Data     string // folder; Default leaves it empty and Resolve fills it in
	Timezone string // IANA name; empty is the host's
	Country  string // ISO 3166, two capitals; empty is that of the person's language
	Auth     Auth

	LLM    LLM
	Models []Model // in the order of fallback; see ModelList
	Prices map[string]Price
	Modes  []Mode // changes to the built-in modes, and further ones

	Conversation Conversation
	History      History
	Tools        Tools
	Deliver      Deliver
	Worker       Worker
	Cache        Cache
	Server       Server
	Wyoming      Wyoming
	Log          Log
}

// Auth is who may use the server.
type Auth struct {
	Token string // secret
}

// LLM is the short form of one model, and what holds for all models.
type LLM struct {
	BaseURL string
	Model   string
	APIKey  string // secret

	MaxWait           time.Duration // the longest Retry-After that a turn waits for
	FirstToken        time.Duration // 0 is automatic; see FirstTokenTimeout
	BetweenTokens     time.Duration
	RequestsPerMinute int     // 0 is no limit
	BudgetUSD         float64 // since the process started; 0 is no limit
	Discover          bool    // look for a model when none is configured
}

// Model is one model behind an OpenAI-compatible URL.
type Model struct {
	Name    string `key:"name" doc:"How people call this model; the model's own name when left out."`
	BaseURL string `key:"base_url" doc:"URL of an OpenAI-compatible server." required:"true"`
	Model   string `key:"model" doc:"Name of the model as that server knows it." required:"true"`
	APIKey  string `key:"api_key" doc:"Key for that server."` // secret
	Local   bool   `key:"local" doc:"Costs nothing."`
	Price   *Price `key:"price" doc:"USD per 1,000 tokens."`             // nil: looked up in Config.Prices by Model
	Context int    `key:"context" doc:"Tokens that the model can read."` // 0 is unknown
}

// Price is in USD per 1,000 tokens.
type Price struct {
	Input  float64 `key:"input" doc:"USD per 1,000 tokens read."`
	Output float64 `key:"output" doc:"USD per 1,000 tokens written."`
}

// Mode is one mode of conversations. What is nil or zero is as the built-in mode of that name has it.
type Mode struct {
	Name      string        `key:"name" doc:"Name of the mode." required:"true"`
	Aliases   []string      `key:"aliases" doc:"Further words that people say for it."`
	Tools     []string      `key:"tools" doc:"Tools beside the shared ones; * is every tool."`
	Workflows []string      `key:"workflows" doc:"Workflows; * is every workflow."`
	Model     string        `key:"model" doc:"local, cloud, or the name of a model."`
	Prompt    string        `key:"prompt" doc:"What the model is told after the system prompt."`
	Idle      time.Duration `key:"idle" doc:"Time without a turn after which the mode is left."`
}

// Conversation is how turns run.
type Conversation struct {
	Name                     string // what the assistant is called
	Mode                     string
	Strategy                 string
	MaxHistoryTurns          int
	MaxIterations            int
	MaxCalls                 int
	ResultMaxBytes           Bytes // of one tool result as the model reads it
	AnswerMaxBytes           Bytes
	MaxTokens                int     // of a turn, over all model calls; 0 is no limit
	MaxCostUSD               float64 // of a turn; 0 is no limit
	TurnTimeout              time.Duration
	QueueMax                 int // turns of one conversation that wait for the one that runs
	ApprovalExpiry           time.Duration
	AutoCreateConversationID bool
	SystemPrompt             string // empty is the built-in one
	Wording                  string // of what a command gave: template or model
	Phrase                   string // of what a workflow says: template or model
	PhraseTimeout            time.Duration
}

// History is how long conversations are kept.
type History struct {
	TTL time.Duration // since the last turn; 0 is until deleted
}

// Tools is how tools run.
type Tools struct {
	Builtin    bool   // the tools that come with the product
	Dir        string // Resolve fills in the folder tools of Data
	Timeout    time.Duration
	Retries    int
	Workers    int
	MaxOffered int
	Shared     []string // tools of every mode
	PerMinute  int      // of each tool that is not built in; 0 is no limit
	Weather    Weather
	Calendar   Calendar
	Customers  Customers
	Home       Home
}

// Home is the house: where it is, and the Home Assistant that its lights, music, cameras and people are asked for by.
type Home struct {
	URL      string // of Home Assistant, such as http://homeassistant.local:8123; empty is none
	Token    string // a long-lived access token; secret
	Location string // where the house is, in words; empty is what Home Assistant says
}

// Calendar names a CalDAV calendar instead of the built-in one.
type Calendar struct {
	URL            string // of the calendar itself, with a slash at its end; empty is the built-in one
	PeopleURL      string // of the folder with other people's calendars; empty is the built-in one's
	User, Password string // Password is secret
}

// Customers names a CardDAV address book instead of the file customers.csv.
type Customers struct {
	URL            string // of the address book itself, with a slash at its end; empty is the file
	User, Password string // Password is secret
}

// Weather names the endpoints of get_weather; empty is Open-Meteo's own.
type Weather struct {
	GeocodingURL string
	ForecastURL  string
}

// Worker is how guest processes start.
type Worker struct {
	Command string // program and arguments, split as a shell would; empty is the own executable
}

// Cache bounds the cache of tool results.
type Cache struct {
	TTL      time.Duration // for tools that opt in without naming their own
	MaxBytes Bytes         // 0 switches the cache off
}

// Server bounds and guards the HTTP front.
type Server struct {
	Hosts                   []string // further allowed Host names
	Origins                 []string // further allowed Origins
	TrustedProxies          []string // addresses and networks
	BodyMaxBytes            Bytes
	MaxConnections          int
	MaxConnectionsPerClient int           // of a client on another machine
	StopTimeout             time.Duration // how long turns may finish when the server stops
}

// Wyoming is the voice pipeline's TCP protocol.
type Wyoming struct {
	Listen string // empty is off
}

// Log is what is written to standard error.
type Log struct {
	Level  string
	Format string
}

// Bytes is a size.
type Bytes int64

// String gives the size in the largest binary unit that divides it, as the file accepts it.
func (b Bytes) String() string {
	for i := len(byteUnits) - 1; i > 0; i-- {
		if unit := byteUnits[i]; b >= unit.size && b%unit.size == 0 {
			return strconv.FormatInt(int64(b/unit.size), 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// Default is the configuration of someone who configured nothing. The maps and slices in it are the caller's own.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:8765",
		LLM: LLM{
			MaxWait:       3 * time.Second,
			BetweenTokens: 15 * time.Second,
			Discover:      true,
		},
		Models: []Model{}, Modes: []Mode{}, Prices: defaultPrices(),
		Conversation: Conversation{
			Name:                     "Chatterbox",
			Mode:                     "AUTO",
			Strategy:                 "auto",
			MaxHistoryTurns:          20,
			MaxIterations:            10,
			MaxCalls:                 16,
			ResultMaxBytes:           64 << 10,
			AnswerMaxBytes:           256 << 10,
			QueueMax:                 4,
			ApprovalExpiry:           10 * time.Minute,
			AutoCreateConversationID: true,
			Wording:                  "template",
			Phrase:                   "template",
			PhraseTimeout:            2 * time.Second,
		},
		Tools: Tools{
			Timeout: 30 * time.Second,
			Workers: 4,
			Builtin: true, MaxOffered: 12,
			Shared:    []string{"get_weather", "get_current_datetime", "get_location"},
			PerMinute: 30,
		},
		Deliver: defaultDeliver(),
		Cache:   Cache{TTL: 300 * time.Second, MaxBytes: 8 << 20},
		Server: Server{
			Hosts: []string{}, Origins: []string{}, TrustedProxies: []string{},
			BodyMaxBytes:            256 << 10,
			MaxConnections:          16384,
			MaxConnectionsPerClient: 256,
			StopTimeout:             10 * time.Second,
		},
		Log: Log{Level: "info", Format: "text"},
	}
}

func defaultPrices() map[string]Price {
	return map[string]Price{
		"gpt-4o":                     {.005, .015},
		"gpt-4o-mini":                {.00015, .0006},
		"gpt-4-turbo":                {.01, .03},
		"gpt-4":                      {.03, .06},
		"gpt-3.5-turbo":              {.0005, .0015},
		"claude-3-5-haiku-20241022":  {.001, .005},
		"claude-3-5-sonnet-20241022": {.003, .015},
		"claude-haiku-4-5-20251001":  {.001, .005},
		"claude-sonnet-4-5":          {.003, .015},
		"claude-sonnet-4-6":          {.003, .015},
		"claude-opus-4-6":            {.015, .075},
	}
}

// ModelList is the configured models in the order of fallback: Models, else the short form as a list of one, else none.
func (c Config) ModelList() []Model {
	if len(c.Models) > 0 || c.LLM.BaseURL == "" {
		return c.Models
	}
	return []Model{{Name: c.LLM.Model, BaseURL: c.LLM.BaseURL, Model: c.LLM.Model, APIKey: c.LLM.APIKey}}
}

// The automatic time limits. A model on this machine or in this house may have to be loaded first.
const (
	firstTokenRemote, firstTokenNear = 20 * time.Second, 120 * time.Second
	turnRemote                       = 60 * time.Second
	turnNear                         = turnRemote + firstTokenNear - firstTokenRemote
)

// FirstTokenTimeout is how long a model may take to its first token. Near says that its URL is loopback or private.
func (c Config) FirstTokenTimeout(near bool) time.Duration {
	return automatic(c.LLM.FirstToken, near, firstTokenNear, firstTokenRemote)
}

// TurnTimeout is how long a turn may take in all. Near says that the first model's URL is loopback or private.
func (c Config) TurnTimeout(near bool) time.Duration {
	return automatic(c.Conversation.TurnTimeout, near, turnNear, turnRemote)
}

func automatic(configured time.Duration, near bool, nearby, remote time.Duration) time.Duration {
	if near {
		remote = nearby
	}
	return cmp.Or(configured, remote)
}
