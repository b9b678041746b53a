package main

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestServeSaysThatItIsReady is what systemd waits for after it has started the server.
func TestServeSaysThatItIsReady(t *testing.T) {
	folder := t.TempDir()
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: filepath.Join(folder, "notify")})
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	command := exec.CommandContext(t.Context(), os.Args[0], "serve", "--listen", "127.0.0.1:0", "--data", folder)
	command.Env = []string{envAsProgram + "=1", "HOME=" + folder, "CHATTERBOX_LLM_DISCOVER=false", "NOTIFY_SOCKET=" + socket.LocalAddr().String()}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = stopTime
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	message := make([]byte, 100)
	if err := socket.SetReadDeadline(time.Now().Add(startTime)); err != nil {
		t.Fatal(err)
	}
	n, err := socket.Read(message)
	if err != nil || string(message[:n]) != "READY=1" {
		t.Errorf("systemd hears %q: %v", message[:n], err)
	}
	if err := errors.Join(command.Cancel(), command.Wait()); err != nil {
		t.Error(err)
	}
}
