package main

import (
	"crypto/x509"
	"os"
	"runtime"
	"sync"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// useOwnRoots makes the certificates inside this binary the trusted ones where the system has none, as in a container
// made from scratch. It reads a few paths and, only there, parses the bundle.
var useOwnRoots = sync.OnceFunc(func() {
	if runtime.GOOS != "linux" || os.Getenv("SSL_CERT_FILE") != "" || os.Getenv("SSL_CERT_DIR") != "" {
		return
	}
	for _, path := range []string{"/etc/ssl", "/etc/pki", "/system/etc/security/cacerts"} {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	x509.SetFallbackRoots(ownRoots())
})

// ownRoots are the certificates inside this binary.
func ownRoots() *x509.CertPool {
	pool := x509.NewCertPool()
	for root := range bundle.Roots() {
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			continue // one certificate that this Go cannot read must not cost the others
		}
		if root.Constraint != nil {
			pool.AddCertWithConstraint(certificate, root.Constraint)
		} else {
			pool.AddCert(certificate)
		}
	}
	return pool
}
