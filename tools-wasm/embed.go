// Package toolswasm carries the built-in tools, modules with their manifests as dist/ holds them, and what a new tool
// begins with.
package toolswasm

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed dist/*.wasm dist/digests.json
var dist embed.FS

// FS holds <name>.wasm for each built-in tool and digests.json, which says of each what it was built with.
var FS = must(fs.Sub(dist, "dist"))

func must[T any](value T, err error) T {
	if err != nil {
		panic(err) // what is embedded is part of this package
	}
	return value
}

//go:embed sdk get_weather/json.c get_weather/json.h
var sdk embed.FS

// Languages are those that [Template] knows.
func Languages() []string { return []string{"go", "rust", "c", "zig", "assemblyscript"} }

// Template gives the files of a new tool called name, by path: source, SDK, manifest and examples. ok is false for a
// language that is not one of [Languages].
func Template(language, name string) (files map[string][]byte, ok bool) {
	if !slices.Contains(Languages(), language) {
		return nil, false
	}
	sources := []string{"sdk/common/*", "sdk/" + language + "/*"}
	if language == "c" {
		sources = append(sources, "get_weather/json.*")
	}
	files = map[string][]byte{}
	for _, pattern := range sources {
		for _, file := range must(fs.Glob(sdk, pattern)) {
			if strings.Contains(file, "_test.") {
				continue // the SDK's own
			}
			content := must(fs.ReadFile(sdk, file))
			// A go.mod would take the folder out of this module.
			files[strings.TrimSuffix(path.Base(file), ".txt")] = bytes.ReplaceAll(content, []byte(placeholder), []byte(name))
		}
	}
	return files, true
}

// placeholder is what the templates call the tool.
const placeholder = "my_tool"
