package main

import (
	"crypto/x509"
	"testing"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// TestOwnRootsTrustWhatIsAsked has the roots behind Open-Meteo and the usual models' addresses.
func TestOwnRootsTrustWhatIsAsked(t *testing.T) {
	wanted := map[string]bool{"ISRG Root X1": false, "GTS Root R1": false, "DigiCert Global Root G2": false}
	pool := ownRoots()
	for root := range bundle.Roots() {
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, ok := wanted[certificate.Subject.CommonName]; !ok {
			continue
		}
		if _, err := certificate.Verify(x509.VerifyOptions{Roots: pool}); err != nil {
			t.Errorf("%s: %v", certificate.Subject, err)
		}
		wanted[certificate.Subject.CommonName] = true
	}
	for name, found := range wanted {
		if !found {
			t.Errorf("%s is not in the binary", name)
		}
	}
}
