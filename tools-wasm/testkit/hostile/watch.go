package hostile

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// Watch looks at the memory of this process and of those that it started, and those that they started, until grown is
// called, which answers by how much the most was more than at the beginning, in bytes as a program without race
// detector has them. Where the system does not say what a process has, it is 0.
func Watch() (grown func() int64) {
	debug.FreeOSMemory()
	before := resident()
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		highest := before
		for ended := false; !ended; highest = max(highest, resident()) {
			select {
			case <-stop:
				ended = true
			case <-ticker.C:
			}
		}
		most <- highest
	}()
	return func() int64 {
		close(stop)
		return (<-most - before) / raceMemory
	}
}

func resident() int64 {
	children := map[int][]int{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if id, err := strconv.Atoi(entry.Name()); err == nil {
			of := parent(id)
			children[of] = append(children[of], id)
		}
	}
	var bytes int64
	for family := []int{os.Getpid()}; len(family) > 0; family = family[1:] {
		bytes += Resident(family[0])
		family = append(family, children[family[0]]...)
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
