package toolbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatterbox/runtime/egress"
)

// This file reads manifests: MCP's Tool and what a tool asks for. An unknown field or a bad value refuses the whole file,
// because a right that was misspelled is not the right that was meant.

// Manifest is what one tool says of itself and asks for.
type Manifest struct {
	Name         string            `json:"name"`
	Title        string            `json:"title,omitempty"`
	Description  string            `json:"description,omitempty"`
	InputSchema  json.RawMessage   `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage   `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage   `json:"annotations,omitempty"`
	Asks         Rights            `json:"asks"`
	Limits       Limits            `json:"limits"`
	Env          map[string]string `json:"env,omitempty"`
	Undo         *Undo             `json:"undo,omitempty"`
	Settings     []Setting         `json:"settings,omitempty"`
	// Cache is how long a result may be reused: nil is never, 0 as long as the toolbox says.
	Cache *time.Duration `json:"cache,omitempty"`
}

// Limits bound a tool's calls. Zero, or nil, is the toolbox's default.
type Limits struct {
	MemoryPages uint32        `json:"memory_pages,omitempty"` // of 64 KiB
	Wall        time.Duration `json:"wall,omitempty"`
	Input       int           `json:"input,omitempty"` // bytes
	Output      int           `json:"output,omitempty"`
	Log         int           `json:"log,omitempty"`
	HTTPCalls   *int          `json:"http_calls,omitempty"` // may be 0
	Concurrency int           `json:"concurrency,omitempty"`
	PerMinute   int           `json:"per_minute,omitempty"`
}

const (
	manifestBytesMax    = 256 << 10
	nameBytesMax        = 64
	toolsPerModuleMax   = 64
	titleBytesMax       = 128
	descriptionBytesMax = 4 << 10
	rulesMax            = 32
	envMax              = 64
	envBytesMax         = 4 << 10
)

// ParseManifest reads the manifest of a module, which may carry several tools.
func ParseManifest(data []byte) ([]Manifest, error) {
	if len(data) > manifestBytesMax {
		return nil, fmt.Errorf("the manifest has %d bytes, %d are allowed", len(data), manifestBytesMax)
	}
	var (
		several struct {
			Tools json.RawMessage `json:"tools"`
		}
		wrong *json.SyntaxError
	)
	switch err := json.Unmarshal(data, &several); {
	case errors.As(err, &wrong):
		return nil, errors.New("the manifest is not JSON")
	case err == nil && several.Tools != nil:
		return parseSeveral(data)
	}
	manifest, err := parseTool("", data, true)
	if err != nil {
		return nil, err
	}
	manifests := []Manifest{manifest}
	return manifests, validateUndo(manifests, func(int) string { return "undo" })
}

func parseSeveral(data []byte) ([]Manifest, error) {
	var manifests []Manifest
	seen := map[string]string{}
	var serve string
	err := fields{
		"serve": oneOf(&serve, "mcp"),
		"tools": list(toolsPerModuleMax, func(path string, raw json.RawMessage) error {
			manifest, err := parseTool(path, raw, false)
			if err != nil {
				return err
			}
			if other, twice := seen[foldName(manifest.Name)]; twice {
				return fieldError(path+".name", fmt.Sprintf("%q is too like %q", manifest.Name, other))
			}
			seen[foldName(manifest.Name)] = manifest.Name
			manifests = append(manifests, manifest)
			return nil
		}),
	}.decode("", data)
	if err == nil {
		err = validateUndo(manifests, func(i int) string { return fmt.Sprintf("tools[%d].undo", i) })
	}
	return manifests, err
}

