package hostile

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// Watch looks at the memory of this process and of those that it started until grown is called, which answers by how much
// the most was more than at the beginning, in bytes as a program without race detector has them. Where the system does not
// say what a process has, it is 0.
func Watch() (grown func() int64) {
	debug.FreeOSMemory()
	before := resident()
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for highest := before; ; {
			highest = max(highest, resident())
			select {
			case <-stop:
				most <- highest
				return
			case <-ticker.C:
			}
		}
	}()
	return func() int64 {
		close(stop)
		return (<-most - before) / raceMemory
	}
}

func resident() int64 {
	bytes := Resident(os.Getpid())
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if id, err := strconv.Atoi(entry.Name()); err == nil && parent(id) == os.Getpid() {
			bytes += Resident(id)
		}
	}
	return bytes
}

// Resident is the memory of a process in bytes; 0 where the system does not say.
func Resident(process int) int64 {
	var all, pages int64
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", process)); err == nil {
		_, _ = fmt.Sscan(string(text), &all, &pages)
	}
	return pages * int64(os.Getpagesize())
}

func parent(process int) (id int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return 0
	}
	var state string
	_, after, _ := strings.Cut(string(text), ") ")
	_, _ = fmt.Sscan(after, &state, &id)
	return id
}
