package registry

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/runtime/registry/registrytest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// real names a registry server to test against beside the fake one, such as http://127.0.0.1:5000.
var real = flag.String("registry", "", "URL of a registry server on loopback")

// spoil stands between client and registry and changes answers.
type spoil func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) (done bool)

// lab is a registry behind a server whose answers a test may spoil.
type lab struct {
	host   string
	client *Client
	mu     sync.Mutex
	spoil  spoil // guarded by mu
}

func newLab(t *testing.T) *lab {
	// A registry keeps the signatures of earlier tests, so each has a tool of its own.
	someTool.Module = append(bytes.Repeat([]byte("\x00asm tool "), 9000), rand.Text()...)
	t.Helper()
	var behind http.Handler = registrytest.New()
	if *real != "" {
		behind = forward(t, *real)
	}
	l := &lab{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		change := l.spoil
		l.mu.Unlock()
		recorder := httptest.NewRecorder()
		behind.ServeHTTP(recorder, r)
		if change != nil && change(w, r, recorder) {
			return
		}
		for name, values := range recorder.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(recorder.Code)
		w.Write(recorder.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	l.host = strings.TrimPrefix(server.URL, "http://")
	var err error
	if l.client, err = New(Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.client.Close)
	return l
}

// forward passes requests on to a real registry, whose uploads stay behind this server.
func forward(t *testing.T, base string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		request, err := http.NewRequestWithContext(r.Context(), r.Method, base+r.URL.RequestURI(), r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		request.Header, request.ContentLength = r.Header, r.ContentLength
		request.Host = r.Host
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		for name, values := range answer.Header {
			w.Header()[name] = values
		}
		if location, err := url.Parse(answer.Header.Get("Location")); err == nil && location.Host != "" {
			w.Header().Set("Location", location.RequestURI())
		}
		w.WriteHeader(answer.StatusCode)
		io.Copy(w, answer.Body)
	}
}

func (l *lab) spoilWith(s spoil) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spoil = s
}

func newKey(t *testing.T) (PrivateKey, PublicKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ParsePrivateKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParsePublicKey(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

var someTool = Tool{Manifest: []byte(`{"name":"it","description":"Does it."}`)}

// push pushes someTool.
func (l *lab) push(t *testing.T) (tag, pinned Reference) {
	t.Helper()
	tag, err := ParseReference(l.host + "/tools/it:1.0")
	if err != nil {
		t.Fatal(err)
	}
	if pinned, err = l.client.Push(t.Context(), tag, someTool); err != nil {
		t.Fatal(err)
	}
	return tag, pinned
}

// publish pushes and signs someTool.
func (l *lab) publish(t *testing.T, key PrivateKey) Reference {
	t.Helper()
	tag, pinned := l.push(t)
	if err := l.client.Sign(t.Context(), pinned, key); err != nil {
		t.Fatal(err)
	}
	if resolved, err := l.client.Resolve(t.Context(), tag); err != nil || resolved != pinned {
		t.Fatalf("the tag is %v, %v, pushed was %v", resolved, err, pinned)
	}
	return pinned
}

// fetch is what an installation does.
func (l *lab) fetch(ctx context.Context, r Reference, key PublicKey) (Tool, error) {
	if _, err := l.client.Verify(ctx, r, []PublicKey{key}); err != nil {
		return Tool{}, err
	}
	return l.client.Pull(ctx, r)
}

func TestToolComesAsItWent(t *testing.T) {
	l := newLab(t)
	private, public := newKey(t)
	pinned := l.publish(t, private)
	tool, err := l.fetch(t.Context(), pinned, public)
	if err != nil || !bytes.Equal(tool.Module, someTool.Module) || !bytes.Equal(tool.Manifest, someTool.Manifest) {
		t.Errorf("got %d and %d bytes, %v", len(tool.Module), len(tool.Manifest), err)
	}
	_, other := newKey(t)
	if _, err := l.client.Verify(t.Context(), pinned, []PublicKey{other}); !errors.Is(err, ErrUnsigned) {
		t.Errorf("with another key: %v", err)
	}
	if _, err := l.client.Verify(t.Context(), pinned, nil); !errors.Is(err, ErrUnsigned) {
		t.Errorf("with no key: %v", err)
	}
	unknown := pinned.at(registrytest.Digest([]byte("another")))
	if _, err := l.client.Verify(t.Context(), unknown, []PublicKey{public}); !errors.Is(err, ErrUnsigned) {
		t.Errorf("without a signature: %v", err)
	}
	if _, err := l.client.Pull(t.Context(), unknown); err == nil || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("what is not there: %v", err)
	}
}

// TestSignaturesAreAdded holds that whoever signs takes nobody's signature away, and that a second one of the same key
// is none.
func TestSignaturesAreAdded(t *testing.T) {
	l := newLab(t)
	first, firstPublic := newKey(t)
	second, secondPublic := newKey(t)
	pinned := l.publish(t, first)
	for range 2 {
		if err := l.client.Sign(t.Context(), pinned, second); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []PublicKey{firstPublic, secondPublic} {
		if by, err := l.client.Verify(t.Context(), pinned, []PublicKey{key}); err != nil || by != key {
			t.Errorf("signed by %v, %v, want %v", by, err, key)
		}
	}
	count := func() int {
		manifest, err := l.client.readSignatures(t.Context(), pinned)
		if err != nil {
			t.Fatal(err)
		}
		return len(manifest.Layers)
	}
	if got := count(); got != 2 {
		t.Errorf("%d signatures, want 2", got)
	}
	for count() < signaturesMax {
		key, _ := newKey(t)
		if err := l.client.Sign(t.Context(), pinned, key); err != nil {
			t.Fatal(err)
		}
	}
	key, _ := newKey(t)
	if err := l.client.Sign(t.Context(), pinned, key); err == nil || !strings.Contains(err.Error(), "signatures already") {
		t.Errorf("one more than allowed: %v", err)
	}
	if _, err := l.client.Verify(t.Context(), pinned, []PublicKey{firstPublic}); err != nil {
		t.Errorf("then the first: %v", err)
	}
}

// flip changes one byte in the middle of the answers that where picks.
func flip(where func(r *http.Request) bool) spoil {
	return func(_ http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) bool {
		if body := answer.Body.Bytes(); r.Method == http.MethodGet && where(r) && len(body) > 2 {
			body[len(body)/2] ^= 1
		}
		return false
	}
}

func pathHas(part string) func(r *http.Request) bool {
	return func(r *http.Request) bool { return strings.Contains(r.URL.Path, part) }
}

func redirectTo(target string) spoil {
	return func(w http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
		http.Redirect(w, r, target+r.URL.Path, http.StatusTemporaryRedirect)
		return true
	}
}

func TestBadRegistry(t *testing.T) {
	l := newLab(t)
	private, public := newKey(t)
	pinned := l.publish(t, private)
	moduleBlob, signature := "/blobs/"+registrytest.Digest(someTool.Module), strings.Replace(pinned.Digest(), ":", "-", 1)+".sig"
	for name, c := range map[string]struct {
		spoil spoil
		want  string
	}{
		"one byte of the module":    {flip(pathHas(moduleBlob)), "does not have the digest"},
		"one byte of the manifest":  {flip(pathHas("/manifests/" + pinned.Digest())), "digest"},
		"one byte of the signature": {flip(pathHas(signature)), "no key that you trust has signed it"},
		"one byte of what is signed": {flip(func(r *http.Request) bool {
			return pathHas("/blobs/")(r) && !pathHas(moduleBlob)(r) && !pathHas(registrytest.Digest(someTool.Manifest))(r)
		}), "digest"},
		"a download that is cut short": {func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) bool {
			if !pathHas(moduleBlob)(r) {
				return false
			}
			w.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
			w.Write(answer.Body.Bytes()[:100])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "broke off"},
		"a download that is too long": {func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) bool {
			if !pathHas(moduleBlob)(r) {
				return false
			}
			w.(http.Flusher).Flush()
			w.Write(append(answer.Body.Bytes(), "more"...))
			return true
		}, "the download has"},
		"one that redirects elsewhere":  {redirectTo("http://127.0.0.2:1"), "redirects to 127.0.0.2:1 without https"},
		"one that redirects in circles": {redirectTo(""), "redirects more than 3 times"},
		"one that asks for a login": {func(w http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
			w.Header().Set("WWW-Authenticate", `Basic realm="tools"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}, "asks for a login"},
		"one that forbids": {func(w http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
			w.WriteHeader(http.StatusForbidden)
			return true
		}, "asks for a login"},
		"one that fails": {func(w http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}, "500"},
	} {
		t.Run(name, func(t *testing.T) {
			l.spoilWith(c.spoil)
			defer l.spoilWith(nil)
			tool, err := l.fetch(t.Context(), pinned, public)
			if err == nil || !strings.Contains(err.Error(), c.want) || tool.Module != nil || tool.Manifest != nil {
				t.Errorf("%v, with %d bytes", err, len(tool.Module))
			}
		})
	}
	if _, err := l.fetch(t.Context(), pinned, public); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestRegistryThatHangs(t *testing.T) {
	l := newLab(t)
	private, public := newKey(t)
	pinned := l.publish(t, private)
	l.spoilWith(func(_ http.ResponseWriter, r *http.Request, _ *httptest.ResponseRecorder) bool {
		<-r.Context().Done()
		return true
	})
	hurried, err := New(Options{Answer: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer hurried.Close()
	if _, err := hurried.Verify(t.Context(), pinned, []PublicKey{public}); err == nil || !strings.Contains(err.Error(), "did not answer in time") {
		t.Error(err)
	}
}

// TestManifestThatLies serves manifests of the right digest that name what no tool has.
func TestManifestThatLies(t *testing.T) {
	const whole = `{"schemaVersion":2,"artifactType":"` + ArtifactType + `","layers":[%s]}`
	module := `{"mediaType":"application/wasm","digest":"` + registrytest.Digest([]byte("x")) + `","size":1}`
	for text, want := range map[string]string{
		fmt.Sprintf(whole, `{"mediaType":"application/wasm","digest":"sha256:../../../../etc/passwd","size":1}`):          "is no digest",
		fmt.Sprintf(whole, `{"mediaType":"application/wasm","digest":"../x","size":1}`):                                   "is no digest",
		fmt.Sprintf(whole, `{"mediaType":"application/wasm","digest":"`+registrytest.Digest(nil)+`","size":99999999999}`): "are allowed",
		fmt.Sprintf(whole, `{"mediaType":"application/wasm","digest":"`+registrytest.Digest(nil)+`","size":-1}`):          "are allowed",
		fmt.Sprintf(whole, module+","+module):                    "one part twice",
		fmt.Sprintf(whole, `{"mediaType":"text/html","size":1}`): "a part of the type",
		fmt.Sprintf(whole, ""):                                   "no module",
		`{"schemaVersion":2,"layers":[]}`:                        "not a tool",
		`not JSON`:                                               "not a tool",
		strings.Repeat(" ", manifestBytesMax+1):                  "its manifest has more",
	} {
		registry := registrytest.New()
		registry.PutBlob([]byte("x"))
		registry.PutManifest([]byte(text))
		server := httptest.NewServer(registry)
		client, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := ParseReference(strings.TrimPrefix(server.URL, "http://") + "/it@" + registrytest.Digest([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if tool, err := client.Pull(t.Context(), r); err == nil || !strings.Contains(err.Error(), want) || tool.Module != nil {
			t.Errorf("%.120s: %v, want %q", text, err, want)
		}
		client.Close()
		server.Close()
	}
}

func TestReferences(t *testing.T) {
	hex64 := strings.Repeat("a", 64)
	for text, pinned := range map[string]bool{"example.org/tools/it:1.0": false, "localhost:5000/it@sha256:" + hex64: true} {
		if r, err := ParseReference(text); err != nil || r.Pinned() != pinned || r.String() != text {
			t.Errorf("%s: %v, %v", text, r, err)
		}
	}
	for _, text := range []string{"", "it", "example.org/it", "example.org/it@sha256:../../x", "example.org/it@sha256:" + hex64[:63],
		"example.org/../it:1", "example.org/it@md5:" + hex64[:32], "example.org/it@sha512:" + hex64 + hex64, "https://example.org/it:1",
		"example.org/It:1", "example.org/it:" + strings.Repeat("1", 129), "example.org/it@sha256:" + strings.ToUpper(hex64)} {
		if r, err := ParseReference(text); err == nil {
			t.Errorf("%q is read as %v", text, r)
		}
	}
}
