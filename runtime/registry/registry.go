// Package registry carries tools to and from OCI registries. What comes is believed only when it has the digest that
// was asked for; what a tag means is resolved once and pinned.
package registry

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	digests "github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// The media types of a tool.
const (
	ArtifactType = "application/vnd.chatterbox.tool.v1"
	ModuleType   = "application/wasm"
	ManifestType = "application/vnd.chatterbox.tool.manifest.v1+json"
)

const (
	manifestBytesMax     = 64 << 10 // of the registry's manifest
	moduleBytesMax       = 32 << 20
	toolManifestBytesMax = 256 << 10
	redirectsMax         = 3
)

// Options are what a Client needs. Zero values mean the default in brackets.
type Options struct {
	Timeout time.Duration // of one method of the client, all requests included [2 min]
	Answer  time.Duration // until a registry begins to answer a request [15 s]
	Login   bool          // use what docker login or oras login has kept
}

// Client talks to registries: over https, or over http to this machine. Its methods may be called by several goroutines
// at once.
type Client struct {
	timeout   time.Duration
	transport *http.Transport
	auth      *auth.Client
}

// New returns a client. Close it when it is no longer needed.
func New(options Options) (*Client, error) {
	if options.Timeout == 0 {
		options.Timeout = 2 * time.Minute
	}
	if options.Answer == 0 {
		options.Answer = 15 * time.Second
	}
	c := &Client{timeout: options.Timeout, transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: options.Answer, TLSHandshakeTimeout: options.Answer,
		DialContext:            (&net.Dialer{Timeout: options.Answer}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
	}}
	c.auth = &auth.Client{
		Client: &http.Client{Transport: c.transport, CheckRedirect: checkRedirect},
		Cache:  auth.NewCache(),
	}
	c.auth.SetUserAgent("chatterbox")
	if options.Login {
		store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
		if err != nil {
			return nil, fmt.Errorf("read the logins: %w", err)
		}
		c.auth.Credential = credentials.Credential(store)
	}
	return c, nil
}

// Close drops the kept connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

var errRedirect = errors.New("the registry redirects")

// checkRedirect follows within the host, and elsewhere over https only: large files often lie on another server, and
// the digest says whether they are the right ones.
func checkRedirect(request *http.Request, via []*http.Request) error {
	switch {
	case len(via) > redirectsMax:
		return fmt.Errorf("%w more than %d times", errRedirect, redirectsMax)
	case request.URL.Host != via[0].URL.Host && request.URL.Scheme != "https",
		request.URL.Scheme != "https" && via[0].URL.Scheme == "https":
		return fmt.Errorf("%w to %s without https", errRedirect, request.URL.Host)
	}
	return nil
}

// Reference names a tool in a registry.
type Reference struct{ ref registry.Reference }

// ParseReference reads HOST/NAME@sha256:DIGEST or HOST/NAME:TAG.
func ParseReference(text string) (Reference, error) {
	ref, err := registry.ParseReference(text)
	if err == nil && strings.Contains(text, "@") {
		err = ref.ValidateReferenceAsDigest()
	}
	if err == nil && ref.Reference == "" {
		err = errors.New("it names neither a tag nor a digest")
	}
	if err == nil && strings.Contains(text, "@") && !strings.HasPrefix(ref.Reference, "sha256:") {
		err = errors.New("the digest must be a sha256")
	}
	if err != nil {
		return Reference{}, fmt.Errorf("%q is no reference such as example.org/tools/weather@sha256:…: %w", text, err)
	}
	return Reference{ref}, nil
}

// String gives the reference as ParseReference reads it.
func (r Reference) String() string { return r.ref.String() }

// Pinned says whether the reference is by digest.
func (r Reference) Pinned() bool { return r.ref.ValidateReferenceAsDigest() == nil }

// Digest is what a pinned reference names.
func (r Reference) Digest() string { return r.ref.Reference }

func (r Reference) at(reference string) Reference {
	r.ref.Reference = reference
	return r
}

// Tool is a tool as a registry keeps it.
type Tool struct {
	Module   []byte
	Manifest []byte // of the file beside the module; nil where it is in the module
}

func (c *Client) repository(r Reference) *remote.Repository {
	return &remote.Repository{Client: c.auth, Reference: r.ref, PlainHTTP: isLoopback(r.ref.Registry)}
}

// isLoopback says whether host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && address.IsLoopback()
}

