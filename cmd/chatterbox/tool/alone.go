package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop/toolcall"
	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

// openAlone opens the built-in tools and one module that is not installed, with nothing granted. The module's own
// manifest counts for nothing beside the one given. The folder that it is copied to is removed by close.
func openAlone(
	ctx context.Context, host *cli.Host, settings config.Config, stem string, module, manifest []byte,
) (_ *cli.Tools, err error) {
	dir, err := os.MkdirTemp("", "chatterbox-tool-")
	if err != nil {
		return nil, cli.Infrastructure("", err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	carried, err := toolbox.CarriedManifest(module)
	if err != nil {
		return nil, cli.Failed("%w", err)
	}
	if carried != nil && !bytes.Equal(carried, manifest) {
		if module, err = toolbox.WithManifest(module, nil); err != nil {
			return nil, cli.Failed("%w", err)
		}
	}
	err = os.WriteFile(filepath.Join(dir, stem+".wasm"), module, 0o600)
	if manifest != nil {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, stem+".tool.json"), manifest, 0o600))
	}
	if err != nil {
		return nil, cli.Infrastructure("", err)
	}
	settings.Tools.Dir = dir
	settings.Log.Level = "error" // what is wrong with the module is the command's own answer
	t, err := host.Tools(ctx, settings, host.Env.Stderr)
	if err != nil {
		return nil, err
	}
	closeTools := t.Close
	t.Close = func() error { return errors.Join(closeTools(), os.RemoveAll(dir)) }
	return t, nil
}

// problemsOf are the reasons for which the module's tools cannot be used.
func problemsOf(t *cli.Tools, stem string) []string {
	var reasons []string
	for _, problem := range t.Box.Problems() {
		if name := filepath.Base(problem.File); name == stem || strings.HasPrefix(name, stem+".") {
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
		object["tools"] = encoded(several)
	}
	return encoded(object)
}

// plainManifest is that of a module that has none, called by its path.
func plainManifest(name string) []byte {
	return encoded(map[string]any{
		"name": name, "description": "A module without a manifest.", "inputSchema": map[string]string{"type": "object"},
	})
}

// encoded is a value that was made of JSON.
func encoded(value any) []byte { return []byte(toolcall.Encode(value)) }
