package toolbox

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// section is a custom section of a module that holds a manifest.
type section struct {
	start, end int // of the whole section in the module
	content    []byte
}

// manifestSections finds the manifests in a module.
func manifestSections(module []byte) ([]section, error) {
	broken := errors.New("it is not a WebAssembly file, or was cut short")
	if !bytes.HasPrefix(module, []byte("\x00asm")) || len(module) < 8 {
		return nil, broken
	}
	var found []section
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
			if string(module[from+width:content]) == manifestSection {
				found = append(found, section{at, end, module[content:end]})
			}
		}
		at = end
	}
	return found, nil
}

// WithManifest gives a copy of the module whose only manifest is this one; nil leaves none.
func WithManifest(module, manifest []byte) ([]byte, error) {
	sections, err := manifestSections(module)
	if err != nil {
		return nil, err
	}
	var out []byte
	at := 0
	for _, section := range sections {
		out = append(out, module[at:section.start]...)
		at = section.end
	}
	out = append(out, module[at:]...)
	if manifest == nil {
		return out, nil
	}
	payload := binary.AppendUvarint(nil, uint64(len(manifestSection)))
	payload = append(append(payload, manifestSection...), manifest...)
	out = binary.AppendUvarint(append(out, 0), uint64(len(payload)))
	return append(out, payload...), nil
}

// CarriedManifest is the manifest in the module; nil when there is none.
func CarriedManifest(module []byte) ([]byte, error) {
	sections, err := manifestSections(module)
	if err != nil || len(sections) == 0 {
		return nil, err
	}
	return sections[0].content, nil
}
