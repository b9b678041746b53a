package worker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// This file tries, from inside a process of guests, what a guest that broke out of the engine would try. The same is
// tried in a process without walls, where all of it must succeed, and behind single walls, which stop their share.

func init() {
	Roles[asProber], Roles[asVictim] = probe, beVictim
	Roles[asRan] = func() { tell(runProgram, nil) }
}

// RaceDetector says that limits of memory and processor time are not set.
const RaceDetector = raceDetector

const (
	asProber   = "prober" // followed by its walls and its surroundings
	asVictim   = "victim" // a process that lets itself be traced
	asRan      = "ran"    // the program that a prober runs in its own place
	runProgram = "run a program"
	readCache  = "read the cache"
	writeCache = "write to the cache"
	secretText = "nothing for guests"
	cachedText = "for guests"
)

// surroundings are what a prober tries to get at.
type surroundings struct {
	folder string // with secret, kept and cache/module
	victim int    // a process
	port   int    // that a listener on loopback has
	open   int    // a descriptor that its server has open on secret
	socket int    // made before the walls stood
}

func (s surroundings) arguments(walls string) []string {
	return []string{asProber, walls, s.folder, strconv.Itoa(s.victim), strconv.Itoa(s.port), strconv.Itoa(s.open)}
}

// attempt is one thing to try and the walls that stop it, each alone.
type attempt struct {
	name              string
	seccomp, landlock bool
	always            bool // how a worker is started, or its limits, stop it
	compiles          bool // the system calls of a worker that compiles have it
	try               func(surroundings) error
}

var attempts = []attempt{
	{name: "read a file", landlock: true, try: opening("/etc/passwd", unix.O_RDONLY)},
	{name: "list a folder", landlock: true, try: opening("/", unix.O_RDONLY|unix.O_DIRECTORY)},
	{name: "write to a file", seccomp: true, landlock: true, compiles: true, try: opening("kept", unix.O_WRONLY)},
	{name: "make a file", seccomp: true, landlock: true, compiles: true, try: opening("new", unix.O_WRONLY|unix.O_CREAT)},
	{name: "empty a file", seccomp: true, landlock: true, compiles: true, try: opening("kept", unix.O_RDONLY|unix.O_TRUNC)},
	{name: "remove a file", seccomp: true, landlock: true, compiles: true, try: func(s surroundings) error {
		return unix.Unlink(filepath.Join(s.folder, "kept"))
	}},
	{name: "make a TCP socket", seccomp: true, try: making(unix.AF_INET, unix.SOCK_STREAM)},
	{name: "make a UDP socket", seccomp: true, try: making(unix.AF_INET6, unix.SOCK_DGRAM)},
	{name: "make a local socket", seccomp: true, try: making(unix.AF_UNIX, unix.SOCK_STREAM)},
	{name: "connect", seccomp: true, landlock: landlockVersion() >= 4, try: func(s surroundings) error {
		return unix.Connect(s.socket, &unix.SockaddrInet4{Port: s.port, Addr: [4]byte{127, 0, 0, 1}})
	}},
	{name: "signal its server", seccomp: true, try: func(surroundings) error { return unix.Kill(os.Getppid(), 0) }},
	{name: "signal a thread of another process", seccomp: true, try: func(s surroundings) error {
		return unix.Tgkill(s.victim, s.victim, 0)
	}},
	{name: "trace a process", seccomp: true, landlock: true, try: func(s surroundings) error { return unix.PtraceSeize(s.victim) }},
	{name: "change its limits", seccomp: true, try: func(surroundings) error {
		return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1 << 10, Max: 1 << 10})
	}},
	{name: "start a process", seccomp: true, landlock: true, try: func(surroundings) error {
		id, err := syscall.ForkExec(os.Args[0], []string{os.Args[0], asEchoOfNothing}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2}})
		if err == nil {
			_, err = syscall.Wait4(id, nil, 0, nil)
		}
		return err
	}},
	{name: "see an environment variable", always: true, try: func(surroundings) error {
		if len(os.Environ()) == 0 {
			return errors.New("there are none")
		}
		return nil
	}},
	{name: "use a descriptor of its server", always: true, try: func(s surroundings) error {
		text := make([]byte, len(secretText))
		if n, err := unix.Pread(s.open, text, 0); err != nil || string(text[:n]) != secretText {
			return fmt.Errorf("read %d bytes: %v", n, err)
		}
		return nil
	}},
	{name: "have many descriptors", always: true, try: func(surroundings) error {
		for n := 0; n <= filesMax; n += 2 {
			var ends [2]int
			if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
				return err
			}
		}
		return nil
	}},
	{name: "have nearly two gigabytes of memory", always: !raceDetector, try: func(surroundings) error {
		_, err := unix.Mmap(-1, 0, 1<<31-1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		return err
	}},
	// The last: the process is another one then.
	{name: runProgram, seccomp: true, landlock: true, try: func(surroundings) error {
		return syscall.Exec(os.Args[0], []string{os.Args[0], asRan}, nil)
	}},
}

