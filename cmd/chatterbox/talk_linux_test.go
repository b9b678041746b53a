package main

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/mockllm"
)

// The keys that a person presses.
const (
	enter    = "\r"
	ctrlC    = "\x03"
	ctrlD    = "\x04"
	up       = "\x1b[A"
	left     = "\x1b[D"
	prompt   = "\r\n> "
	seenTime = 30 * time.Second // far beyond what anything here takes
)

// TestTalk is a person at a terminal, key by key.
func TestTalk(t *testing.T) {
	s := startTalk(t, `
{"match": {"user": "the rest of time"}, "content": "One two three.`+strings.Repeat(" And more.", 300)+`", "between_ms": 100, "repeat": "forever"}
{"match": {"user": "silence", "last": "user"}, "tool_calls": [{"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}]}
{"match": {"user": "silence", "last": "tool"}, "delay_ms": 60000, "repeat": "forever"}
{"match": {"user": "Tokyo", "last": "user"}, "content": "Let me look.", "tool_calls": [{"name": "get_current_datetime", "arguments": {"timezone": "Asia/Tokyo"}}]}
{"match": {"user": "Tokyo", "last": "tool"}, "content": "It is late in Tokyo."}
{"match": {"user": "evil"}, "content": "\u001b]0;owned\u0007\u001b[31mred"}
{"match": {"user": "hello"}, "content": "Hello to you.", "repeat": "forever"}
`)
	s.sees("Ctrl-C stops an answer, Ctrl-D leaves."+prompt, "the prompt")

	s.types("hello" + enter)
	s.sees("Hello to you."+prompt, "an answer")

	s.types("holle" + left + left + left + "\x7fe" + left + "\x1b[3~" + ctrlC + "hello" + enter)
	s.sees("Hello to you."+prompt, "an answer to a line that was edited, cleared and typed again")

	s.types(up + enter)
	s.sees("Hello to you."+prompt, "an answer to the line before")

	s.types("the rest of time" + enter)
	s.sees("One two", "the beginning of an answer")
	s.types(ctrlC)
	s.sees("\r\ninterrupted; nothing was stored"+prompt, "that Ctrl-C ends the answer and not the program")

	s.types("silence" + enter)
	s.sees("get_current_datetime done\x1b[0m\r\n", "that the model is asked again")
	s.types(ctrlC)
	s.sees("\r\ninterrupted; nothing was stored"+prompt, "that Ctrl-C ends a wait")

	s.types("Tokyo" + enter)
	s.sees("Let me look.\r\n\x1b[2m· get_current_datetime running\x1b[0m\r\n", "the tool, on a line of its own")
	s.sees("It is late in Tokyo."+prompt, "the answer after the tool")

	s.types("evil" + enter)
	s.sees("\uFFFD]0;owned\uFFFD\uFFFD[31mred"+prompt, "an answer that cannot steer the terminal")

	s.types(ctrlD)
	s.ends(cli.ExitOK)

	// What was interrupted is not part of the conversation.
	shown := strings.Builder{}
	s.run(&shown, "history", "export", "kitchen")
	if got := strings.Count(shown.String(), `"user":`); got != 5 || strings.Contains(shown.String(), "silence") {
		t.Errorf("stored are %d turns, want 5: %s", got, shown.String())
	}
}

// TestTalkIsTerminated ends the program while it waits for a key, which must leave the terminal usable.
func TestTalkIsTerminated(t *testing.T) {
	s := startTalk(t, ``)
	s.sees(prompt, "the prompt")
	s.types("half a li")
	s.sees("half a li", "what is typed")
	if s.canonical() {
		t.Error("lines are edited by the terminal itself")
	}
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.sees("terminated", "why it ends")
	s.ends(cli.ExitInterrupted)
	if !s.canonical() {
		t.Error("the terminal is left raw")
	}
}

// TestOneTurnAtATerminal: whoever is asked something back is told how to answer.
func TestOneTurnAtATerminal(t *testing.T) {
	s := startAtTerminal(t, t.TempDir(), []string{"CHATTERBOX_LLM_DISCOVER=false"},
		"chat", "--conversation", "hall", "remind me to water the plants")
	s.sees("When should I remind you?\r\nto answer: chatterbox chat --conversation hall \"...\"\r\n", "how to answer")
	s.ends(cli.ExitOK)
}

