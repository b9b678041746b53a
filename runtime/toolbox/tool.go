package toolbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/worker"
)

// tool is one version of a tool, ready to be called. It does not change; a new version is another tool.
type tool struct {
	manifest Manifest
	file     string
	builtin  bool
	module   *module
	rights   Rights
	blocked  string // why it may not run; empty when it may
	env      map[string]string
	rules    []egress.Rule
	schema   func() (*schema, error) // compiled when it is first asked for
	digest   string
	limits   Limits // all set, but for PerMinute where 0 is none
	gate     *gate
}

// module is an admitted module, forgotten when the last that holds it lets go.
type module struct {
	known  worker.Module
	forget func()

	mu      sync.Mutex
	holders int // guarded by mu; 0 is forgotten
}

// hold keeps the module for a call; false when it is forgotten already.
func (m *module) hold() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holders == 0 {
		return false
	}
	m.holders++
	return true
}

func (m *module) release() {
	m.mu.Lock()
	m.holders--
	last := m.holders == 0
	m.mu.Unlock()
	if last {
		m.forget()
	}
}

// The limits of a tool that names none.
const (
	memoryPagesDefault = 256
	inputDefault       = 256 << 10
	outputDefault      = 64 << 10
	logDefault         = 16 << 10
	httpCallsDefault   = 8
	concurrencyDefault = 4
)

// newTool makes a tool of a manifest under the toolbox's options.
func (t *Toolbox) newTool(manifest Manifest, m *module, file string, builtin bool) (*tool, error) {
	compiled := sync.OnceValues(func() (*schema, error) { return compileSchema(manifest.InputSchema) })
	made := &tool{manifest: manifest, file: file, builtin: builtin, module: m, schema: compiled, env: manifest.Env}
	if builtin {
		t.configure(made)
	} else {
		if _, err := compiled(); err != nil {
			return nil, err
		}
		made.rights, made.blocked = permit(&manifest, m.known.Digest, t.approved)
		if len(manifest.Settings) > 0 {
			made.blocked = "asks for settings, which only a tool that comes with the product has"
		}
	}
	for _, rule := range made.rights.Net {
		made.rules = append(made.rules, egress.Rule(rule))
	}
	made.limits = t.limits(manifest.Limits, builtin)
	made.gate = newGate(made.limits.Concurrency, made.limits.PerMinute)
	made.digest = made.sum()
	return made, nil
}

func (t *Toolbox) limits(asked Limits, builtin bool) Limits {
	limits := asked
	limits.Wall = least(asked.Wall, t.options.Timeout)
	if !builtin {
		limits.PerMinute = least(asked.PerMinute, t.options.PerMinute)
	}
	orDefault(&limits.MemoryPages, memoryPagesDefault)
	orDefault(&limits.Input, inputDefault)
	orDefault(&limits.Output, outputDefault)
	orDefault(&limits.Log, logDefault)
	if limits.HTTPCalls == nil {
		limits.HTTPCalls = new(int)
		*limits.HTTPCalls = httpCallsDefault
	}
	orDefault(&limits.Concurrency, concurrencyDefault)
	return limits
}

func orDefault[T ~int | ~int64 | ~uint32](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// configuredRules are the grants that lie in what the operator configured: each value that is a web address allows
// requests to exactly that scheme, host, port and path, on private addresses too. A path that ends in a slash is a
// folder: what is in it may be asked for.
func configuredRules(env map[string]string, asked []NetRule) []egress.Rule {
	var rules []egress.Rule
	for _, name := range slices.Sorted(maps.Keys(env)) {
		u, err := url.Parse(env[name])
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
			continue
		}
		rule := egress.Rule{Scheme: u.Scheme, Host: u.Hostname(), Path: u.Path, Private: true, Methods: []string{"GET"}}
		switch {
		case rule.Path == "":
			rule.Path = "/"
		case len(rule.Path) > 1 && strings.HasSuffix(rule.Path, "/"):
			rule.Path += "*"
		}
		rule.Port = map[string]int{"http": 80, "https": 443}[u.Scheme]
		if port, err := strconv.Atoi(u.Port()); err == nil {
			rule.Port = port
		}
		for _, other := range asked {
			rule.Methods = append(rule.Methods, other.Methods...)
			rule.Timeout = max(rule.Timeout, other.Timeout)
			rule.ResponseBytes = max(rule.ResponseBytes, other.ResponseBytes)
		}
		rules = append(rules, rule)
	}
	return rules
}

// sum is the digest of all that decides what a call does: module, manifest, rights and environment.
func (t *tool) sum() string {
	data, err := json.Marshal(struct {
		Module   string
		Manifest Manifest
		Rights   Rights
		Blocked  string
		Env      map[string]string
		Rules    []egress.Rule
	}{t.module.known.Digest, t.manifest, t.rights, t.blocked, t.env, t.rules})
	if err != nil {
		panic(fmt.Sprintf("a manifest that was read cannot be written: %v", err))
	}
	digest := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(digest[:])
}

// cacheTTL is how long a result may be reused.
func (t *tool) cacheTTL(otherwise time.Duration) time.Duration {
	cache := t.manifest.Cache
	if cache == nil || t.rights.Effects != Read || t.rights.KV.Scope == PerConversation {
		return 0
	}
	return cmp.Or(cache.ttl, otherwise)
}

// trusted says whether results hold nobody's words but the person's and the host's. A built-in tool's hint is the
// host's own.
func (t *tool) trusted() bool {
	hints := struct {
		OpenWorld bool `json:"openWorldHint"`
	}{OpenWorld: true}
	_ = json.Unmarshal(t.manifest.Annotations, &hints) // what is not there stays true
	return t.builtin && !hints.OpenWorld
}

// reversible says whether the tool's effect is one that needs nobody's yes.
func (t *tool) reversible() bool { return t.rights.Effects == Write && t.rights.Confirm == Never }

func (t *tool) info() Info {
	return Info{
		Name: t.manifest.Name, Title: t.manifest.Title, Description: t.manifest.Description,
		Schema: t.manifest.InputSchema, Digest: t.digest, ABI: t.module.known.ABI, File: t.file, Builtin: t.builtin,
		Effects: string(t.manifest.Asks.Effects), Confirm: string(t.rights.Confirm),
		Module: t.module.known.Digest, Shown: t.manifest.Shown(), Asks: Grant(t.manifest.Asks),
		Granted: t.blocked == "", Reason: t.blocked, Reversible: t.reversible(),
	}
}

func (t *tool) offer() loop.Tool {
	return loop.Tool{Name: t.manifest.Name, Description: t.manifest.Description, Parameters: t.manifest.InputSchema}
}
