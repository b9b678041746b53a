package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"
)

// The files of a tool's folder.
const (
	manifestFile = "tool.json"
	examplesFile = "examples.json"
)

// project is a folder in which a tool is made.
type project struct {
	dir      string
	name     string // of the tool; of the folder where there are several
	manifest []byte // tool.json without its white space
}

// module is where the built module is.
func (p *project) module() string { return filepath.Join(p.dir, p.name+".wasm") }

// openProject reads a tool's folder. A mistake in tool.json is a failed check.
func openProject(dir string) (*project, error) {
	file := filepath.Join(dir, manifestFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, cli.Usage("'chatterbox tool new NAME --lang go' makes a tool's folder", "there is no %s in %s", manifestFile, cli.InLine(dir))
	} else if err != nil {
		return nil, cli.Infrastructure("", err)
	}
	manifests, err := toolbox.ParseManifest(text)
	if err != nil {
		return nil, cli.Failed("%s: %w", cli.InLine(file), err)
	}
	p := &project{dir: dir, name: manifests[0].Name}
	if len(manifests) > 1 {
		whole, err := filepath.Abs(dir)
		if err != nil {
			return nil, cli.Infrastructure("", err)
		}
		p.name = filepath.Base(whole)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, cli.Failed("%s: %w", cli.InLine(file), err)
	}
	p.manifest = compact.Bytes()
	return p, nil
}

// readModule reads a module and its manifest: the section in it, or the file beside it, or none.
func readModule(file string) (module, manifest []byte, err error) {
	if module, err = os.ReadFile(file); err != nil {
		return nil, nil, cli.Usage("", "read the module: %w", err)
	}
	if manifest, err = toolbox.CarriedManifest(module); err != nil {
		return nil, nil, cli.Failed("%s: %w", cli.InLine(file), err)
	}
	if manifest == nil {
		manifest, err = os.ReadFile(file[:len(file)-len(filepath.Ext(file))] + ".tool.json")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, nil, fmt.Errorf("read the manifest: %w", err)
		}
	}
	return module, manifest, nil
}
