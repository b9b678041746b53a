//go:build !linux

package worker

import (
	"io"
	"os"
)

// Streams are this process's standard streams as [Serve] best uses them.
func Streams() (from io.Reader, to io.Writer) { return os.Stdin, os.Stdout }
