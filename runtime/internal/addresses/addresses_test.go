package addresses

import "testing"

func TestLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "nas": true, "nas.local": true, "nas.lan": true, "nas.home": true,
		"nas.home.arpa": true, "host.docker.internal": true, "x.localhost": true,
		"127.0.0.1": true, "::1": true, "192.168.1.5": true, "10.1.2.3": true, "fd12::1": true, "::ffff:10.0.0.1": true,
		"100.64.0.1": true, "100.127.255.254": true, // overlay networks
		"169.254.1.1": false, "fe80::1": false, "fe80::1%eth0": false, // link-local
		"example.org": false, "home.example.org": false, "local.example": false, "nashome.org": false,
		"8.8.8.8": false, "2001:4860:4860::8888": false, "100.128.0.1": false,
		"169.254.169.254": false, "100.100.100.200": false, // metadata services
	} {
		if got := Local(host); got != want {
			t.Errorf("Local(%q) = %t", host, got)
		}
	}
}
