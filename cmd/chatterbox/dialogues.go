package main

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
	"chatterbox/runtime/flows"
	"chatterbox/runtime/toolbox"
)

// lookEvery is how long a change of the user's files may stay unseen.
const lookEvery = time.Second

// dialogues are the router's rules and the workflows. A turn that asks for them reads the user's folder again where a file
// in it has changed; what cannot be read then changes nothing.
type dialogues struct {
	dir   string
	log   *slog.Logger
	first func() error // reads for the first time

	mu        sync.Mutex
	looked    time.Time       // guarded by mu
	seen      string          // guarded by mu; what the folder looked like
	rules     *route.Rules    // guarded by mu
	workflows *workflow.Flows // guarded by mu
}

// openDialogues reads the built-in files and those of dir. A mistake in a rule is an error; a workflow with one is left
// out and logged. Where there are built-in files only, which have no mistakes, they are read when they are first asked for.
func openDialogues(dir string, log *slog.Logger) (*dialogues, error) {
	d := &dialogues{dir: dir, log: log, looked: time.Now(), seen: folderState(dir)}
	d.first = sync.OnceValue(d.read)
	if d.seen == "" {
		return d, nil
	}
	if err := d.first(); err != nil {
		return nil, usageError("correct the file, or move it out of that folder", "%w", err)
	}
	return d, nil
}

// read is the first reading.
func (d *dialogues) read() (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rules, err = flows.Load(flows.Options{Dir: d.dir}); err != nil {
		return err
	}
	var left error
	d.workflows, left = flows.Workflows(flows.Options{Dir: d.dir})
	d.report(left)
	return nil
}

// warm reads for the first time what was not read yet.
func (d *dialogues) warm() {
	if err := d.first(); err != nil {
		d.log.Error("the built-in rules cannot be read", "error", err)
	}
}

func (d *dialogues) report(err error) {
	if err != nil {
		d.log.Warn("a file of the workflows is left out", "folder", d.dir, "error", err)
	}
}

// Rules are the router's. Several goroutines may call it at once.
func (d *dialogues) Rules() *route.Rules {
	d.warm()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.look()
	return d.rules
}

// Workflows are those that can be read. Several goroutines may call it at once.
func (d *dialogues) Workflows() *workflow.Flows {
	d.warm()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.look()
	return d.workflows
}

// question words what a person is asked before a call, in their language.
func (d *dialogues) question(call toolbox.Asked, now time.Time) string {
	return d.Workflows().CallQuestion(workflow.AskedCall(call), now)
}

// look reads the folder again when it has changed. The lock is held.
func (d *dialogues) look() {
	now := time.Now()
	if now.Sub(d.looked) < lookEvery {
		return
	}
	d.looked = now
	seen := folderState(d.dir)
	if seen == d.seen {
		return
	}
	d.seen = seen
	rules, err := flows.Load(flows.Options{Dir: d.dir})
	if err != nil {
		d.log.Warn("the rules have changed and cannot be read; the ones before stay", "folder", d.dir, "error", err)
	} else {
		d.rules = rules
	}
	d.workflows, err = flows.Workflows(flows.Options{Dir: d.dir})
	d.report(err)
	d.log.Info("rules and workflows were read again", "folder", d.dir)
}

// folderState is a text that differs when a file in dir was written, added, renamed or removed.
func folderState(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, entry := range entries {
		if info, err := os.Stat(filepath.Join(dir, entry.Name())); err == nil { // of what a link leads to
			fmt.Fprintf(&b, "%s %d %d\n", entry.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
