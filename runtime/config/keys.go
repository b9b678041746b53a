package config

import (
	"reflect"
	"strings"
)

// This file is the law of the configuration: what is not in the table does not exist, and what is in it can be set in
// the file, by an environment variable and by a credential file, is in the template and in the schema, and is shown.

// key is one entry of the table.
type key struct {
	name string // dotted, as in messages; the last part stands in the file below the others
	doc  string // a sentence or two for the template and the schema
	// field points at the value: *string, *bool, *int, *float64, *time.Duration, *Bytes, *[]string, *[]Model,
	// *[]Mode or *map[string]Price, which is also the key's type.
	field  any
	oneOf  []string // the allowed values of a string
	min    float64  // of a number, duration or size
	max    float64  // likewise; 0 is the type's own
	empty  string   // what an empty or zero default means, for the template
	secret bool
	later  bool   // accepted, but nothing uses it yet; setting it gives a warning
	sample string // lines of the template for a key without a one-line default
}

// env is the key's environment variable.
func (k key) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(k.name, ".", "_"))
}

// section is the part of the name before the last dot, and leaf the part after it.
func (k key) section() string {
	return k.name[:max(0, strings.LastIndexByte(k.name, '.'))]
}

func (k key) leaf() string {
	return k.name[strings.LastIndexByte(k.name, '.')+1:]
}

// EnvSecret begins the variables with secrets of tools, which are no keys.
const EnvSecret = envPrefix + "SECRET_"

const (
	envPrefix = "CHATTERBOX_"
	envConfig = envPrefix + "CONFIG" // where the file is; not a key
	envFile   = "_FILE"              // suffix: the value is in the file so named
)

var (
	day     = float64(24 * 3600e9)
	year    = 366 * day
	seconds = 1e9
)

// keys lists the table over c in the order of the template.
func keys(c *Config) []key {
	all := mainKeys(c)
	for _, group := range [][]key{modelKeys(c), conversationKeys(c), toolKeys(c), deliverKeys(c), serverKeys(c)} {
		all = append(all, group...)
	}
	return all
}

func mainKeys(c *Config) []key {
	return []key{
		{name: "listen", field: &c.Listen,
			doc: "Address and port of the HTTP server. Listening beyond this machine needs auth.token."},
		{name: "data", field: &c.Data,
			doc:   "Folder for everything that is kept: conversations, installed tools, compiled modules.",
			empty: "the user's data folder"},
		{name: "timezone", field: &c.Timezone, doc: "Time zone of this house, such as Europe/Berlin.",
			empty: "the host's"},
		{name: "country", field: &c.Country,
			doc:   "Country of this house as two capitals, such as US or DE: where telephone numbers without a country code are from.",
			empty: "that of the language spoken"},
		{name: "auth.token", field: &c.Auth.Token, secret: true,
			doc: "Bearer token that every request must carry. " + tokenCommand + " makes one.", empty: "no token"},
	}
}

