// Package addresses says where an IP address or a host name lies: in the house, on the internet, or where nobody may
// go.
package addresses

import (
	"net/netip"
	"slices"
	"strings"
)

// This file decides which addresses may be connected to. The rules are:
//
//   - public addresses may;
//   - loopback, private, shared (carrier-grade) and unique local addresses are private: only who is told to goes there;
//   - everything else never: link-local, metadata services, multicast, unspecified, reserved and documentation ranges,
//     and the forms that hide an IPv4 address (6to4, Teredo, compatible, local-use NAT64);
//   - a mapped address and one behind the well-known NAT64 prefix are what the IPv4 address inside them is, because
//     that is where the packets go;
//   - IPv6 outside the global unicast range is never: a range that is not known is not allowed.

// Class is what may be done with an address.
type Class int

// The classes.
const (
	Never   Class = iota // connected to by nobody
	Private              // of this machine or its network
	Public
)

var privateRanges = prefixes(
	"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", // private
	"100.64.0.0/10",          // shared; overlay networks at home use it
	"127.0.0.0/8", "::1/128", // loopback
	"fc00::/7", // unique local
)

// neverRanges wins over privateRanges.
var neverRanges = prefixes(
	"169.254.0.0/16", "fe80::/10", // link-local, with most metadata services
	// other metadata services
	"100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::254/128",
	"0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4",
	"2001::/23",                  // protocol assignments, Teredo among them
	"2001:db8::/32", "3fff::/20", // documentation
	"2002::/16", // 6to4
)

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
)

// Of says what may be done with an address.
func Of(address netip.Addr) Class {
	if !address.IsValid() || address.Zone() != "" {
		return Never
	}
	address = address.Unmap()
	if nat64.Contains(address) {
		bytes := address.As16()
		address = netip.AddrFrom4([4]byte(bytes[12:]))
		if Of(address) != Public {
			return Never // a translator has no business inside the house
		}
		return Public
	}
	switch {
	case contains(neverRanges, address):
		return Never
	case contains(privateRanges, address):
		return Private
	case address.Is4() || globalUnicast.Contains(address):
		return Public
	default:
		return Never
	}
}

func contains(ranges []netip.Prefix, address netip.Addr) bool {
	for _, prefix := range ranges {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

func prefixes(texts ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParsePrefix(text)
	}
	return parsed
}

// localNames end names that only a local network resolves.
var localNames = []string{".localhost", ".local", ".lan", ".home", ".internal", ".home.arpa"}

// Local reports whether a host is private: its address is, or it is a name that only a local network resolves, such as
// one without a dot, as containers and routers call their neighbours. It asks no name server.
func Local(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return Of(ip) == Private
	}
	return !strings.Contains(host, ".") ||
		slices.ContainsFunc(localNames, func(end string) bool { return strings.HasSuffix(host, end) })
}