func TestColoursThatNobodyWants(t *testing.T) {
	for _, variable := range []string{"TERM=dumb", "NO_COLOR=1"} {
		s := startAtTerminal(t, t.TempDir(), []string{"CHATTERBOX_LLM_DISCOVER=false", variable}, "chat", "What time is it in Tokyo?")
		s.sees("· get_current_datetime running\r\n· get_current_datetime done\r\nIt's ", "tools and answer without colours where "+variable)
		s.ends(cli.ExitOK)
	}
}

// talking is chatterbox at a terminal.
type talking struct {
	t        *testing.T
	environ  []string
	command  *exec.Cmd
	terminal *os.File // the person's side
	line     *os.File // the program's side
	output   chan string
	shown    string // not looked at yet
}

func startTalk(t *testing.T, replies string) *talking {
	t.Helper()
	script, err := mockllm.Parse("replies", strings.NewReader(replies))
	if err != nil {
		t.Fatal(err)
	}
	mock := mockllm.New(script, mockllm.Options{})
	model := httptest.NewServer(mock)
	t.Cleanup(model.Close)
	t.Cleanup(mock.Close)
	return startAtTerminal(t, t.TempDir(), []string{"CHATTERBOX_LLM_BASE_URL=" + model.URL + "/v1", "CHATTERBOX_LLM_MODEL=mock"},
		"chat", "--conversation", "kitchen")
}

// startAtTerminal starts a command with all that it keeps below data.
func startAtTerminal(t *testing.T, data string, environ []string, args ...string) *talking {
	t.Helper()
	s := &talking{t: t, output: make(chan string, 1000), environ: append(environ,
		envAsProgram+"=1", "GORACE=atexit_sleep_ms=0", "HOME="+data, "CHATTERBOX_DATA="+filepath.Join(data, "data"), "CHATTERBOX_TIMEZONE=UTC",
	)}
	s.terminal, s.line = openTerminal(t)
	s.command = exec.Command(os.Args[0], args...)
	s.command.Env = s.environ
	s.command.Stdin, s.command.Stdout, s.command.Stderr = s.line, s.line, s.line
	s.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.command.ProcessState == nil {
			_ = s.command.Process.Kill()
			_ = s.command.Wait()
		}
	})
	go s.copy()
	return s
}

// copy ends when the terminal is closed.
func (s *talking) copy() {
	defer close(s.output)
	buffer := make([]byte, 4096)
	for {
		n, err := s.terminal.Read(buffer)
		if n > 0 {
			s.output <- string(buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

func (s *talking) types(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.terminal, keys); err != nil {
		s.t.Fatal(err)
	}
}

// sees waits until text is on the screen, after all that was seen before.
func (s *talking) sees(text, what string) {
	s.t.Helper()
	timer := time.NewTimer(seenTime)
	defer timer.Stop()
	for {
		if _, after, ok := strings.Cut(s.shown, text); ok {
			s.shown = after
			return
		}
		select {
		case piece, ok := <-s.output:
			if !ok {
				s.t.Fatalf("the terminal is closed before one sees %s; it shows %q", what, s.shown)
			}
			s.shown += piece
		case <-timer.C:
			s.t.Fatalf("one does not see %s (%q); the terminal shows %q", what, text, s.shown)
		}
	}
}

func (s *talking) ends(code int) {
	s.t.Helper()
	_ = s.command.Wait()
	if got := s.command.ProcessState.ExitCode(); got != code {
		s.t.Errorf("ends with %d, want %d", got, code)
	}
}

// canonical says whether the terminal is as a shell left it: it collects lines and shows what is typed.
func (s *talking) canonical() bool {
	s.t.Helper()
	mode, err := unix.IoctlGetTermios(int(s.line.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	return mode.Lflag&unix.ICANON != 0 && mode.Lflag&unix.ECHO != 0
}

// run runs another command on the same data.
func (s *talking) run(out io.Writer, args ...string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), seenTime)
	defer cancel()
	command := exec.CommandContext(ctx, os.Args[0], args...)
	command.Env, command.Stdout = s.environ, out
	if err := command.Run(); err != nil {
		s.t.Fatal(err)
	}
}

// openTerminal makes a terminal of 80 columns without a screen.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	fd := int(person.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}
