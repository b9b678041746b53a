package toolbox

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// zones.txt lists the names of the time-zone database, because Go can load a zone by its exact name only and cannot
// list them.
//
//go:embed zones.txt
var zoneList string

var zones = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for name := range strings.Lines(zoneList) {
		name = strings.TrimSpace(name)
		names[strings.ToLower(name)] = name
	}
	return names
})

// locations keeps zones that were loaded, by name; there are no more than zones.txt has lines.
var locations sync.Map

// findZone loads a zone by its name in any case and gives the usual spelling.
func findZone(name string) (usual string, location *time.Location, known bool) {
	usual, known = zones()[strings.ToLower(name)]
	if !known {
		return "", nil, false
	}
	if found, ok := locations.Load(usual); ok {
		return usual, found.(*time.Location), true
	}
	location, err := time.LoadLocation(usual)
	if err != nil {
		return "", nil, false
	}
	locations.Store(usual, location)
	return usual, location, true
}

// zoneName is the database's name of a location. Go calls the machine's own zone Local; its name is where the machine
// keeps it, if that is the same zone.
func zoneName(location *time.Location) string {
	if location.String() != "Local" {
		return location.String()
	}
	candidates := []string{"UTC"}
	if target, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(filepath.ToSlash(target), "/zoneinfo/"); ok {
			candidates = append([]string{name}, candidates...)
		}
	}
	if text, err := os.ReadFile("/etc/timezone"); err == nil {
		candidates = append([]string{strings.TrimSpace(string(text))}, candidates...)
	}
	for _, candidate := range candidates {
		if name, found, ok := findZone(candidate); ok && sameClock(location, found) {
			return name
		}
	}
	return "Local"
}

// sameClock says whether two zones show the same time all through this year.
func sameClock(a, b *time.Location) bool {
	now := time.Now()
	for month := range 12 {
		at := now.AddDate(0, month, 0)
		if at.In(a).Format(time.DateTime) != at.In(b).Format(time.DateTime) {
			return false
		}
	}
	return true
}