func modelKeys(c *Config) []key {
	return []key{
		{name: "llm.base_url", field: &c.LLM.BaseURL,
			doc:   "URL of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1 or https://api.openai.com/v1.",
			empty: "look for one"},
		{name: "llm.model", field: &c.LLM.Model, doc: "Name of the model as that server knows it."},
		{name: "llm.api_key", field: &c.LLM.APIKey, secret: true, doc: "Key for that server.", empty: "none"},
		{name: "llm.discover", field: &c.LLM.Discover,
			doc: "With no model configured, use OPENAI_API_KEY, else look for Ollama and llama.cpp on their usual ports."},
		{name: "llm.max_wait", field: &c.LLM.MaxWait, max: 3600 * seconds,
			doc: "The longest time a turn waits because the server said Retry-After; when told longer, it answers at once."},
		{name: "llm.first_token_timeout", field: &c.LLM.FirstToken, max: 3600 * seconds,
			doc:   "How long a model may take to its first token.",
			empty: "20s, or 120s for a model on this machine or network"},
		{name: "llm.between_tokens_timeout", field: &c.LLM.BetweenTokens, min: seconds, max: 3600 * seconds,
			doc: "How long a model may pause within an answer."},
		{name: "llm.requests_per_minute", field: &c.LLM.RequestsPerMinute, max: 1e6, doc: "Model requests per minute.",
			empty: "no limit"},
		{name: "llm.budget_usd", field: &c.LLM.BudgetUSD, max: 1e9,
			doc: "Money that models may cost until the next start.", empty: "no limit"},
		{name: "models", field: &c.Models,
			doc: "Several models instead of llm.base_url, llm.model and llm.api_key: the first is asked first, the next when it fails.",
			sample: "models:\n" +
				"  - name: kitchen\n    base_url: http://127.0.0.1:11434/v1\n    model: qwen3:8b\n    local: true      # costs nothing\n    context: 32768   # tokens\n" +
				"  - name: cloud\n    base_url: https://api.openai.com/v1\n    model: gpt-4o-mini\n    api_key: sk-…\n    price: {input: 0.00015, output: 0.0006}\n"},
		{name: "prices", field: &c.Prices,
			doc:    "USD per 1,000 tokens, by model name. What is written here is added to the built-in table; prices change.",
			sample: "prices:\n  gpt-4o-mini: {input: 0.00015, output: 0.0006}\n"},
		{name: "modes", field: &c.Modes,
			doc: "Changes to the modes, and further ones: what a conversation in a mode has of tools and workflows, and which model answers. " +
				"\"chatterbox mode list\" shows them all.",
			sample: "modes:\n" +
				"  - name: HOME\n    tools: [lights, media, scenes, where_am_i]   # '*' is every tool\n    idle: 300s                                  # 10s to 1h, then back to conversation.mode\n" +
				"  - name: WORKSHOP\n    aliases: [garage]\n    tools: [lights]\n    workflows: [reminder]\n    model: local                                # or cloud, or a model's name\n    prompt: Measures are in millimetres.\n"},
	}
}

func conversationKeys(c *Config) []key {
	return []key{
		{name: "conversation.name", field: &c.Conversation.Name, doc: "What the assistant is called."},
		{name: "conversation.mode", field: &c.Conversation.Mode,
			doc: "Mode in which a conversation starts, in capitals: AUTO, HOME, RECEPTIONIST, COMMS, SECURITY, CHAT, or one of modes."},
		{name: "conversation.strategy", field: &c.Conversation.Strategy,
			oneOf: []string{"auto", "bare", "loop", "routed", "workflow"},
			doc:   "Which parts take a turn; anything but auto is for measurements."},
		{name: "conversation.max_history_turns", field: &c.Conversation.MaxHistoryTurns, max: 1000,
			doc: "Earlier turns that the model reads."},
		{name: "conversation.max_iterations", field: &c.Conversation.MaxIterations, min: 1, max: 100,
			doc: "Model requests of one turn."},
		{name: "conversation.max_calls", field: &c.Conversation.MaxCalls, min: 1, max: 1000,
			doc: "Tool calls of one turn."},
		{name: "conversation.result_max_bytes", field: &c.Conversation.ResultMaxBytes, min: 1 << 10, max: 16 << 20,
			doc: "Size of one tool result as the model reads it; a longer one is cut and says so."},
		{name: "conversation.answer_max_bytes", field: &c.Conversation.AnswerMaxBytes, min: 1 << 10, max: 16 << 20,
			doc: "Size of one answer."},
		{name: "conversation.max_tokens", field: &c.Conversation.MaxTokens, max: 1e9,
			doc: "Tokens of one turn, over all its model requests.", empty: "no limit"},
		{name: "conversation.max_cost_usd", field: &c.Conversation.MaxCostUSD, max: 1e9,
			doc: "Money that one turn may cost.", empty: "no limit"},
		{name: "conversation.turn_timeout", field: &c.Conversation.TurnTimeout, max: 3600 * seconds,
			doc: "How long a turn may take in all.", empty: "60s, or 160s with a model on this machine or network"},
		{name: "conversation.queue_max", field: &c.Conversation.QueueMax, max: 1000,
			doc: "Turns of one conversation that wait while one runs; more are answered with HTTP 429."},
		{name: "conversation.approval_expiry", field: &c.Conversation.ApprovalExpiry, min: seconds, max: day,
			doc: "How long a question for approval waits for its yes."},
		{name: "conversation.auto_create_conversation_id", field: &c.Conversation.AutoCreateConversationID,
			doc: "Give a request without a conversation_id a new one. Otherwise it is answered and forgotten."},
		{name: "conversation.system_prompt", field: &c.Conversation.SystemPrompt,
			doc: "What the model is told before anything else.", empty: "the built-in one"},
		{name: "conversation.wording", field: &c.Conversation.Wording, oneOf: []string{"template", "model"},
			doc: "Who words the answer to a command that ran by rule. A template answers at once; a model may word the result anew, " +
				"which costs a request, and is overruled where it is late or contradicts the facts."},
		{name: "conversation.phrase", field: &c.Conversation.Phrase, oneOf: []string{"template", "model"},
			doc: "Who words the answers of workflows. A template answers at once and always in the same words; a model may word it anew, " +
				"which costs a request per turn, and is overruled where it is late or contradicts the facts."},
		{name: "conversation.phrase_timeout", field: &c.Conversation.PhraseTimeout, min: 0.1 * seconds,
			max: 60 * seconds, doc: "How long a model may take to word an answer."},
		{name: "history.ttl", field: &c.History.TTL, max: 100 * year,
			doc: "How long a conversation is kept after its last turn, such as 720h.", empty: "until it is deleted"},
	}
}