// Resolve gives the reference by digest of what r names now.
func (c *Client) Resolve(ctx context.Context, r Reference) (Reference, error) {
	if r.Pinned() {
		return r, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	manifest, err := c.readManifest(ctx, r)
	if err != nil {
		return Reference{}, c.explain(ctx, r, err)
	}
	return r.at(digests.FromBytes(manifest).String()), nil
}

// Pull fetches the tool that the pinned reference names. Nothing is given unless all of it has its digest.
func (c *Client) Pull(ctx context.Context, r Reference) (Tool, error) {
	if !r.Pinned() {
		return Tool{}, fmt.Errorf("%s is not by digest", r)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	tool, err := c.pull(ctx, r)
	if err != nil {
		return Tool{}, c.explain(ctx, r, err)
	}
	return tool, nil
}

func (c *Client) pull(ctx context.Context, r Reference) (Tool, error) {
	text, err := c.readManifest(ctx, r)
	if err != nil {
		return Tool{}, err
	}
	var manifest ocispec.Manifest
	if err := json.Unmarshal(text, &manifest); err != nil || manifest.ArtifactType != ArtifactType {
		return Tool{}, errors.New("what is there is not a tool of chatterbox")
	}
	var tool Tool
	for _, layer := range manifest.Layers {
		switch {
		case layer.MediaType == ModuleType && tool.Module == nil:
			tool.Module, err = c.readBlob(ctx, r, layer, moduleBytesMax)
		case layer.MediaType == ManifestType && tool.Manifest == nil:
			tool.Manifest, err = c.readBlob(ctx, r, layer, toolManifestBytesMax)
		default:
			err = fmt.Errorf("it has a part of the type %.80q, or one part twice", layer.MediaType)
		}
		if err != nil {
			return Tool{}, err
		}
	}
	if tool.Module == nil {
		return Tool{}, errors.New("it has no module")
	}
	return tool, nil
}

var errTampered = errors.New("what came does not have the digest that was asked for")

// readManifest reads what r names. Under a digest nothing else is accepted.
func (c *Client) readManifest(ctx context.Context, r Reference) ([]byte, error) {
	_, body, err := c.repository(r).Manifests().FetchReference(ctx, r.ref.Reference)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, manifestBytesMax+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > manifestBytesMax:
		return nil, fmt.Errorf("its manifest has more than %d bytes", manifestBytesMax)
	case r.Pinned() && digests.FromBytes(text).String() != r.Digest():
		return nil, errTampered
	}
	return text, nil
}

func (c *Client) readBlob(ctx context.Context, r Reference, layer ocispec.Descriptor, bytesMax int64) ([]byte, error) {
	if err := layer.Digest.Validate(); err != nil || layer.Digest.Algorithm() != digests.SHA256 {
		return nil, fmt.Errorf("its manifest names a part by %.100q, which is no digest", layer.Digest)
	}
	if layer.Size < 0 || layer.Size > bytesMax {
		return nil, fmt.Errorf("a part of it has %d bytes, %d are allowed", layer.Size, bytesMax)
	}
	body, err := c.repository(r).Blobs().Fetch(ctx, layer)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, layer.Size+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the download broke off: %w", err)
	case int64(len(data)) != layer.Size:
		return nil, fmt.Errorf("the download has %d bytes, not %d", len(data), layer.Size)
	case digests.FromBytes(data) != layer.Digest:
		return nil, errTampered
	}
	return data, nil
}

// Push puts the tool where r, by tag, says, and gives its reference by digest.
func (c *Client) Push(ctx context.Context, r Reference, tool Tool) (Reference, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	manifest := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, ArtifactType: ArtifactType}
	manifest.SchemaVersion = 2
	layers := []part{{ModuleType, tool.Module, nil}}
	if tool.Manifest != nil {
		layers = append(layers, part{ManifestType, tool.Manifest, nil})
	}
	pinned, err := c.push(ctx, r, manifest, layers)
	if err != nil {
		return Reference{}, c.explain(ctx, r, err)
	}
	return pinned, nil
}

type part struct {
	mediaType   string
	data        []byte
	annotations map[string]string
}

// push sends the parts and, last, the manifest that names them.
func (c *Client) push(ctx context.Context, r Reference, manifest ocispec.Manifest, parts []part) (Reference, error) {
	repository := c.repository(r)
	manifest.Config = ocispec.DescriptorEmptyJSON
	for i, p := range append([]part{{ocispec.MediaTypeEmptyJSON, ocispec.DescriptorEmptyJSON.Data, nil}}, parts...) {
		layer := ocispec.Descriptor{MediaType: p.mediaType, Digest: digests.FromBytes(p.data), Size: int64(len(p.data))}
		if there, err := repository.Blobs().Exists(ctx, layer); err != nil {
			return Reference{}, err
		} else if !there {
			if err := repository.Blobs().Push(ctx, layer, bytes.NewReader(p.data)); err != nil {
				return Reference{}, err
			}
		}
		if layer.Annotations = p.annotations; i > 0 {
			manifest.Layers = append(manifest.Layers, layer)
		}
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return Reference{}, err
	}
	whole := ocispec.Descriptor{MediaType: manifest.MediaType, Digest: digests.FromBytes(text), Size: int64(len(text))}
	if err := repository.Manifests().PushReference(ctx, whole, bytes.NewReader(text), r.ref.Reference); err != nil {
		return Reference{}, err
	}
	return r.at(whole.Digest.String()), nil
}

// explain says what went wrong in words for the person who asked.
func (c *Client) explain(ctx context.Context, r Reference, err error) error {
	host := r.ref.Registry
	var answer *errcode.ErrorResponse
	var timeout net.Error
	switch {
	case errors.Is(err, errRedirect):
		return fmt.Errorf("%s: %w", host, err)
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%s did not answer in time: %w", host, err)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, auth.ErrBasicCredentialNotFound),
		errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden):
		return fmt.Errorf("%s asks for a login that it was not given: %w", host, err)
	case errors.Is(err, errdef.ErrNotFound):
		return fmt.Errorf("%s is not there: %w", r, err)
	}
	return fmt.Errorf("%s: %w", r, err)
}
