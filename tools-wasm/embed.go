// Package toolswasm carries the built-in tools: modules with their manifests, as dist/ holds them.
package toolswasm

import (
	"embed"
	"io/fs"
)

//go:embed dist/*.wasm dist/digests.json
var dist embed.FS

// FS holds <name>.wasm for each built-in tool and digests.json, which says of each what it was built with.
var FS = must(fs.Sub(dist, "dist"))

func must(sub fs.FS, err error) fs.FS {
	if err != nil {
		panic(err) // the folder is part of this package
	}
	return sub
}
