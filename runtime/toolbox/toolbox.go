// Package toolbox presents guests to the loop: it reads their manifests, gives them the rights that they ask for
// and are granted, checks arguments, runs calls on the workers and answers the host functions.
package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/worker"
)

// Workers runs guests. Its methods may be called by several goroutines at once; each Add is taken back by one Remove,
// after which running calls end as they would.
type Workers interface {
	Add(ctx context.Context, wasm []byte) (worker.Module, error)
	Describe(ctx context.Context, digest string) (manifest []byte, err error)
	Call(ctx context.Context, call worker.Call, host worker.Host) worker.Output
	Remove(digest string)
}

// Sender carries messages of one channel. Its method may be called by several goroutines at once.
type Sender interface {
	// Send returns nil when the message is accepted. The error's text is one that a tool may read; what it wraps is
	// not.
	Send(ctx context.Context, to, title, text string) error
}

// Options are what a Toolbox needs. Zero values mean the default in brackets.
type Options struct {
	Builtin fs.FS  // the tools that come with the product: every *.wasm in it, with their manifests [none]
	Dir     string // the user's tools, read now and watched; its folders are not [none]
	// Approvals is the folder of what people allowed, see [WriteApproval]; watched as Dir is [nobody allowed anything].
	Approvals string
	// Secret gives the value of a secret by its ref, at each request that carries it [there are none].
	Secret func(ref string) (string, error)
	KV     *KV // [no tool may keep anything]
	// Deliver sends what tools deliver, by channel [there is none].
	Deliver map[string]Sender
	// DeliverPerMinute bounds the messages of each tool [no limit].
	DeliverPerMinute int
	Workers          Workers
	Egress           *egress.Client // [no tool reaches the network]
	Timeout          time.Duration  // of one run of a call [30 s]
	Retries          int            // further runs of a call that only reads, after a time-out or a failing host
	// PerMinute bounds the calls of a tool that is not built in [no limit].
	PerMinute int
	// CacheTTL is for tools that let their results be reused without saying how long [300 s].
	CacheTTL time.Duration
	Timezone *time.Location // what now answers when the guest names no zone [UTC]
	// Setting gives what the operator configured under the name of a key, and how a person is told what to set; no
	// value is not set. Built-in tools get what their manifests name [nothing is configured].
	Setting func(name string) (values []string, called string)
	// Question words what a person is asked before a call; an empty text leaves the words to the toolbox. It may be
	// called by several goroutines at once [the toolbox's English words].
	Question func(Asked) string
	Log      *slog.Logger // [none]
}

// Info is what is known of a tool.
type Info struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
	Digest      string          `json:"digest"` // of module, manifest, rights and environment
	ABI         worker.ABI      `json:"abi"`
	File        string          `json:"file"`
	Builtin     bool            `json:"builtin"`
	Effects     string          `json:"effects"`
	Confirm     string          `json:"confirm"`
	Module      string          `json:"module"`           // the module's digest
	Shown       string          `json:"shown"`            // see [Manifest.Shown]
	Asks        Grant           `json:"asks"`             // what the manifest asks for, as a grant of all of it
	Granted     bool            `json:"granted"`          // it may run
	Reason      string          `json:"reason,omitempty"` // why it may not
	Reversible  bool            `json:"reversible"`       // its effect is one that needs nobody's yes
}

// Problem is a file, or a tool in it, that is not in use.
type Problem struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Toolbox implements loop.Tools. All methods may be called by several goroutines at once.
type Toolbox struct {
	options Options
	log     *slog.Logger
	zone    string // name of options.Timezone
	current atomic.Pointer[registry]

	scanning sync.Mutex
	builtin  map[string]*loaded // by path without suffix
	own      map[string]*loaded // guarded by scanning
	approved map[string]kept    // guarded by scanning, by tool

	sent deliveries

	stop    context.CancelFunc
	watcher sync.WaitGroup
}

const watchInterval = 2 * time.Second

// Open reads all tools and watches Options.Dir until Close. A file that gives no tool is no error, see
// [Toolbox.Problems].
func Open(ctx context.Context, options Options) (*Toolbox, error) {
	if options.Workers == nil {
		return nil, errors.New("open a toolbox: no workers")
	}
	orDefault(&options.Timeout, 30*time.Second)
	orDefault(&options.CacheTTL, 300*time.Second)
	if options.Timezone == nil {
		options.Timezone = time.UTC
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	t := &Toolbox{
		options: options, log: options.Log, zone: zoneName(options.Timezone),
		builtin: map[string]*loaded{}, own: map[string]*loaded{},
	}
	t.current.Store(&registry{})
	if err := t.loadBuiltin(ctx); err != nil {
		t.releaseAll()
		return nil, fmt.Errorf("read the built-in tools: %w", err)
	}
	t.scan(ctx, time.Now())
	if err := ctx.Err(); err != nil {
		t.releaseAll()
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	t.stop = stop
	if options.Dir != "" {
		t.watcher.Go(func() { t.watch(watching) })
	}
	return t, nil
}

// loadBuiltin reads the built-in tools, several at once. Their schemas are compiled when they are first called: the
// start does not wait for them.
func (t *Toolbox) loadBuiltin(ctx context.Context) error {
	if t.options.Builtin == nil {
		return nil
	}
	var (
		group  sync.WaitGroup
		mu     sync.Mutex // guards t.builtin
		places = make(chan struct{}, runtime.GOMAXPROCS(0))
	)
	defer group.Wait()
	return fs.WalkDir(t.options.Builtin, ".", func(name string, entry fs.DirEntry, err error) error {
		stem, isModule := strings.CutSuffix(name, wasmSuffix)
		if err != nil || entry.IsDir() || !isModule {
			return err
		}
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			s := stamp{module: fileStamp{there: true}}
			if info, err := fs.Stat(t.options.Builtin, stem+manifestSuffix); err == nil {
				s.manifest = stampOf(info)
			}
			l := t.load(ctx, t.options.Builtin, stem, path.Base(name), s, true, nil)
			mu.Lock()
			defer mu.Unlock()
			t.builtin[stem] = l
		})
		return nil
	})
}