func toolKeys(c *Config) []key {
	return []key{
		{name: "tools.builtin", field: &c.Tools.Builtin,
			doc: "Have the tools that come with the product; without them those of tools.dir are all."},
		{name: "tools.dir", field: &c.Tools.Dir, doc: "Folder with further tools (.wasm files).",
			empty: "the folder tools below data"},
		{name: "tools.timeout", field: &c.Tools.Timeout, min: 0.001 * seconds, max: 3600 * seconds,
			doc: "How long one tool call may take."},
		{name: "tools.retries", field: &c.Tools.Retries, max: 10,
			doc: "How often a tool that only reads is called again after a time-out."},
		{name: "tools.workers", field: &c.Tools.Workers, min: 1, max: 64, doc: "Tool calls that run at once."},
		{name: "tools.max_offered", field: &c.Tools.MaxOffered, min: 1, max: 1000,
			doc: "Tools that a model is offered at once; of more, those that fit what was said."},
		{name: "tools.shared", field: &c.Tools.Shared,
			doc:    "Tools that belong to every mode.",
			sample: "shared: [get_weather, get_current_datetime, get_location]\n"},
		{name: "tools.per_minute", field: &c.Tools.PerMinute, max: 1e6,
			doc: "Calls per minute of each tool that is not built in; 0 is no limit."},
		{name: "tools.weather.geocoding_url", field: &c.Tools.Weather.GeocodingURL, doc: "Endpoint that finds places.",
			empty: "https://geocoding-api.open-meteo.com/v1/search"},
		{name: "tools.weather.forecast_url", field: &c.Tools.Weather.ForecastURL,
			doc: "Endpoint that knows the weather.", empty: "https://api.open-meteo.com/v1/forecast"},
		{name: "tools.calendar.url", field: &c.Tools.Calendar.URL,
			doc:   "CalDAV calendar for appointments, such as https://dav.example.org/anna/home/.",
			empty: "the built-in one, at /dav"},
		{name: "tools.calendar.people_url", field: &c.Tools.Calendar.PeopleURL,
			doc:   "Folder with the calendars of other people, each under its name in small letters.",
			empty: "those beside the built-in one"},
		{name: "tools.calendar.user", field: &c.Tools.Calendar.User, doc: "User name for that server.", empty: "none"},
		{name: "tools.calendar.password", field: &c.Tools.Calendar.Password, secret: true,
			doc: "Password for that server.", empty: "none"},
		{name: "tools.customers.url", field: &c.Tools.Customers.URL,
			doc:   "CardDAV address book with the customers, such as https://dav.example.org/anna/contacts/.",
			empty: "customers.csv in the data folder"},
		{name: "tools.customers.user", field: &c.Tools.Customers.User, doc: "User name for that server.",
			empty: "none"},
		{name: "tools.customers.password", field: &c.Tools.Customers.Password, secret: true,
			doc: "Password for that server.", empty: "none"},
		{name: "tools.home.url", field: &c.Tools.Home.URL,
			doc:   "Home Assistant for lights, music, scenes and cameras, such as http://homeassistant.local:8123.",
			empty: "none"},
		{name: "tools.home.token", field: &c.Tools.Home.Token, secret: true,
			doc: "Long-lived access token for it, made on the page of a user's profile.", empty: "none"},
		{name: "tools.home.location", field: &c.Tools.Home.Location,
			doc: "Where the house is, such as \"Kansas City, Missouri\".", empty: "what Home Assistant says"},
		{name: "worker.command", field: &c.Worker.Command,
			doc:   "Program and arguments that start a worker, for emulators. Not taken from a file that is only found in the working folder.",
			empty: "this program"},
		{name: "cache.ttl", field: &c.Cache.TTL, max: year,
			doc: "How long a tool's result may be reused, for tools that allow it without naming a time."},
		{name: "cache.max_bytes", field: &c.Cache.MaxBytes, max: 1 << 40,
			doc: "Size of the cache of tool results; 0 switches it off."},
	}
}