// asEchoOfNothing is no role: a test binary that is asked for no tests.
const asEchoOfNothing = "-test.run=^$"

func opening(path string, flags int) func(surroundings) error {
	return func(s surroundings) error {
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.folder, path)
		}
		_, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
		return err
	}
}

func making(family, kind int) func(surroundings) error {
	return func(surroundings) error {
		_, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
		return err
	}
}

func tell(name string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", name, done)
}

const done = "done"

// probe is the process that tries.
func probe() {
	s := surroundings{folder: os.Args[3]}
	var errs [4]error
	s.victim, errs[0] = strconv.Atoi(os.Args[4])
	s.port, errs[1] = strconv.Atoi(os.Args[5])
	s.open, errs[2] = strconv.Atoi(os.Args[6])
	s.socket, errs[3] = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err := errors.Join(errs[:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	switch os.Args[2] {
	case "all":
		_ = Serve(&probing{surroundings: s}, os.Stdout, nil)
		return
	case "seccomp":
		if !filterCalls(false) {
			return
		}
	case "landlock":
		_, _, _ = syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0)
		if !restrictFiles(setup{}) {
			return
		}
	}
	s.tryAll()
}

// probing gives a worker what its server sends first. When the worker asks for more, its walls stand.
type probing struct {
	surroundings
	begun bool
}

func (p *probing) Read(b []byte) (int, error) {
	if !p.begun {
		p.begun = true
		return os.Stdin.Read(b)
	}
	text, err := os.ReadFile(filepath.Join(p.folder, "cache", "module"))
	if err == nil && string(text) == cachedText {
		tell(readCache, nil)
	}
	tell(writeCache, os.WriteFile(filepath.Join(p.folder, "cache", "new"), nil, 0o600))
	p.tryAll()
	return 0, io.EOF
}

func (s surroundings) tryAll() {
	for _, attempt := range attempts {
		tell(attempt.name, attempt.try(s))
	}
}

func beVictim() {
	_ = unix.Prctl(unix.PR_SET_PTRACER, ^uintptr(0), 0, 0, 0)
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, struct{ io.Reader }{os.Stdin})
}

func surround(t *testing.T) surroundings {
	t.Helper()
	s := surroundings{folder: t.TempDir()}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Mkdir(filepath.Join(s.folder, "cache"), 0o700))
	for name, text := range map[string]string{"secret": secretText, "kept": "kept", "cache/module": cachedText} {
		check(os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600))
	}
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0) // package net would link C
	check(err)
	t.Cleanup(func() { _ = unix.Close(listener) })
	check(unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	check(unix.Listen(listener, 8))
	name, err := unix.Getsockname(listener)
	check(err)
	s.port = name.(*unix.SockaddrInet4).Port
	s.open, err = unix.Open(filepath.Join(s.folder, "secret"), unix.O_RDONLY, 0) // for programs that are started, too
	check(err)
	t.Cleanup(func() { _ = unix.Close(s.open) })
	victim := exec.Command(os.Args[0], asVictim)
	in, err := victim.StdinPipe()
	check(err)
	out, err := victim.StdoutPipe()
	check(err)
	check(victim.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = victim.Wait()
	})
	_, err = out.Read(make([]byte, 1))
	check(err)
	s.victim = victim.Process.Pid
	return s
}