// parseTool reads one tool. alone says that nothing stands around it.
func parseTool(path string, raw json.RawMessage, alone bool) (Manifest, error) {
	m := Manifest{}
	var serve string
	known := fields{
		"name":         text(&m.Name, 64),
		"title":        text(&m.Title, titleBytesMax),
		"description":  text(&m.Description, descriptionBytesMax),
		"inputSchema":  object(&m.InputSchema),
		"outputSchema": object(&m.OutputSchema),
		"annotations":  object(&m.Annotations),
		"effects":      oneOf(&m.Asks.Effects, Read, Write, Irreversible),
		"confirm":      oneOf(&m.Asks.Confirm, Never, First, Always),
		"limits":       m.Limits.decode,
		"net":          list(rulesMax, m.Asks.decodeNet),
		"secrets":      list(rulesMax, m.Asks.decodeSecret),
		"kv":           m.Asks.decodeKV,
		"deliver":      list(rulesMax, m.Asks.decodeDelivery),
		"env":          m.decodeEnv,
		"cache":        m.decodeCache,
		"undo":         m.decodeUndo,
		"settings":     list(rulesMax, m.decodeSetting),
	}
	if alone {
		known["serve"] = oneOf(&serve, "mcp")
	}
	if err := known.decode(path, raw); err != nil {
		return Manifest{}, err
	}
	m.Asks = m.Asks.withDefaults()
	return m, m.validate(path)
}

const letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "0123456789"

// isToolName says whether every model server takes name as a function's, and no command as a flag.
func isToolName(name string) bool {
	return name != "" && name[0] != '-' && len(name) <= nameBytesMax && strings.Trim(name, letters+digits+"_-") == ""
}

