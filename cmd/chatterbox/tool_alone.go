package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"chatterbox/runtime/config"
)

// openAlone opens the built-in tools and one module that is not installed, with nothing granted. The module's own manifest
// counts for nothing beside the one given. The folder that it is copied to is removed by close.
func openAlone(ctx context.Context, common *commonFlags, settings config.Config, stem string, module, manifest []byte) (_ *tools, err error) {
	dir, err := os.MkdirTemp("", "chatterbox-tool-")
	if err != nil {
		return nil, infrastructureError("", err)
	}
	removeDir := func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			_ = removeDir()
		}
	}()
	carried, err := manifestOf(module)
	if err != nil {
		return nil, failed("%w", err)
	}
	if carried != nil && !bytes.Equal(carried, manifest) {
		if module, err = withManifest(module, nil); err != nil {
			return nil, failed("%w", err)
		}
	}
	for suffix, content := range map[string][]byte{".wasm": module, ".tool.json": manifest} {
		if content == nil {
			continue
		}
		if err = os.WriteFile(filepath.Join(dir, stem+suffix), content, 0o600); err != nil {
			return nil, infrastructureError("", err)
		}
	}
	settings.Tools.Dir = dir
	log := quiet(settings.Log)
	log.Level = "error" // what is wrong with the module is the command's own answer
	t, err := openTools(ctx, common.env, settings, logger(common.env.Stderr, log, secrets(common.env, settings)), nil)
	if err != nil {
		return nil, err
	}
	t.closers = append(closers{removeDir}, t.closers...) // closed last
	return t, nil
}

// problemsOf are the reasons for which the module's tools cannot be used.
func (t *tools) problemsOf(stem string) []string {
	var reasons []string
	for _, problem := range t.box.Problems() {
		if strings.TrimSuffix(filepath.Base(problem.File), ".wasm") == stem || strings.HasPrefix(filepath.Base(problem.File), stem+".") {
			reasons = append(reasons, problem.Reason)
		}
	}
	return reasons
}

// rightsAsked are the members of a manifest by which a tool asks for more than its arguments.
var rightsAsked = []string{"net", "secrets", "kv", "deliver", "effects", "confirm", "cache", "settings"}

// withoutRights is the manifest without what it asks for; what is no manifest stays as it is, and is refused later.
func withoutRights(manifest []byte) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(manifest, &object) != nil {
		return manifest
	}
	strip := func(tool map[string]json.RawMessage) {
		for _, right := range rightsAsked {
			delete(tool, right)
		}
	}
	strip(object)
	var several []map[string]json.RawMessage
	if json.Unmarshal(object["tools"], &several) == nil {
		for _, tool := range several {
			strip(tool)
		}
		object["tools"] = mustJSON(several)
	}
	return mustJSON(object)
}

// plainManifest is that of a module that has none, called by its path.
func plainManifest(name string) []byte {
	return mustJSON(map[string]any{
		"name": name, "description": "A module without a manifest.", "inputSchema": map[string]string{"type": "object"},
	})
}

// mustJSON is for values that were made of JSON.
func mustJSON(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(text.Bytes())
}