func (t *Toolbox) watch(ctx context.Context) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			t.scan(ctx, time.Now())
		}
	}
}

// scan reads what changed in the folder and puts the new registry in place. Calls that run keep the tool that they
// have.
func (t *Toolbox) scan(ctx context.Context, now time.Time) {
	t.scanning.Lock()
	defer t.scanning.Unlock()
	next, problem := t.readFolder(ctx, now)
	if ctx.Err() != nil {
		for stem, l := range next {
			if t.own[stem] != l {
				l.release()
			}
		}
		return
	}
	replaced := t.own
	t.own = next
	t.publish(register(t.builtin, t.own, problem))
	for stem, l := range replaced {
		if next[stem] != l {
			l.release()
		}
	}
}

// readFolder gives what the folder holds now; entries that did not change are those of t.own.
func (t *Toolbox) readFolder(ctx context.Context, now time.Time) (map[string]*loaded, *Problem) {
	next := map[string]*loaded{}
	if t.options.Dir == "" {
		return next, nil
	}
	approved, err := readApprovals(t.options.Approvals)
	if err != nil { // without them nothing may run that needs one, or whose approval may be void
		return next, &Problem{t.options.Approvals, "the folder of approvals cannot be read: " + err.Error()}
	}
	before := t.approved
	t.approved = approved
	folder := os.DirFS(t.options.Dir)
	stamps, err := survey(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a folder that is not there yet holds no tools
		return next, &Problem{t.options.Dir, "the folder of tools cannot be read: " + err.Error()}
	}
	for _, stem := range slices.Sorted(maps.Keys(stamps)) {
		s, previous := stamps[stem], t.own[stem]
		if previous != nil && !sameApprovals(previous, before, approved) {
			previous = nil
		}
		if previous != nil && previous.stamp == s && !previous.again && !s.fresh(now) {
			next[stem] = previous
			continue
		}
		suffix := wasmSuffix
		if !s.module.there {
			suffix = manifestSuffix
		}
		l := t.load(ctx, folder, stem, filepath.Join(t.options.Dir, stem+suffix), s, false, previous)
		if l.problem != "" && previous != nil && previous.problem == "" && s.fresh(now) {
			l = previous // it may not be whole yet; a fresh file is read again
		}
		next[stem] = l
	}
	return next, nil
}

// publish puts the registry in place and logs what is new in it.
func (t *Toolbox) publish(r *registry) {
	old := t.current.Swap(r)
	for _, problem := range r.problems {
		if !slices.Contains(old.problems, problem) {
			t.log.Warn("tool not in use", "file", problem.File, "reason", problem.Reason)
		}
	}
	for name, tool := range r.tools {
		if before := old.tools[name]; before == nil || before.digest != tool.digest {
			if tool.blocked != "" {
				t.log.Info("tool may not run", "tool", name, "file", tool.file, "reason", tool.blocked, "digest", tool.digest)
				continue
			}
			t.log.Info("tool in use", "tool", name, "file", tool.file, "digest", tool.digest)
		}
	}
	for name, tool := range old.tools {
		if r.tools[name] == nil {
			t.log.Info("tool gone", "tool", name, "file", tool.file)
		}
	}
}

// Close stops watching and forgets the modules; calls that run end as they would.
func (t *Toolbox) Close() {
	t.stop()
	t.watcher.Wait()
	t.releaseAll()
}

func (t *Toolbox) releaseAll() {
	t.scanning.Lock()
	defer t.scanning.Unlock()
	t.current.Store(&registry{})
	for _, group := range []map[string]*loaded{t.builtin, t.own} {
		for _, l := range group {
			l.release()
		}
		clear(group)
	}
}

// Tools lists all tools by name, also those that may not run.
func (t *Toolbox) Tools() []Info { return slices.Clone(t.current.Load().infos) }

// Offered lists the tools that may run, by name.
func (t *Toolbox) Offered() []loop.Tool { return slices.Clone(t.current.Load().offered) }

// Problems lists what is not in use, by file.
func (t *Toolbox) Problems() []Problem { return slices.Clone(t.current.Load().problems) }
