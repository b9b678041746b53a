//go:build ignore

// Command gen_zones writes zones/iana.txt from a folder of the time zone database that has tzdata.zi and zone.tab.
//
// It writes one line per name: the name, > and the name that zone.tab has for the same place where that is another one,
// and the country where zone.tab says one.
package main

import (
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	folder := flag.String("from", "/usr/share/zoneinfo", "folder of the database")
	flag.Parse()
	countries := map[string]string{}
	for line := range lines(*folder, "zone.tab") {
		if fields := strings.Split(line, "\t"); len(fields) >= 3 && !strings.HasPrefix(line, "#") {
			countries[fields[2]] = fields[0]
		}
	}
	target := map[string]string{} // "" for a zone, the target for a link
	version := ""
	for line := range lines(*folder, "tzdata.zi") {
		switch fields := strings.Fields(line); {
		case strings.HasPrefix(line, "# version "):
			version = fields[2]
		case len(fields) > 1 && fields[0] == "Z":
			target[fields[1]] = ""
		case len(fields) > 2 && fields[0] == "L":
			target[fields[2]] = fields[1]
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# Every name of the IANA time zone database %s; written by gen_zones.go.\n", version)
	for _, name := range slices.Sorted(maps.Keys(target)) {
		out.WriteString(name)
		if usual := follow(name, target, countries); usual != name {
			out.WriteString(">" + usual)
		}
		if country := countries[name]; country != "" {
			out.WriteString(" " + country)
		}
		out.WriteByte('\n')
	}
	if err := os.WriteFile(filepath.Join("zones", "iana.txt"), []byte(out.String()), 0o644); err != nil {
		log.Fatal(err)
	}
}

// follow goes along the links until a name that zone.tab has; a name that leads to none stays.
func follow(name string, target, countries map[string]string) string {
	for at := name; at != ""; at = target[at] {
		if countries[at] != "" {
			return at
		}
	}
	return name
}

func lines(folder, file string) func(func(string) bool) {
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		log.Fatal(err)
	}
	return strings.SplitSeq(string(text), "\n")
}
