package egress

import "chatterbox/runtime/internal/addresses"

// IsLocal reports whether a host is of the person's own network, so that only a rule whose Private is set lets a guest
// go there: a private or loopback address, or a name that only a local network resolves. It asks no name server.
func IsLocal(host string) bool { return addresses.Local(host) }
