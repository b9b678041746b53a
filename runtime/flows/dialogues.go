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

// Dialogues are the router's rules and the workflows. A turn that asks for them reads the user's folder again where
// a file in it has changed; what cannot be read then changes nothing. Several goroutines may call its methods at
// once.
type Dialogues struct {
	dir string
	log *slog.Logger

	mu        sync.Mutex
	looked    time.Time       // guarded by mu
	seen      string          // guarded by mu; what the folder looked like
	rules     *route.Rules    // guarded by mu; nil until it is first asked for
	workflows *workflow.Flows // guarded by mu
}

// Open reads the built-in files and those of dir. A mistake in a rule is an error; a workflow with one is left out and
// logged. Where there are built-in files only, which have no mistakes, they are read when they are first asked for.
func Open(dir string, log *slog.Logger) (*Dialogues, error) {
	d := &Dialogues{dir: dir, log: log, looked: time.Now(), seen: folderState(dir)}
	if d.seen == "" {
		return d, nil
	}
	return d, d.read()
}

// Warm reads what was not read yet.
func (d *Dialogues) Warm() { d.Rules() }

// Rules are the router's.
func (d *Dialogues) Rules() *route.Rules {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.look()
	return d.rules
}

// Workflows are those that can be read.
func (d *Dialogues) Workflows() *workflow.Flows {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.look()
	return d.workflows
}

// read reads the files. Rules that cannot be read leave the ones before. The lock is held, or nobody else has d.
func (d *Dialogues) read() error {
	options := Options{Dir: d.dir}
	rules, err := Load(options)
	if err == nil {
		d.rules = rules
	}
	var left error
	if d.workflows, left = Workflows(options); left != nil {
		d.log.Warn("a file of the workflows is left out", "folder", d.dir, "error", left)
	}
	return err
}

// look reads the folder when it has changed, or was not read yet. The lock is held.
func (d *Dialogues) look() {
	now := time.Now()
	if d.rules == nil {
		if err := d.read(); err != nil {
			d.log.Error("the built-in rules cannot be read", "error", err)
		}
		return
	}
	if now.Sub(d.looked) < LookEvery {
		return
	}
	d.looked = now
	seen := folderState(d.dir)
	if seen == d.seen {
		return
	}
	d.seen = seen
	if err := d.read(); err != nil {
		d.log.Warn("the rules have changed and cannot be read; the ones before stay", "folder", d.dir, "error", err)
	}
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
