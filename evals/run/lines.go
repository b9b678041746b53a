package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// This file writes files of lines that are only ever added to: the log of a run, and the recording of what models
// answered. The rules are: a line is written by one call; what was written is never changed; an end without a line
// break is what a killed program leaves behind, and is cut off before more is written; what cannot be written whole
// is taken back, so that a full disk leaves lines that can be read; nobody else writes meanwhile.

// syncEvery is how much a power failure may cost. A program that is killed loses nothing.
const syncEvery = time.Second

// Lines is a file of lines, open to be added to. It may be used by several goroutines at once.
type Lines struct {
	// Torn says that the last line had no end and was cut off.
	Torn bool

	file   *os.File
	mu     sync.Mutex
	size   int64     // guarded by mu: of what is whole
	synced time.Time // guarded by mu
	broken error     // guarded by mu: why nothing more is written
}

// OpenLines opens a file, which is made if it is not there. One that another program writes to is refused.
func OpenLines(name string, mode os.FileMode) (*Lines, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, mode)
	if err != nil {
		return nil, err
	}
	l := &Lines{file: file}
	if err := l.begin(name); err != nil {
		file.Close()
		return nil, err
	}
	return l, nil
}

// begin locks the file and removes a last line without its end.
func (l *Lines) begin(name string) error {
	info, err := l.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err // a device has no lines, and may be anybody's
	}
	if err := lockFile(l.file); err != nil {
		return fmt.Errorf("%s: another run writes to this file: %w", name, err)
	}
	if info, err = l.file.Stat(); err != nil {
		return err
	}
	block := make([]byte, 64<<10)
	for end := info.Size(); end > 0 && l.size == 0; {
		start := max(0, end-int64(len(block)))
		n, err := l.file.ReadAt(block[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if at := bytes.LastIndexByte(block[:n], '\n'); at >= 0 {
			l.size = start + int64(at) + 1
		}
		end = start
	}
	if l.Torn = l.size != info.Size(); l.Torn {
		return l.file.Truncate(l.size)
	}
	return nil
}

// Written reads what is written so far.
func (l *Lines) Written() io.Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	return io.NewSectionReader(l.file, 0, l.size)
}

// Append writes a line, which comes without its end. After a failure nothing more is written.
func (l *Lines) Append(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	n, err := l.file.Write(append(line, '\n'))
	if err != nil {
		l.broken = errors.Join(err, l.file.Truncate(l.size))
		return l.broken
	}
	l.size += int64(n)
	if now := time.Now(); now.Sub(l.synced) >= syncEvery {
		l.synced = now
		l.broken = l.file.Sync()
	}
	return l.broken
}

// Err is why nothing more is written, nil as long as all went well.
func (l *Lines) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken
}

// Close makes the file durable and closes it.
func (l *Lines) Close() error { return errors.Join(l.file.Sync(), l.file.Close()) }
