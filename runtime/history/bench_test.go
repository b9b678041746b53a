package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history"
)

// BenchmarkAppend stores turns of a usual size, with a trace of two tool calls. The bytes are those that the process
// gave to the kernel for the disk, as /proc/self/io counts them: whole pages of the page cache, with what the log's
// carrying over into the file costs. The syncs are the commits: SQLite syncs once for each, and a few times every 1,000
// pages.
func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) { benchmarkAppend(b, callers) })
	}
}

func benchmarkAppend(b *testing.B, callers int) {
	s := openStore(b, history.Options{Path: filepath.Join(b.TempDir(), "history.db")})
	turn := benchTurn()
	var next atomic.Int64
	written := bytesWritten(b)
	commits := s.Commits()
	b.ResetTimer()
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			id := fmt.Sprintf("living-room-%d", caller)
			for version := int64(0); next.Add(1) <= int64(b.N); version++ {
				turn := turn
				turn.ID = fmt.Sprintf("%s/%d", id, version)
				if err := s.Append(b.Context(), id, version, turn, conversation.State{Mode: "AUTO"}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(s.Commits()-commits)/float64(b.N), "commits/turn")
	b.ReportMetric(float64(bytesWritten(b)-written)/float64(b.N), "B-written/turn")
}

// BenchmarkLoad loads the last 20 turns of a conversation among 10^5 turns.
func BenchmarkLoad(b *testing.B) {
	const conversations, turns = 1000, 100
	s := openStore(b, history.Options{Path: filepath.Join(b.TempDir(), "history.db")})
	turn := benchTurn()
	var group sync.WaitGroup
	for c := range conversations {
		group.Go(func() {
			for v := range turns {
				turn := turn
				turn.ID = fmt.Sprint(v)
				if err := s.Append(b.Context(), fmt.Sprint("c", c), int64(v), turn, conversation.State{}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	for i := 0; b.Loop(); i++ {
		c, err := s.Load(b.Context(), fmt.Sprint("c", i*37%conversations), 20)
		if err != nil || len(c.Turns) != 20 || c.Skipped != turns-20 {
			b.Fatal(len(c.Turns), err)
		}
	}
}

func benchTurn() conversation.Turn {
	return conversation.Turn{
		At: time.Now(), Language: "en", Mode: "AUTO",
		User:      "What is the weather like in Berlin, and do I need an umbrella tomorrow?",
		Assistant: "In Berlin it is 12 degrees and partly cloudy. Rain is likely tomorrow, so take an umbrella.",
		Trace:     []byte(`{"states":["RECEIVE_INPUT","LLM_INFERENCE"],"tool_calls":[` + strings.Repeat(`{"name":"get_weather"},`, 20) + `{}]}`),
	}
}

// bytesWritten is what this process has caused to be written to disks so far.
func bytesWritten(b *testing.B) int64 {
	b.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var count int64
		if _, err := fmt.Sscanf(line, "write_bytes: %d", &count); err == nil {
			return count
		}
	}
	b.Fatal("/proc/self/io has no write_bytes")
	return 0
}
