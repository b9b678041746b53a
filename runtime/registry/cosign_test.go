package registry

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"chatterbox/runtime/registry/registrytest"
)

var (
	cosign      = flag.String("cosign", "", "the program cosign, to sign and check with; needs -registry, too")
	cosignWrite = flag.Bool("cosign.write", false, "writes what cosign signed to testdata")
)

const cosignFile = "testdata/cosign.txtar"

// TestSignatureThatCosignMade is about a file, so that it needs neither cosign nor a registry server.
func TestSignatureThatCosignMade(t *testing.T) {
	archive, err := txtar.ParseFile(cosignFile)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]byte{}
	for _, section := range archive.Files {
		parts[section.Name] = bytes.TrimSuffix(section.Data, []byte("\n"))
	}
	key, err := ParsePublicKey(parts["cosign.pub"])
	if err != nil {
		t.Fatal(err)
	}
	_, other := newKey(t)

	for name, c := range map[string]struct {
		spoil func(part string, text []byte) []byte // nil leaves all as cosign made it
		key   PublicKey
		want  error
	}{
		"as cosign made it":       {nil, key, nil},
		"another key is trusted":  {nil, other, ErrUnsigned},
		"it is of another tool":   {replaced("tool", `"size":2`, `"size":3`), key, ErrUnsigned},
		"a word of it is changed": {replaced("payload", `"optional":null`, `"optional":{}`), key, ErrUnsigned},
		"the signature is cut":    {replaced("signature", `cosign/signature":"ME`, `cosign/signature":"`), key, ErrUnsigned},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			tool, payload, signature := parts["tool"], parts["payload"], parts["signature"]
			if c.spoil != nil {
				tool, payload, signature = c.spoil("tool", tool), c.spoil("payload", payload), c.spoil("signature", signature)
			}
			// The registry keeps the spoilt parts under digests that are right.
			signature = bytes.ReplaceAll(signature, []byte(registrytest.Digest(parts["payload"])), []byte(registrytest.Digest(payload)))
			signature = bytes.Replace(signature, fmt.Appendf(nil, `"size":%d`, len(parts["payload"])), fmt.Appendf(nil, `"size":%d`, len(payload)), 1)
			signed, err := ParseReference(l.host + "/tools/it@" + registrytest.Digest(tool))
			if err != nil {
				t.Fatal(err)
			}
			l.put(t, "blobs/uploads/1?digest="+registrytest.Digest(payload), payload)
			l.put(t, "manifests/"+strings.Replace(signed.Digest(), ":", "-", 1)+".sig", signature)
			by, err := l.client.Verify(t.Context(), signed, []PublicKey{c.key})
			if !errors.Is(err, c.want) || c.want == nil && by != c.key {
				t.Errorf("signed by %v, %v", by, err)
			}
		})
	}
}

func replaced(part, old, new string) func(string, []byte) []byte {
	return func(of string, text []byte) []byte {
		if of != part {
			return text
		}
		return bytes.Replace(text, []byte(old), []byte(new), 1)
	}
}

// put stores what a registry keeps of the tool.
func (l *lab) put(t *testing.T, path string, body []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+l.host+"/v2/tools/it/"+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s", path, answer.Status)
	}
}

// TestCosign lets cosign check what this package signed, and the other way about; neither takes the other's signature
// away.
func TestCosign(t *testing.T) {
	if *cosign == "" {
		t.Skip("-cosign names no program")
	}
	l := newLab(t)
	folder := t.TempDir()
	run := func(arguments ...string) error {
		command := exec.Command(*cosign, arguments...)
		command.Dir, command.Env = folder, append(os.Environ(), "COSIGN_PASSWORD=", "HOME="+folder)
		printed, err := command.CombinedOutput()
		if err != nil {
			return fmt.Errorf("cosign %s: %w\n%s", strings.Join(arguments, " "), err, printed)
		}
		return nil
	}
	_, pinned := l.push(t)
	sign := func(name string) PublicKey {
		t.Helper()
		if err := errors.Join(
			run("generate-key-pair", "--output-key-prefix", name),
			run("sign", "--key", name+".key", "--tlog-upload=false", "--yes", pinned.String()),
		); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, name+".pub"))
		if err != nil {
			t.Fatal(err)
		}
		key, err := ParsePublicKey(text)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	keep := func(name string, key PublicKey) {
		t.Helper()
		der, err := x509.MarshalPKIXPublicKey(key.key)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name+".pub"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	first := sign("first")
	if *cosignWrite {
		l.write(t, pinned, filepath.Join(folder, "first.pub"))
	}
	private, ours := newKey(t)
	if err := l.client.Sign(t.Context(), pinned, private); err != nil {
		t.Fatal(err)
	}
	keep("ours", ours)
	last := sign("last")
	_, stranger := newKey(t)
	keep("stranger", stranger)

	for name, key := range map[string]PublicKey{"first": first, "ours": ours, "last": last} {
		if by, err := l.client.Verify(t.Context(), pinned, []PublicKey{key}); err != nil || by != key {
			t.Errorf("%s: signed by %v, %v", name, by, err)
		}
		if err := run("verify", "--key", name+".pub", "--insecure-ignore-tlog", pinned.String()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := run("verify", "--key", "stranger.pub", "--insecure-ignore-tlog", pinned.String()); err == nil {
		t.Error("cosign finds the signature of a key that has not signed")
	}
}

// write keeps what cosign has signed as the file that needs no cosign.
func (l *lab) write(t *testing.T, signed Reference, key string) {
	t.Helper()
	public, errKey := os.ReadFile(key)
	tool, errTool := l.client.readManifest(t.Context(), signed)
	signature, errSignature := l.client.readManifest(t.Context(), signed.signatures())
	manifest, errManifest := l.client.readSignatures(t.Context(), signed)
	if err := errors.Join(errKey, errTool, errSignature, errManifest); err != nil {
		t.Fatal(err)
	}
	payload, err := l.client.readBlob(t.Context(), signed.signatures(), manifest.Layers[0], payloadBytesMax)
	if err != nil {
		t.Fatal(err)
	}
	archive := &txtar.Archive{Comment: []byte("What cosign 2.4.1 made of a tool: go test -run TestCosign -cosign PROGRAM -registry URL -cosign.write\n" +
		"Each section is without its last line break.\n")}
	for _, section := range []txtar.File{
		{Name: "cosign.pub", Data: public}, {Name: "tool", Data: tool}, {Name: "signature", Data: signature}, {Name: "payload", Data: payload},
	} {
		section.Data = append(bytes.TrimSuffix(section.Data, []byte("\n")), '\n')
		archive.Files = append(archive.Files, section)
	}
	if err := os.WriteFile(cosignFile, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