func serverKeys(c *Config) []key {
	return []key{
		{name: "server.hosts", field: &c.Server.Hosts,
			doc:   "Further names by which this server may be addressed (Host header).",
			empty: "loopback names, addresses, and the own host name"},
		{name: "server.origins", field: &c.Server.Origins,
			doc:   "Further web origins that may call this server, such as https://home.example.",
			empty: "the same origin"},
		{name: "server.trusted_proxies", field: &c.Server.TrustedProxies,
			doc: "Addresses and networks of proxies in front, such as 192.168.1.2 or 172.30.32.0/23. A request that comes through one " +
				"counts for the client that it names in X-Forwarded-For or Forwarded; from anybody else these headers mean nothing.", empty: "none"},
		{name: "server.body_max_bytes", field: &c.Server.BodyMaxBytes, min: 1 << 10, max: 64 << 20,
			doc: "Size of one request body."},
		{name: "server.max_connections", field: &c.Server.MaxConnections, min: 1, max: 1e6,
			doc: "Connections at once."},
		{name: "server.max_connections_per_client", field: &c.Server.MaxConnectionsPerClient, min: 1, max: 1e6,
			doc: "Connections at once of one client on another machine."},
		{name: "server.stop_timeout", field: &c.Server.StopTimeout, max: 3600 * seconds,
			doc: "How long running turns may finish when the server stops."},
		{name: "wyoming.listen", later: true, field: &c.Wyoming.Listen,
			doc: "Address and port of the voice pipeline's TCP protocol.", empty: "off"},
		{name: "log.level", field: &c.Log.Level, oneOf: []string{"debug", "info", "warn", "error"},
			doc: "What is logged: debug adds tool calls and their arguments."},
		{name: "log.format", field: &c.Log.Format, oneOf: []string{"text", "json"}, doc: "How it is written."},
	}
}

// member is one key of a list's item.
type member struct {
	name, doc string
	required  bool
	field     any // a pointer
}

// members are the fields of an item, which is a pointer to a struct with tags.
func members(item any) []member {
	value := reflect.ValueOf(item).Elem()
	all := make([]member, value.NumField())
	for i := range all {
		tag := value.Type().Field(i).Tag
		all[i] = member{tag.Get("key"), tag.Get("doc"), tag.Get("required") != "", value.Field(i).Addr().Interface()}
	}
	return all
}

// keyNamed is the key over c.
func keyNamed(c *Config, name string) (key, bool) {
	for _, k := range keys(c) {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

// isSection says whether keys stand below name.
func isSection(name string) bool {
	for _, k := range keys(&Config{}) {
		if strings.HasPrefix(k.name, name+".") {
			return true
		}
	}
	return false
}

// isSecret says whether the value at this dotted name must not be shown.
func isSecret(name string) bool {
	if k, ok := keyNamed(&Config{}, name); ok {
		return k.secret
	}
	return strings.HasSuffix(name, ".api_key") || name == "models"
}

// names lists every key and every section.
func names() []string {
	var all []string
	seen := map[string]bool{}
	for _, k := range keys(&Config{}) {
		if section := k.section(); section != "" && !seen[section] {
			seen[section] = true
			all = append(all, section)
		}
		all = append(all, k.name)
	}
	return all
}
