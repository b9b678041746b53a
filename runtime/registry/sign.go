package registry

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
)

// This file signs and checks in the format of cosign with key pairs: a payload that names a digest, signed with ECDSA,
// under the tag sha256-<digest>.sig beside what it is about.

const (
	payloadType         = "application/vnd.dev.cosign.simplesigning.v1+json"
	signatureAnnotation = "dev.cosignproject.cosign/signature"
	payloadBytesMax     = 64 << 10
	signaturesMax       = 32
)

type payload struct {
	Critical struct {
		Identity struct {
			Reference string `json:"docker-reference"`
		} `json:"identity"`
		Image struct {
			Digest string `json:"docker-manifest-digest"`
		} `json:"image"`
		Type string `json:"type"`
	} `json:"critical"`
	Optional map[string]any `json:"optional"`
}

const payloadKind = "cosign container image signature"

// PublicKey is a key that a person trusts.
type PublicKey struct{ key *ecdsa.PublicKey }

// ParsePublicKey reads a key in PEM, as cosign.pub is.
func ParsePublicKey(text []byte) (PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "PUBLIC KEY" {
		return PublicKey{}, errors.New("it is not a public key in PEM")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return PublicKey{}, fmt.Errorf("read the public key: %w", err)
	}
	key, ok := parsed.(*ecdsa.PublicKey)
	if !ok {
		return PublicKey{}, fmt.Errorf("a key of the type ECDSA is needed, not %T", parsed)
	}
	return PublicKey{key}, nil
}

// Fingerprint names the key.
func (k PublicKey) Fingerprint() string {
	der, err := x509.MarshalPKIXPublicKey(k.key)
	if err != nil {
		return "an unknown key"
	}
	sum := sha256.Sum256(der)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// PrivateKey signs.
type PrivateKey struct{ key *ecdsa.PrivateKey }

// ParsePrivateKey reads an ECDSA key in PEM without a password.
func ParsePrivateKey(text []byte) (PrivateKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return PrivateKey{}, errors.New("it is not a key in PEM")
	}
	if strings.Contains(block.Type, "ENCRYPTED") {
		return PrivateKey{}, errors.New("the key has a password: publish without it, then sign with cosign itself")
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return PrivateKey{key}, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return PrivateKey{}, fmt.Errorf("read the private key: %w", err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok {
		return PrivateKey{}, fmt.Errorf("a key of the type ECDSA is needed, not %T", parsed)
	}
	return PrivateKey{key}, nil
}

func (r Reference) signatures() Reference {
	return r.at(strings.Replace(r.Digest(), ":", "-", 1) + ".sig")
}

// Sign adds a signature of the pinned reference to those beside it; where the key has signed already there is nothing
// to do. Of two that sign at the same moment one may have to sign again.
func (c *Client) Sign(ctx context.Context, r Reference, key PrivateKey) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	manifest, err := c.readSignatures(ctx, r)
	if err != nil {
		return fmt.Errorf("look for signatures to add to: %w", err)
	}
	by, err := c.signedBy(ctx, r, manifest, []PublicKey{{&key.key.PublicKey}})
	if err != nil || by.key != nil {
		return err
	}
	if len(manifest.Layers) >= signaturesMax {
		return fmt.Errorf("%s has %d signatures already, which is the most", r, len(manifest.Layers))
	}
	var p payload
	p.Critical.Identity.Reference = r.ref.Registry + "/" + r.ref.Repository
	p.Critical.Image.Digest, p.Critical.Type = r.Digest(), payloadKind
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	sum := sha256.Sum256(text)
	signature, err := ecdsa.SignASN1(rand.Reader, key.key, sum[:])
	if err != nil {
		return fmt.Errorf("sign: %w", err)
	}
	signed := ocispec.Manifest{MediaType: ocispec.MediaTypeImageManifest, Layers: manifest.Layers}
	signed.SchemaVersion = 2
	_, err = c.push(ctx, r.signatures(), signed, []part{{payloadType, text,
		map[string]string{signatureAnnotation: base64.StdEncoding.EncodeToString(signature)}}})
	if err != nil {
		return c.explain(ctx, r, err)
	}
	return nil
}

// readSignatures reads what is signed of r; nothing is no error.
func (c *Client) readSignatures(ctx context.Context, r Reference) (manifest ocispec.Manifest, err error) {
	text, err := c.readManifest(ctx, r.signatures())
	if errors.Is(err, errdef.ErrNotFound) {
		return manifest, nil
	} else if err != nil {
		return manifest, c.explain(ctx, r, err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil || len(manifest.Layers) > signaturesMax {
		return manifest, fmt.Errorf("%s: %w: the signature cannot be read", r, ErrUnsigned)
	}
	return manifest, nil
}

// ErrUnsigned is a tool that none of the trusted keys has signed.
var ErrUnsigned = errors.New("no key that you trust has signed it")

// Verify says which of the keys has signed the pinned reference; none is ErrUnsigned.
func (c *Client) Verify(ctx context.Context, r Reference, keys []PublicKey) (PublicKey, error) {
	if !r.Pinned() {
		return PublicKey{}, fmt.Errorf("%s is not by digest", r)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	manifest, err := c.readSignatures(ctx, r)
	if err != nil {
		return PublicKey{}, err
	}
	key, err := c.signedBy(ctx, r, manifest, keys)
	if err == nil && key.key == nil {
		err = fmt.Errorf("%s: %w", r, ErrUnsigned)
	}
	return key, err
}

// signedBy gives the key among keys that made one of the signatures; its key is nil where none has.
func (c *Client) signedBy(ctx context.Context, r Reference, manifest ocispec.Manifest, keys []PublicKey) (PublicKey, error) {
	for _, layer := range manifest.Layers {
		signature, err := base64.StdEncoding.DecodeString(layer.Annotations[signatureAnnotation])
		if layer.MediaType != payloadType || err != nil {
			continue
		}
		text, err := c.readBlob(ctx, r.signatures(), layer, payloadBytesMax)
		if err != nil {
			return PublicKey{}, c.explain(ctx, r, err)
		}
		if key, ok := signer(keys, text, signature, r.Digest()); ok {
			return key, nil
		}
	}
	return PublicKey{}, nil
}

// signer gives the key that signed the payload, if it is about digest.
func signer(keys []PublicKey, text, signature []byte, digest string) (PublicKey, bool) {
	sum := sha256.Sum256(text)
	var p payload
	if json.Unmarshal(text, &p) != nil || p.Critical.Type != payloadKind || p.Critical.Image.Digest != digest {
		return PublicKey{}, false
	}
	for _, key := range keys {
		if ecdsa.VerifyASN1(key.key, sum[:], signature) {
			return key, true
		}
	}
	return PublicKey{}, false
}
