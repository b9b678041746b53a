package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/registry/registrytest"
)

// house is a data folder on which commands run.
type house struct {
	t    *testing.T
	data string
}

func (h house) run(args ...string) (code int, output string) {
	var out logBuffer
	code = run(h.t.Context(), env{Env: cli.Env{
		Args: append(args, "--data", h.data), Stdin: strings.NewReader("y\n"), Stdout: &out, Stderr: &out,
		Environ: nil, Getenv: func(string) string { return "" },
	}})
	return code, out.String()
}

// holds lists what an installation leaves behind.
func (h house) holds() []string {
	var found []string
	for _, pattern := range []string{"tools/*", "tools/.*", "grants/*", "tools.lock.json"} {
		files, err := filepath.Glob(filepath.Join(h.data, pattern))
		if err != nil {
			h.t.Fatal(err)
		}
		found = append(found, files...)
	}
	return found
}

func putKeys(t *testing.T) (private, public string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	open, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	private, public = filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "key.pub")
	for file, block := range map[string]*pem.Block{private: {Type: "PRIVATE KEY", Bytes: secret}, public: {Type: "PUBLIC KEY", Bytes: open}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return private, public
}

// TestRegistryToSecondFolder publishes from one data folder and installs on another, where everything that is wrong leaves
// nothing behind.
func TestRegistryToSecondFolder(t *testing.T) {
	var spoiled atomic.Pointer[string] // part of the paths whose answers are spoiled
	behind := registrytest.New()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		behind.ServeHTTP(recorder, r)
		body := recorder.Body.Bytes()
		if part := spoiled.Load(); part != nil && r.Method == http.MethodGet && strings.Contains(r.URL.Path, *part) && len(body) > 2 {
			body[len(body)/2] ^= 1
		}
		for name, values := range recorder.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(recorder.Code)
		w.Write(body)
	}))
	defer server.Close()
	tag := strings.TrimPrefix(server.URL, "http://") + "/tools/silent:1.0"
	private, public := putKeys(t)
	_, stranger := putKeys(t)
	folder := t.TempDir()
	module := []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x05\x03\x01\x00\x01\x07\x13\x02\x06memory\x02\x00\x06_start\x00\x00\x0a\x04\x01\x02\x00\x0b")
	for name, data := range map[string][]byte{"silent.wasm": module, "silent.tool.json": []byte(`{"name":"silent","description":"Says nothing."}`)} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, output := house{t, t.TempDir()}.run("tool", "publish", folder, tag, "--key", private)
	pinned := strings.TrimSpace(output)
	if code != cli.ExitOK || !strings.Contains(pinned, "@sha256:") {
		t.Fatalf("publish: %d, %s", code, output)
	}
	second := house{t, t.TempDir()}
	for _, c := range []struct {
		name, spoil, reference, key, want string
	}{
		{"another key", "", tag, stranger, "no key that you trust has signed it"},
		{"the module", "/blobs/" + registrytest.Digest(module), tag, public, "does not have the digest"},
		{"the manifest", "/manifests/sha256:", pinned, public, "digest"},
		{"the signature", ".sig", pinned, public, "no key that you trust has signed it"},
		{"a digest with a path in it", "", strings.Split(pinned, ":")[0] + "/x@sha256:../../etc", public, "is no reference"},
		{"what is not there", "", pinned[:len(pinned)-64] + strings.Repeat("0", 64), public, "no key that you trust"},
	} {
		spoiled.Store(nil)
		if c.spoil != "" {
			spoiled.Store(&c.spoil)
		}
		code, output := second.run("tool", "install", c.reference, "--yes", "--key", c.key)
		if code == cli.ExitOK || !strings.Contains(output, c.want) {
			t.Errorf("%s: exit code %d, %s", c.name, code, output)
		}
		if left := second.holds(); len(left) > 0 {
			t.Errorf("%s leaves %v", c.name, left)
		}
	}
	spoiled.Store(nil)
	if code, output := second.run("tool", "install", tag, "--yes", "--key", public); code != cli.ExitOK ||
		!strings.Contains(output, "pinned    "+pinned) || !strings.Contains(output, "signed by sha256:") {
		t.Fatalf("install: %d, %s", code, output)
	}
	if code, output := second.run("tool", "verify"); code != cli.ExitOK || !strings.Contains(output, "silent: ok") {
		t.Errorf("verify: %d, %s", code, output)
	}
}
