// Package registrytest is a registry in memory, as far as tools need one, for tests.
package registrytest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// Registry keeps blobs and manifests. It may serve several requests at once.
type Registry struct {
	mu        sync.Mutex
	blobs     map[string][]byte // guarded by mu, by digest
	manifests map[string][]byte // guarded by mu, by tag and by digest
}

// New returns an empty registry.
func New() *Registry {
	return &Registry{blobs: map[string][]byte{}, manifests: map[string][]byte{}}
}

// PutBlob keeps data under its digest.
func (f *Registry) PutBlob(data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blobs[Digest(data)] = data
}

// PutManifest keeps text under its digest.
func (f *Registry) PutManifest(text []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.manifests[Digest(text)] = text
}

// Digest is "sha256:" and the sum of data.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (f *Registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := strings.LastIndexByte(r.URL.Path, '/')
	folder, name := r.URL.Path[:at], r.URL.Path[at+1:]
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	kept := f.blobs
	if strings.HasSuffix(folder, "/manifests") {
		kept = f.manifests
	}
	switch {
	case r.Method == http.MethodPost:
		w.Header().Set("Location", folder+"/uploads/1")
		w.WriteHeader(http.StatusAccepted)
	case r.Method == http.MethodPut && strings.HasSuffix(folder, "/manifests"):
		f.manifests[name], f.manifests[Digest(body)] = body, body
		w.Header().Set("Docker-Content-Digest", Digest(body))
		w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPut:
		f.blobs[r.URL.Query().Get("digest")] = body
		w.WriteHeader(http.StatusCreated)
	case kept[name] == nil:
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		w.Header().Set("Docker-Content-Digest", Digest(kept[name]))
		w.Header().Set("Content-Length", fmt.Sprint(len(kept[name])))
		if r.Method == http.MethodGet {
			w.Write(kept[name])
		}
	}
}
