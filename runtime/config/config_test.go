package config_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"chatterbox/runtime/config"
)

func TestTheDefaultsAreValidAndThoseOfTheManual(t *testing.T) {
	c := config.Default()
	if err := config.Validate(c); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"listen": "127.0.0.1:8765", "llm.max_wait": "3s", "llm.between_tokens_timeout": "15s",
		"conversation.max_history_turns": 20, "conversation.max_iterations": 10, "conversation.max_calls": 16,
		"conversation.queue_max": 4, "conversation.result_max_bytes": "64KiB", "conversation.mode": "AUTO",
		"conversation.auto_create_conversation_id": true, "tools.timeout": "30s", "tools.retries": 0,
		"tools.workers": 4, "tools.max_offered": 12, "tools.per_minute": 30, "cache.ttl": "5m",
		"server.body_max_bytes": "256KiB", "llm.requests_per_minute": 0, "timezone": "", "wyoming.listen": "",
	}
	for _, value := range (config.Loaded{Config: c}).Values() {
		if expected, ok := want[value.Key]; ok && value.Value != expected {
			t.Errorf("%s is %v, want %v", value.Key, value.Value, expected)
		}
		delete(want, value.Key)
	}
	if len(want) > 0 {
		t.Errorf("no such keys: %v", want)
	}
	if c.FirstTokenTimeout(false) != 20*time.Second || c.FirstTokenTimeout(true) != 120*time.Second {
		t.Error("the time to the first token is not 20 s, or 120 s nearby")
	}
	if c.TurnTimeout(false) != time.Minute || c.TurnTimeout(true) != 160*time.Second {
		t.Error("a turn's time is not 60 s, or longer by what a near model may need to load")
	}
	c.LLM.FirstToken, c.Conversation.TurnTimeout = 7*time.Second, 8*time.Second
	if c.FirstTokenTimeout(true) != 7*time.Second || c.TurnTimeout(true) != 8*time.Second {
		t.Error("a configured time does not win over the automatic one")
	}
}

func TestDefaultsAreNotShared(t *testing.T) {
	config.Default().Prices["gpt-4o"] = config.Price{}
	if config.Default().Prices["gpt-4o"].Input == 0 {
		t.Error("changing one default changed the next")
	}
}

func TestParse(t *testing.T) {
	text := `
listen: 192.168.1.2:9000  # the kitchen
timezone: Asia/Tokyo
auth:
  token: 00123
llm:
conversation:
  max_history_turns: 3
  system_prompt: |
    Be brief.
    Be kind.
  turn_timeout: 1m30s
tools:
  weather:
    forecast_url: http://127.0.0.1:1/v1/forecast
cache:
  max_bytes: 64MiB
server:
  hosts: [box.home, "other.home"]
models:
  - {base_url: "http://127.0.0.1:11434/v1", model: qwen3, local: true, context: 4096}
  - name: cloud
    base_url: https://api.openai.com/v1
    model: gpt-4o
    api_key: sk-1
    price: {input: 1, output: .5}
prices:
  mine: {input: 0.1, output: 0.2}
`
	c, err := config.Parse("chatterbox.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Listen, want.Timezone, want.Auth.Token = "192.168.1.2:9000", "Asia/Tokyo", "00123"
	want.Conversation.MaxHistoryTurns, want.Conversation.SystemPrompt = 3, "Be brief.\nBe kind.\n"
	want.Conversation.TurnTimeout = 90 * time.Second
	want.Tools.Weather.ForecastURL = "http://127.0.0.1:1/v1/forecast"
	want.Cache.MaxBytes = 64 << 20
	want.Server.Hosts = []string{"box.home", "other.home"}
	want.Models = []config.Model{
		{BaseURL: "http://127.0.0.1:11434/v1", Model: "qwen3", Local: true, Context: 4096},
		{Name: "cloud", BaseURL: "https://api.openai.com/v1", Model: "gpt-4o", APIKey: "sk-1", Price: &config.Price{Input: 1, Output: .5}},
	}
	want.Prices["mine"] = config.Price{Input: .1, Output: .2}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	if err := config.Validate(c); err != nil {
		t.Error(err)
	}
	if list := c.ModelList(); len(list) != 2 || list[1].Name != "cloud" {
		t.Errorf("models %+v", list)
	}
}

func TestEmptyTextIsTheDefault(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "\ufeff", "llm:\nauth:\n", "llm: {}\n"} {
		c, err := config.Parse("f", []byte(text))
		if err != nil || !reflect.DeepEqual(c, config.Default()) {
			t.Errorf("%q: %v, %+v", text, err, c)
		}
	}
}