// outcomes reads what a prober said, by the name of the attempt.
func outcomes(text []byte) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, outcome, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		all[name] = outcome
	}
	return all
}

// expect compares what came of each attempt with what stops it.
func expect(t *testing.T, got map[string]string, stopped func(attempt) bool) {
	t.Helper()
	for _, attempt := range attempts {
		switch outcome, tried := got[attempt.name]; {
		case !tried:
			t.Errorf("%s: was not tried", attempt.name)
		case stopped(attempt) && outcome == done:
			t.Errorf("%s: nothing stopped it", attempt.name)
		case !stopped(attempt) && outcome != done:
			t.Errorf("%s: %s, although nothing should stop it", attempt.name, outcome)
		}
	}
}

func TestAGuestsProcessGetsAtNothing(t *testing.T) {
	held, got := tryBehindAll(t, setup{memory: runMemory + threadsMemory + defaultPages*pageMemory})
	seccomp, landlock := strings.Contains(held, "seccomp"), strings.Contains(held, "landlock")
	expect(t, got, func(a attempt) bool { return a.always || a.seccomp && seccomp || a.landlock && landlock })
	if got[readCache] != done || got[writeCache] == done && (seccomp || landlock) {
		t.Errorf("the only folder that it may read: %s, and write: %s", got[readCache], got[writeCache])
	}
}

// TestAProcessThatCompilesGetsAtTheCacheOnly: what it compiles is somebody else's, too.
func TestAProcessThatCompilesGetsAtTheCacheOnly(t *testing.T) {
	held, got := tryBehindAll(t, compileSetup(0))
	seccomp, landlock := strings.Contains(held, "seccomp"), strings.Contains(held, "landlock")
	expect(t, got, func(a attempt) bool {
		return a.always || a.seccomp && seccomp && !a.compiles || a.landlock && landlock
	})
	if got[readCache] != done || got[writeCache] != done {
		t.Errorf("the only folder that it may read: %s, and write: %s", got[readCache], got[writeCache])
	}
}

// tryBehindAll makes all attempts in a worker, and gives the walls that it says it has and what came of each.
func tryBehindAll(t *testing.T, what setup) (held string, got map[string]string) {
	t.Helper()
	if !filterKnown && landlockVersion() == 0 {
		t.Skip("this kernel has neither seccomp for this processor nor landlock")
	}
	s := surround(t)
	what.cacheDir = filepath.Join(s.folder, "cache")
	var from starter
	defer from.close()
	var p *process
	var err error
	from.do(func() { p, err = start(append([]string{os.Args[0]}, s.arguments("all")...), what) })
	if err != nil {
		t.Fatal(err)
	}
	p.until(time.Now().Add(startMax))
	_, _, _ = p.frames.next(0) // until it ends
	p.kill()
	<-p.exited
	if promised := walls(); p.held != promised {
		t.Errorf("it holds %q, promised are %q", p.held, promised)
	}
	return p.held, outcomes(p.said.kept)
}

// TestOneWallAlone also shows what happens without any: then the attempts succeed, or they would show nothing.
func TestOneWallAlone(t *testing.T) {
	for wall, stopped := range map[string]func(attempt) bool{
		"none":     func(attempt) bool { return false },
		"seccomp":  func(a attempt) bool { return a.seccomp },
		"landlock": func(a attempt) bool { return a.landlock },
	} {
		t.Run(wall, func(t *testing.T) {
			child := exec.Command(os.Args[0], surround(t).arguments(wall)...)
			var said bytes.Buffer
			child.Stderr = &said
			if err := child.Run(); err != nil {
				t.Fatalf("%v: %s", err, said.Bytes())
			}
			if said.Len() == 0 {
				t.Skip("this kernel, or a program that is linked with C, does not have it")
			}
			expect(t, outcomes(said.Bytes()), stopped)
		})
	}
}
