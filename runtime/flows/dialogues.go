package flows

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"chatterbox/loop/route"
	"chatterbox/loop/workflow"
)

// LookEvery is how long a change of the user's files may stay unseen.
const LookEvery = time.Second

// Dialogues are the router's rules and the workflows. A turn that asks for them reads the user's folder again where a file
// in it has changed; what cannot be read then changes nothing.
type Dialogues struct {
	dir   string
	log   *slog.Logger
	first func() error // reads for the first time

	mu        sync.Mutex
	looked    time.Time       // guarded by mu
	seen      string          // guarded by mu; what the folder looked like
	rules     *route.Rules    // guarded by mu
	workflows *workflow.Flows // guarded by mu
}

// Open reads the built-in files and those of dir. A mistake in a rule is an error; a workflow with one is left
// out and logged. Where there are built-in files only, which have no mistakes, they are read when they are first asked for.
func Open(dir string, log *slog.Logger) (*Dialogues, error) {
	d := &Dialogues{dir: dir, log: log, looked: time.Now(), seen: folderState(dir)}
	d.first = sync.OnceValue(d.read)
	if d.seen == "" {
		return d, nil
	}
	if err := d.first(); err != nil {
		return nil, err
	}
	return d, nil
}

// read is the first reading.
func (d *Dialogues) read() (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rules, err = Load(Options{Dir: d.dir}); err != nil {
		return err
	}
	var left error
	d.workflows, left = Workflows(Options{Dir: d.dir})
	d.report(left)
	return nil
}

// Warm reads for the first time what was not read yet.
func (d *Dialogues) Warm() {
	if err := d.first(); err != nil {
		d.log.Error("the built-in rules cannot be read", "error", err)
	}
}

func (d *Dialogues) report(err error) {
	if err != nil {
		d.log.Warn("a file of the workflows is left out", "folder", d.dir, "error", err)
	}
}

// Rules are the router's. Several goroutines may call it at once.
func (d *Dialogues) Rules() *route.Rules {
	d.Warm()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.look()
	return d.rules
}

// Workflows are those that can be read. Several goroutines may call it at once.
func (d *Dialogues) Workflows() *workflow.Flows {
	d.Warm()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.look()
	return d.workflows
}

// look reads the folder again when it has changed. The lock is held.
func (d *Dialogues) look() {
	now := time.Now()
	if now.Sub(d.looked) < LookEvery {
		return
	}
	d.looked = now
	seen := folderState(d.dir)
	if seen == d.seen {
		return
	}
	d.seen = seen
	rules, err := Load(Options{Dir: d.dir})
	if err != nil {
		d.log.Warn("the rules have changed and cannot be read; the ones before stay", "folder", d.dir, "error", err)
	} else {
		d.rules = rules
	}
	d.workflows, err = Workflows(Options{Dir: d.dir})
	d.report(err)
	d.log.Info("rules and workflows were read again", "folder", d.dir)
}

// folderState is a text that differs when a file in dir, or of the sentences below it, was written, added, renamed or
// removed.
func folderState(dir string) string {
	var b strings.Builder
	for _, pattern := range []string{"*", filepath.Join(customDir, "*", "*")} {
		files, err := filepath.Glob(filepath.Join(escaped.Replace(dir), pattern))
		if err != nil {
			continue
		}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && !info.IsDir() { // of what a link leads to
				fmt.Fprintf(&b, "%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}

// escaped takes their meaning from the characters that mean something to [filepath.Glob].
var escaped = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`)