func TestTheShortFormIsAListOfOne(t *testing.T) {
	c := config.Default()
	if len(c.ModelList()) != 0 {
		t.Error("there is a model without configuration")
	}
	c.LLM.BaseURL, c.LLM.Model, c.LLM.APIKey = "http://127.0.0.1:1/v1", "m", "k"
	want := []config.Model{{Name: "m", BaseURL: "http://127.0.0.1:1/v1", Model: "m", APIKey: "k"}}
	if got := c.ModelList(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestEveryMistakeIsReportedWithItsPlace(t *testing.T) {
	text := "listn: 127.0.0.1:80\nllm:\n  max_wait: 3\n  modle: x\ncache:\n  max_bytes: lots\nauth: yes\ntools:\n  workers: many\n"
	_, err := config.Parse("chatterbox.yaml", []byte(text))
	want := `chatterbox.yaml:1:1: unknown key "listn"; did you mean "listen"?
    1 | listn: …
      | ^
chatterbox.yaml:3:13: llm.max_wait: must be a time with its unit, such as 1s, 90s, 5m or 720h
    3 |   max_wait: 3
      |             ^
chatterbox.yaml:4:3: unknown key "llm.modle"; did you mean "llm.model"?
    4 |   modle: …
      |   ^
chatterbox.yaml:6:14: cache.max_bytes: must be a size in bytes, such as 65536 or 64KiB
    6 |   max_bytes: lots
      |              ^
chatterbox.yaml:7:7: auth must be a section: keys with their values, one per line
    7 | auth: …
      |       ^
chatterbox.yaml:9:12: tools.workers: must be a whole number
    9 |   workers: many
      |            ^`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if typed, ok := errors.AsType[*config.Error](err); !ok || len(typed.Mistakes) != 6 {
		t.Errorf("not six mistakes: %#v", err)
	}
}

func TestWhatIsWrongWithAFile(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"a key of another section":      {"max_bytes: 1\n", `did you mean "cache.max_bytes"?`},
		"a dotted key":                  {"llm.model: x\n", `write model indented below llm:`},
		"an unknown section":            {"convrsation:\n  name: x\n", `did you mean "conversation"?`},
		"nothing like any key":          {"zzzzzz: 1\n", `unknown key "zzzzzz"`},
		"no value":                      {"listen:\n", "listen: has no value"},
		"a section where a value goes":  {"listen: {a: 1}\n", "listen: must be one value"},
		"a value where a list goes":     {"server:\n  hosts: a\n", "server.hosts: must be a list"},
		"a value where models go":       {"models: gpt\n", "models: must be a list of models"},
		"an unknown key of a model":     {"models:\n  - {base: x}\n", `unknown key "base" in models[0]; did you mean "base_url"?`},
		"a bad value of a model":        {"models:\n  - {local: 7}\n", "models[0].local: must be true or false"},
		"a price that is no section":    {"prices: {a: 1}\n", "prices.a: must be {input"},
		"a top level list":              {"- a\n", "the file must be a section"},
		"two documents":                 {"listen: a:1\n---\nlisten: b:1\n", "only one YAML document"},
		"a key twice":                   {"listen: a:1\nlisten: b:1\n", "already defined"},
		"a tab":                         {"llm:\n\tmodel: x\n", "f:2:1"},
		"an open quote":                 {"listen: 'x\n", "f:1:9"},
		"an alias":                      {"listen: &a x:1\ndata: *a\n", "data: anchors, aliases and tags"},
		"a tag":                         {"listen: !!str x\n", "listen: anchors, aliases and tags"},
		"a merge key":                   {"<<: {listen: x}\n", `unknown key "<<"`},
		"not UTF-8":                     {"listen: a\nname: \xff\n", "line 2 is not UTF-8"},
		"too large":                     {strings.Repeat("#\n", 40<<10), "larger than"},
		"brackets nested too deeply":    {strings.Repeat("[", 1<<15), "nested too deeply"},
		"lists nested too deeply":       {strings.Repeat("- ", 1<<15), "nested too deeply"},
		"a number beyond every machine": {"tools:\n  workers: 99999999999\n", "must be a whole number"},
		"a size beyond every disk":      {"cache:\n  max_bytes: 99999999999GiB\n", "must be a size"},
		"infinity":                      {"llm:\n  budget_usd: .inf\n", "must be a number"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := config.Parse("f", []byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestValidateReportsAllAtOnceAndChangesNothing(t *testing.T) {
	c := config.Default()
	c.Listen, c.Timezone, c.Log.Level, c.Tools.Workers = "0.0.0.0:80", "Mars/Olympus", "chatty", 0
	c.LLM.MaxWait = -time.Second
	before := c
	err := config.Validate(c)
	for _, want := range []string{
		"listen: 0.0.0.0:80 can be reached from other machines, so auth.token must be set; head -c 32 /dev/urandom | base64 makes one",
		`timezone: "Mars/Olympus" is not`, `log.level: must be debug, info, warn or error, not "chatty"`,
		"tools.workers: must be between 1 and 64, not 0", "llm.max_wait: must be between 0s and 1h, not -1s",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	if !reflect.DeepEqual(c, before) {
		t.Error("Validate changed the configuration")
	}
}

func TestValidate(t *testing.T) {
	model := config.Model{BaseURL: "http://h/v1", Model: "m"}
	tests := map[string]struct {
		change func(*config.Config)
		want   string // "" is valid
	}{
		"localhost needs no token":             {func(c *config.Config) { c.Listen = "localhost:1" }, ""},
		"IPv6 loopback needs no token":         {func(c *config.Config) { c.Listen = "[::1]:1" }, ""},
		"any port of loopback will do":         {func(c *config.Config) { c.Listen = "127.9.9.9:0" }, ""},
		"all addresses need a token":           {func(c *config.Config) { c.Listen = ":8765" }, "auth.token must be set"},
		"all IPv6 addresses need one too":      {func(c *config.Config) { c.Listen = "[::]:8765" }, "auth.token must be set"},
		"a host name may be any address":       {func(c *config.Config) { c.Listen = "box.home:1" }, "auth.token must be set"},
		"with a token all is well":             {func(c *config.Config) { c.Listen, c.Auth.Token = ":1", "a+/=" }, ""},
		"a token with a space":                 {func(c *config.Config) { c.Auth.Token = "a b" }, "auth.token: may only have ASCII"},
		"no port":                              {func(c *config.Config) { c.Listen = "127.0.0.1" }, "listen: must be an address and a port"},
		"a port by name":                       {func(c *config.Config) { c.Listen = "127.0.0.1:http" }, "the port must be a number"},
		"a port too large":                     {func(c *config.Config) { c.Listen = "127.0.0.1:65536" }, "the port must be a number"},
		"both forms of models":                 {func(c *config.Config) { c.LLM.Model, c.Models = "m", []config.Model{model} }, "not both"},
		"a model without URL":                  {func(c *config.Config) { c.LLM.Model = "m" }, "llm.base_url: must be set"},
		"a URL without model":                  {func(c *config.Config) { c.LLM.BaseURL = "http://h/v1" }, "llm.model: must be set"},
		"a URL without scheme":                 {func(c *config.Config) { c.LLM.BaseURL, c.LLM.Model = "localhost:11434", "m" }, "must be a URL that begins"},
		"the whole endpoint as base":           {func(c *config.Config) { c.LLM.BaseURL, c.LLM.Model = "http://h/v1/chat/completions/", "m" }, "leave out /chat/completions"},
		"two models of one name":               {func(c *config.Config) { c.Models = []config.Model{model, model} }, `two models are called "m"`},
		"an empty model":                       {func(c *config.Config) { c.Models = []config.Model{{}} }, "models[0] needs a base_url"},
		"a negative price":                     {func(c *config.Config) { c.Prices["x"] = config.Price{Input: -1} }, "the price of x must not be negative"},
		"an API key that would split a header": {func(c *config.Config) { c.LLM.APIKey = "a\r\nb" }, "llm.api_key: an API key may not"},
		"a host with a port":                   {func(c *config.Config) { c.Server.Hosts = []string{"a:1"} }, "server.hosts"},
		"an origin with a path":                {func(c *config.Config) { c.Server.Origins = []string{"https://a/b"} }, "server.origins"},
		"a proxy by name":                      {func(c *config.Config) { c.Server.TrustedProxies = []string{"proxy.home"} }, "server.trusted_proxies"},
		"an IPv4 proxy written as IPv6":        {func(c *config.Config) { c.Server.TrustedProxies = []string{"::ffff:10.0.0.1"} }, "server.trusted_proxies"},
		"everybody a proxy":                    {func(c *config.Config) { c.Server.TrustedProxies = []string{"::/0"} }, "would believe everybody"},
		"proxies":                              {func(c *config.Config) { c.Server.TrustedProxies = []string{"10.0.0.1", "172.30.32.5/23", "fd00::/8"} }, ""},
		"an origin":                            {func(c *config.Config) { c.Server.Origins = []string{"https://a:8"} }, ""},
		"a mode in small letters":              {func(c *config.Config) { c.Conversation.Mode = "Home" }, "conversation.mode: must be AUTO"},
		"a mode of one's own": {func(c *config.Config) {
			c.Conversation.Mode, c.Modes = "KIDS", []config.Mode{{Name: "kids", Idle: time.Hour}}
		}, ""},
		"a mode of two words":                   {func(c *config.Config) { c.Modes = []config.Mode{{Name: "living room"}} }, "modes[0].name must be one word"},
		"two modes of one name":                 {func(c *config.Config) { c.Modes = []config.Mode{{Name: "a"}, {Name: "A"}} }, "two entries are called A"},
		"an alias of two words":                 {func(c *config.Config) { c.Modes = []config.Mode{{Name: "a", Aliases: []string{"b c"}}} }, `"b c" must be one word`},
		"a mode left at once":                   {func(c *config.Config) { c.Modes = []config.Mode{{Name: "a", Idle: time.Second}} }, "modes[0].idle must be between 10s and 1h, not 1s"},
		"a country in words":                    {func(c *config.Config) { c.Country = "Germany" }, "country: must be two capitals"},
		"a name of nothing":                     {func(c *config.Config) { c.Conversation.Name = " " }, "conversation.name"},
		"a home that is no URL":                 {func(c *config.Config) { c.Tools.Home = config.Home{URL: "ha", Token: "t"} }, "tools.home.url"},
		"a home without a token":                {func(c *config.Config) { c.Tools.Home.URL = "http://ha:8123" }, "tools.home.token"},
		"a token without a home":                {func(c *config.Config) { c.Tools.Home.Token = "t" }, "tools.home.token"},
		"a place of the house with a line":      {func(c *config.Config) { c.Tools.Home.Location = "a\nb" }, "tools.home.location"},
		"a weather endpoint that is no URL":     {func(c *config.Config) { c.Tools.Weather.ForecastURL = "x" }, "tools.weather.forecast_url"},
		"the voice protocol at a strange place": {func(c *config.Config) { c.Wyoming.Listen = "x" }, "wyoming.listen"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			test.change(&c)
			err := config.Validate(c)
			if (test.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
