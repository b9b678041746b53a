package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// contender is one row of a comparison.
type contender struct {
	name    string
	address string
	do      work
	p50s    []time.Duration
	p99s    []time.Duration
	rates   []float64
}

// compare measures all contenders in turn, rounds times, at so many connections.
func (l *lab) compare(connections, turns, rounds int) error {
	all := []*contender{
		{name: "direct2", address: l.model.address, do: direct2},
		{name: "floor", address: l.floor.address, do: turn},
		{name: "chatterbox", address: l.self.address, do: turn},
	}
	for range rounds {
		for _, c := range all {
			r, err := run(c.address, connections, turns, c.do)
			if err != nil {
				return fmt.Errorf("%s, %d at a time: %w", c.name, connections, err)
			}
			c.p50s, c.p99s = append(c.p50s, r.percentile(.5)), append(c.p99s, r.percentile(.99))
			c.rates = append(c.rates, r.perSecond())
		}
	}
	fmt.Printf("\n%d at a time, %d turns, medians of %d rounds\n", connections, turns, rounds)
	fmt.Printf("%-12s %10s %10s %10s\n", "", "p50", "p99", "turns/s")
	for _, c := range all {
		fmt.Printf("%-12s %10s %10s %10.0f\n", c.name, micros(median(c.p50s)), micros(median(c.p99s)), median(c.rates))
	}
	direct, floor, ours := all[0], all[1], all[2]
	var costs, rates []float64
	for i := range rounds {
		costs = append(costs, float64(ours.p50s[i]-direct.p50s[i])/float64(floor.p50s[i]-direct.p50s[i]))
		rates = append(rates, ours.rates[i]/floor.rates[i])
	}
	if connections == 1 {
		fmt.Printf("beyond direct2, chatterbox costs %.2f times what floor does (target 1.4)\n", median(costs))
		return nil
	}
	fmt.Printf("chatterbox does %.2f of floor's turns a second (target 0.75)", median(rates))
	fmt.Printf("; its p99 is %.1f times its p50 (target 10)\n", float64(median(ours.p99s))/float64(median(ours.p50s)))
	return nil
}

// writes says what a turn writes to the disk, and how often it waits for it, alone and among 64.
func (l *lab) writes(turns int) error {
	for _, connections := range []int{1, 64} {
		total := connections * (turns/connections + 1)
		bytesBefore, commitsBefore, err := l.written()
		if err != nil {
			return err
		}
		if _, err := run(l.self.address, connections, total, turn); err != nil {
			return err
		}
		bytesAfter, commitsAfter, err := l.written()
		if err != nil {
			return err
		}
		target := "16 KB, 1 sync"
		if connections > 1 {
			target = "0.2 syncs"
		}
		written := float64(bytesAfter-bytesBefore) / float64(total) / 1000
		commits := float64(commitsAfter-commitsBefore) / float64(total)
		fmt.Printf("%d at a time: %.1f KB written and %.2f syncs a turn (target %s)\n", connections, written, commits, target)
	}
	return nil
}

// written is how many bytes chatterbox handed to the disk, as the kernel counts them, and how many commits it made.
func (l *lab) written() (bytes, commits int64, err error) {
	if bytes, err = l.self.kernel("io", "write_bytes:"); err != nil {
		return 0, 0, err
	}
	response, err := http.Get("http://" + l.self.address + "/health")
	if err != nil {
		return 0, 0, err
	}
	defer response.Body.Close()
	var health struct{ History struct{ Commits int64 } }
	err = json.NewDecoder(response.Body).Decode(&health)
	return bytes, health.History.Commits, err
}

// kernel is a figure that the kernel has of a process.
func (p *process) kernel(file, key string) (int64, error) {
	file = filepath.Join("/proc", strconv.Itoa(p.command.Process.Pid), file)
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, key)
}

// rested is how many kB a process has in memory once what is not needed any more is returned.
func (p *process) rested() (int64, error) {
	time.Sleep(time.Second)
	return p.kernel("status", "VmRSS:")
}

// again starts chatterbox beside the one that is measured.
func (l *lab) again(ctx context.Context) (*process, error) {
	return spawn(ctx, l.environment("start"), l.ours, "serve", "--listen", "127.0.0.1:0")
}

// size says how large and how quick to start the program is, the first time and with the compile cache warm.
func (l *lab) size(ctx context.Context) error {
	info, err := os.Stat(l.ours)
	if err != nil {
		return err
	}
	var ready []time.Duration
	var resident int64
	for range 6 {
		p, err := l.again(ctx)
		if err != nil {
			return err
		}
		ready = append(ready, p.ready)
		if len(ready) == 6 {
			resident, err = p.rested()
		}
		if err := errors.Join(err, p.stop()); err != nil {
			return err
		}
	}
	fmt.Printf("\nfile %.1f MB (target 25, for arm64; this is %s), idle %.1f MB (target 18)\n",
		float64(info.Size())/1e6, runtime.GOARCH, float64(resident)/1000)
	fmt.Printf("ready after %s the first time, %s with a warm compile cache (target 20ms)\n",
		ready[0].Round(100*time.Microsecond), median(ready[1:]).Round(100*time.Microsecond))
	return nil
}

// idle holds so many connections open, each after one request, and says what they cost.
func (l *lab) idle(ctx context.Context, connections int) error {
	if connections == 0 {
		return nil
	}
	p, err := l.again(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	before, err := p.rested()
	if err != nil {
		return err
	}
	open := make([]net.Conn, 0, connections)
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	answer := make([]byte, 4096)
	for range connections {
		c, err := net.Dial("tcp", p.address)
		if err != nil {
			return fmt.Errorf("after %d connections (ulimit -n must be above it): %w", len(open), err)
		}
		open = append(open, c)
		if _, err := fmt.Fprintf(c, "GET /health HTTP/1.1\r\nHost: %s\r\n\r\n", p.address); err != nil {
			return err
		}
		if _, err := c.Read(answer); err != nil {
			return fmt.Errorf("connection %d: %w", len(open), err)
		}
	}
	after, err := p.rested()
	if err != nil {
		return err
	}
	fmt.Printf("%d idle connections: %.1f MB in all, %.1f MB more than without (target 120)\n",
		connections, float64(after)/1000, float64(after-before)/1000)
	return nil
}

func median[T int | int64 | float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func micros(d time.Duration) string { return fmt.Sprintf("%d µs", d.Microseconds()) }
