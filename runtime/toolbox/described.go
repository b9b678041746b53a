package toolbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"chatterbox/runtime/worker"
)

// This file finds a module's manifest: the section in it, else the file beside it, else what the module says of
// itself. A manifest that is written but names no tool is what all tools ask for that the module lists.

// manifestSection is the custom section that holds a manifest.
const manifestSection = "chatterbox.tool"

// ErrNoManifest is what the error of a module wraps that has no manifest anywhere.
var ErrNoManifest = errors.New("it has no manifest")

// manifestError is a manifest that is missing or wrong, and stays so while the file is the same.
type manifestError struct{ error }

func (e *manifestError) Unwrap() error { return e.error }

func manifestsOf(ctx context.Context, workers Workers, known worker.Module, beside []byte) ([]Manifest, error) {
	written := known.Manifest
	if len(written) == 0 {
		written = beside
	}
	text := written
	if lacksTools(written) {
		described, err := workers.Describe(ctx, known.Digest)
		if err != nil {
			return nil, err
		}
		if len(described) > 0 {
			if text, err = withRights(described, written); err != nil {
				return nil, &manifestError{err}
			}
		}
	}
	if len(text) == 0 {
		return nil, &manifestError{fmt.Errorf(
			"%w: neither a section %s in it nor a file *%s beside it", ErrNoManifest, manifestSection, manifestSuffix)}
	}
	manifests, err := ParseManifest(text)
	switch {
	case err != nil:
		return nil, &manifestError{err}
	case servesMCP(written) && known.ABI != worker.MCPStdio:
		return nil, &manifestError{fieldError("serve", "is for a command; this module is called in another way")}
	}
	return manifests, nil
}

// lacksTools says whether the module is to be asked for its tools. What is no object is left to ParseManifest.
func lacksTools(written []byte) bool {
	var m map[string]json.RawMessage
	if len(written) == 0 {
		return true
	}
	return json.Unmarshal(written, &m) == nil && m != nil && m["name"] == nil && m["tools"] == nil
}

// withRights gives every tool of a described manifest the members of a written one, which has no tools of its own.
func withRights(described, written []byte) ([]byte, error) {
	if len(written) == 0 {
		return described, nil
	}
	var rights map[string]json.RawMessage
	if err := json.Unmarshal(written, &rights); err != nil {
		return nil, err
	}
	delete(rights, "serve")
	for _, member := range []string{"title", "description", "inputSchema", "outputSchema", "annotations"} {
		if rights[member] != nil {
			return nil, fieldError(member, "belongs to one tool, and the manifest names none")
		}
	}
	var several struct {
		Tools []map[string]json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(described, &several); err != nil {
		return nil, err
	}
	if several.Tools == nil { // a reactor with one tool describes just that
		var one map[string]json.RawMessage
		if err := json.Unmarshal(described, &one); err != nil {
			return nil, err
		}
		several.Tools = append(several.Tools, one)
	}
	for i, tool := range several.Tools {
		if tool == nil {
			return nil, fieldError(fmt.Sprintf("tools[%d]", i), "must be an object")
		}
		for member, value := range rights {
			tool[member] = value
		}
	}
	return json.Marshal(several)
}

func servesMCP(manifest []byte) bool {
	var declared struct {
		Serve string `json:"serve"`
	}
	return json.Unmarshal(manifest, &declared) == nil && declared.Serve == "mcp"
}

// sealed is the module with the manifest beside it in it, where the workers need to see that: how a module is
// called is read from the module alone.
func sealed(module, beside []byte) []byte {
	if carried, _ := CarriedManifest(module); carried != nil || !servesMCP(beside) {
		return module
	}
	with, err := WithManifest(module, beside)
	if err != nil {
		return module // which the workers refuse
	}
	return with
}
