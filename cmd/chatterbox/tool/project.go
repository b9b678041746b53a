package tool

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/toolbox"
	"chatterbox/runtime/wasm"
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

// customSection is a custom section of a module.
type customSection struct {
	name       string
	start, end int // of the whole section in the module
	content    []byte
}

// customSections finds the custom sections of a module.
func customSections(module []byte) ([]customSection, error) {
	broken := errors.New("it is not a WebAssembly file, or was cut short")
	if !bytes.HasPrefix(module, []byte("\x00asm")) || len(module) < 8 {
		return nil, broken
	}
	var found []customSection
	for at := 8; at < len(module); {
		size, width := binary.Uvarint(module[at+1:])
		from := at + 1 + width
		if width <= 0 || size > uint64(len(module)-from) {
			return nil, broken
		}
		end := from + int(size)
		if module[at] == 0 {
			length, width := binary.Uvarint(module[from:end])
			if width <= 0 || length > uint64(end-from-width) {
				return nil, broken
			}
			content := from + width + int(length)
			found = append(found, customSection{string(module[from+width : content]), at, end, module[content:end]})
		}
		at = end
	}
	return found, nil
}

// withManifest gives a copy of the module whose only manifest is this one; nil leaves none.
func withManifest(module, manifest []byte) ([]byte, error) {
	sections, err := customSections(module)
	if err != nil {
		return nil, err
	}
	var out []byte
	at := 0
	for _, section := range sections {
		if section.name == wasm.ManifestSection {
			out = append(out, module[at:section.start]...)
			at = section.end
		}
	}
	out = append(out, module[at:]...)
	if manifest == nil {
		return out, nil
	}
	payload := binary.AppendUvarint(nil, uint64(len(wasm.ManifestSection)))
	payload = append(append(payload, wasm.ManifestSection...), manifest...)
	out = binary.AppendUvarint(append(out, 0), uint64(len(payload)))
	return append(out, payload...), nil
}

// manifestOf is the manifest in the module; nil when there is none.
func manifestOf(module []byte) ([]byte, error) {
	sections, err := customSections(module)
	if err != nil {
		return nil, err
	}
	for _, section := range sections {
		if section.name == wasm.ManifestSection {
			return section.content, nil
		}
	}
	return nil, nil
}

// readModule reads a module and its manifest: the section in it, or the file beside it, or none.
func readModule(file string) (module, manifest []byte, err error) {
	if module, err = os.ReadFile(file); err != nil {
		return nil, nil, cli.Usage("", "read the module: %w", err)
	}
	if manifest, err = manifestOf(module); err != nil {
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