func (m *Manifest) validate(path string) error {
	switch {
	case m.Name == "":
		return fieldError(join(path, "name"), "is missing")
	case !isToolName(m.Name):
		return fieldError(join(path, "name"), fmt.Sprintf("%q: a name has 1 to 64 letters, digits, _ and -, and does not begin with -", m.Name))
	case m.Description == "":
		return fieldError(join(path, "description"), "is missing: the model chooses by it")
	case m.Cache != nil && m.Asks.Effects != Read:
		return fieldError(join(path, "cache"), "is only for tools whose effects are read")
	case m.Cache != nil && m.Asks.KVScope == PerConversation:
		return fieldError(join(path, "cache"), "is not for tools that keep values per conversation: all would read the first one's")
	}
	if len(m.Asks.Deliver) > 0 && m.Asks.Effects == Read {
		return fieldError(join(path, "deliver"), "is only for tools whose effects are write or irreversible: a message that is sent stays sent")
	}
	for field, words := range map[string]string{
		"title": m.Title, "description": m.Description, "inputSchema": schemaText(m.InputSchema),
	} {
		if r, found := hidden(words); found {
			return fieldError(join(path, field), fmt.Sprintf("has the character %U, which nobody sees", r))
		}
	}
	if m.InputSchema == nil {
		m.InputSchema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return nil
}

func (l *Limits) decode(path string, raw json.RawMessage) error {
	var wallMS int64
	httpCalls := -1
	err := fields{
		"memory_pages": number(&l.MemoryPages, 1, 2048),
		"wall_ms":      number(&wallMS, 1, 600_000),
		"input":        number(&l.Input, 1, 1<<20),
		"output":       number(&l.Output, 1, 1<<20),
		"log":          number(&l.Log, 1, 256<<10),
		"http_calls":   number(&httpCalls, 0, 64),
		"concurrency":  number(&l.Concurrency, 1, 64),
		"per_minute":   number(&l.PerMinute, 1, 6000),
	}.decode(path, raw)
	l.Wall = time.Duration(wallMS) * time.Millisecond
	if httpCalls >= 0 {
		l.HTTPCalls = &httpCalls
	}
	return err
}

func (r *Rights) decodeNet(path string, raw json.RawMessage) error { return r.addNet(path, raw, false) }

// decodeGrantedNet reads a rule of a grant, which alone can allow private addresses.
func (r *Rights) decodeGrantedNet(path string, raw json.RawMessage) error {
	return r.addNet(path, raw, true)
}

func (r *Rights) addNet(path string, raw json.RawMessage, granted bool) error {
	rule := NetRule{Methods: []string{"GET"}, Path: "*"}
	var timeoutMS int64
	var listed []string
	known := fields{
		"scheme": text(&rule.Scheme, 8),
		"host":   text(&rule.Host, 253),
		"port":   number(&rule.Port, 1, 65535),
		"methods": list(8, func(path string, raw json.RawMessage) error {
			var method string
			if err := text(&method, 16)(path, raw); err != nil {
				return err
			}
			listed = append(listed, method)
			return nil
		}),
		"path":           text(&rule.Path, 1024),
		"response_bytes": number(&rule.ResponseBytes, 1, 2<<20),
		"timeout_ms":     number(&timeoutMS, 1, 30_000),
	}
	if granted {
		known["private"] = yes(&rule.Private)
	}
	if err := known.decode(path, raw); err != nil {
		return err
	}
	if listed != nil {
		rule.Methods = listed
	}
	if rule.Port == 0 {
		rule.Port = map[string]int{"http": 80, "https": 443}[rule.Scheme]
	}
	rule.Timeout = time.Duration(timeoutMS) * time.Millisecond
	if err := egress.Rule(rule).Validate(); err != nil {
		return fieldError(path, "is not a rule: "+err.Error())
	}
	r.Net = append(r.Net, rule)
	return nil
}

func (r *Rights) decodeSecret(path string, raw json.RawMessage) error {
	var secret Secret
	err := fields{
		"ref": text(&secret.Ref, 64), "header": text(&secret.Header, 64), "only_to": text(&secret.OnlyTo, 253),
	}.decode(path, raw)
	switch {
	case err != nil:
	case secret.Ref == "" || secret.Header == "" || secret.OnlyTo == "":
		err = fieldError(path, "needs ref, header and only_to")
	case !isToolName(secret.Ref):
		err = fieldError(join(path, "ref"), "has 1 to 64 letters, digits, _ and -, and does not begin with -")
	default:
		if wrong := egress.ValidateSecret(secret.Header, secret.OnlyTo); wrong != nil {
			err = fieldError(path, "is not where a secret goes: "+wrong.Error())
		}
	}
	r.Secrets = append(r.Secrets, secret)
	return err
}

func (r *Rights) decodeKV(path string, raw json.RawMessage) error {
	err := fields{
		"quota": number(&r.KV, 1, 16<<20), "scope": oneOf(&r.KVScope, Shared, PerConversation),
	}.decode(path, raw)
	if err == nil && r.KV == 0 {
		err = fieldError(join(path, "quota"), "is missing")
	}
	return err
}

func (r *Rights) decodeDelivery(path string, raw json.RawMessage) error {
	var delivery Delivery
	err := fields{
		"channel": text(&delivery.Channel, 64),
		"recipients": list(rulesMax, func(path string, raw json.RawMessage) error {
			var recipient string
			if err := text(&recipient, 256)(path, raw); err != nil {
				return err
			}
			delivery.Recipients = append(delivery.Recipients, recipient)
			return nil
		}),
	}.decode(path, raw)
	if err == nil && (delivery.Channel == "" || delivery.Recipients == nil) {
		err = fieldError(path, "needs channel and recipients")
	}
	r.Deliver = append(r.Deliver, delivery)
	return err
}

func isEnvName(name string) bool {
	return name != "" && len(name) <= nameBytesMax && strings.Trim(name, letters+digits+"_") == "" && !strings.Contains(digits, name[:1])
}

func (m *Manifest) decodeEnv(path string, raw json.RawMessage) error {
	if json.Unmarshal(raw, &m.Env) != nil || len(m.Env) > envMax {
		return fieldError(path, fmt.Sprintf("must be an object of at most %d texts", envMax))
	}
	for name, value := range m.Env {
		if !isEnvName(name) || len(value) > envBytesMax || strings.ContainsRune(value, 0) {
			return fieldError(join(path, name), fmt.Sprintf("must be a name of letters, digits and _ with at most %d bytes", envBytesMax))
		}
	}
	return nil
}

func (m *Manifest) decodeCache(path string, raw json.RawMessage) error {
	var ttl string
	if err := (fields{"ttl": text(&ttl, 32)}).decode(path, raw); err != nil {
		return err
	}
	m.Cache = new(time.Duration)
	if ttl == "" {
		return nil
	}
	duration, err := time.ParseDuration(ttl)
	if err != nil || duration <= 0 || duration > 30*24*time.Hour {
		return fieldError(join(path, "ttl"), `must be a duration such as "300s", at most 720h`)
	}
	*m.Cache = duration
	return nil
}
