package toolbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// This file reads manifests: MCP's Tool and what a tool asks for. An unknown field or a bad value refuses the whole
// file, because a right that was misspelled is not the right that was meant.

// Manifest is what one tool says of itself and asks for.
type Manifest struct {
	Name         string            `json:"name" max:"64"`
	Title        string            `json:"title,omitempty" max:"128"`
	Description  string            `json:"description,omitempty" max:"4096"`
	InputSchema  json.RawMessage   `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage   `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage   `json:"annotations,omitempty"`
	Asks         Rights            `json:"asks" inline:"true"`
	Limits       Limits            `json:"limits"`
	Env          map[string]string `json:"env,omitempty" max:"64"`
	Undo         *Undo             `json:"undo,omitempty"`
	Settings     []Setting         `json:"settings,omitempty" max:"32"`
	Cache        *Cache            `json:"cache,omitempty"` // nil: no result is reused
}

// Limits bound a tool's calls. Zero, or nil, is the toolbox's default.
type Limits struct {
	MemoryPages uint32        `json:"memory_pages,omitempty" in:"1,2048"` // of 64 KiB
	Wall        time.Duration `json:"wall_ms,omitempty" in:"1,600000"`
	Input       int           `json:"input,omitempty" in:"1,1048576"` // bytes
	Output      int           `json:"output,omitempty" in:"1,1048576"`
	Log         int           `json:"log,omitempty" in:"1,262144"`
	HTTPCalls   *int          `json:"http_calls,omitempty" in:"0,64"` // may be 0
	Concurrency int           `json:"concurrency,omitempty" in:"1,64"`
	PerMinute   int           `json:"per_minute,omitempty" in:"1,6000"`
}

// Cache is how long a result may be reused.
type Cache struct {
	TTL string `json:"ttl,omitempty" max:"32"` // as long as the toolbox says where it is empty
	ttl time.Duration
}

const (
	manifestBytesMax = 256 << 10
	nameBytesMax     = 64
	envBytesMax      = 4 << 10
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
	var alone struct {
		Manifest
		Serve string `json:"serve" of:"mcp"`
	}
	if err := (decoder{}).decode("", data, &alone); err != nil {
		return nil, err
	}
	manifests := []Manifest{alone.Manifest}
	return manifests, validateUndo(manifests, func(int) string { return "undo" })
}

func parseSeveral(data []byte) ([]Manifest, error) {
	var written struct {
		Serve string     `json:"serve" of:"mcp"`
		Tools []Manifest `json:"tools" max:"64"`
	}
	if err := (decoder{}).decode("", data, &written); err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for i, manifest := range written.Tools {
		if other, twice := seen[foldName(manifest.Name)]; twice {
			return nil, fieldError(fmt.Sprintf("tools[%d].name", i), fmt.Sprintf("%q is too like %q", manifest.Name, other))
		}
		seen[foldName(manifest.Name)] = manifest.Name
	}
	return written.Tools, validateUndo(written.Tools, func(i int) string { return fmt.Sprintf("tools[%d].undo", i) })
}

const letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "0123456789"

// isToolName says whether every model server takes name as a function's, and no command as a flag.
func isToolName(name string) bool {
	return name != "" && name[0] != '-' && len(name) <= nameBytesMax && strings.Trim(name, letters+digits+"_-") == ""
}

func (m *Manifest) check(path string) error {
	m.Asks = m.Asks.withDefaults()
	switch {
	case m.Name == "":
		return fieldError(join(path, "name"), "is missing")
	case !isToolName(m.Name):
		return fieldError(join(path, "name"), fmt.Sprintf("%q: a name has 1 to 64 letters, digits, _ and -, and does not begin with -", m.Name))
	case m.Description == "":
		return fieldError(join(path, "description"), "is missing: the model chooses by it")
	case m.Cache != nil && m.Asks.Effects != Read:
		return fieldError(join(path, "cache"), "is only for tools whose effects are read")
	case m.Cache != nil && m.Asks.KV.Scope == PerConversation:
		return fieldError(join(path, "cache"), "is not for tools that keep values per conversation: all would read the first one's")
	}
	if len(m.Asks.Deliver) > 0 && m.Asks.Effects == Read {
		return fieldError(join(path, "deliver"),
			"is only for tools whose effects are write or irreversible: a message that is sent stays sent")
	}
	for name, value := range m.Env {
		if !isEnvName(name) || len(value) > envBytesMax || strings.ContainsRune(value, 0) {
			return fieldError(join(path, "env."+name),
				fmt.Sprintf("must be a name of letters, digits and _ with at most %d bytes", envBytesMax))
		}
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

func isEnvName(name string) bool {
	return name != "" && len(name) <= nameBytesMax && strings.Trim(name, letters+digits+"_") == "" &&
		!strings.Contains(digits, name[:1])
}

func (c *Cache) check(path string) (err error) {
	if c.TTL == "" {
		return nil
	}
	c.ttl, err = time.ParseDuration(c.TTL)
	if err != nil || c.ttl <= 0 || c.ttl > 30*24*time.Hour {
		return fieldError(join(path, "ttl"), `must be a duration such as "300s", at most 720h`)
	}
	return nil
}
