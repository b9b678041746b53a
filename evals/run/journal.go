// Package journal writes files of lines that are only ever added to.
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

// The rules of a journal are: a line is written by one call; what was written is never changed; an end without a line
// break is what a killed program leaves behind, and is cut off before more is written; what cannot be written whole is
// taken back, so that a full disk leaves lines that can be read; nobody else writes meanwhile.

// syncEvery is how much a power failure may cost. A program that is killed loses nothing.
const syncEvery = time.Second

// Journal is a file, open to be added to. It may be used by several goroutines at once.
type Journal struct {
	// Torn says that the last line had no end and was cut off.
	Torn bool

	file   *os.File
	mu     sync.Mutex
	size   int64     // guarded by mu: of what is whole
	synced time.Time // guarded by mu
	broken error     // guarded by mu: why nothing more is written
}

// Open opens a journal, which is made if it is not there. One that another program writes to is refused.
func OpenJournal(name string, mode os.FileMode) (*Journal, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, mode)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file}
	if err := j.begin(name); err != nil {
		file.Close()
		return nil, err
	}
	return j, nil
}

func (j *Journal) begin(name string) error {
	info, err := j.file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err // a device has no lines, and may be anybody's
	}
	if err := lockFile(j.file); err != nil {
		return fmt.Errorf("%s: another run writes to this file: %w", name, err)
	}
	return j.cut()
}

// cut removes a last line without its end.
func (j *Journal) cut() error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	block := make([]byte, 64<<10)
	for end := info.Size(); end > 0; {
		start := max(0, end-int64(len(block)))
		n, err := j.file.ReadAt(block[:end-start], start)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if at := bytes.LastIndexByte(block[:n], '\n'); at >= 0 {
			j.size = start + int64(at) + 1
			break
		}
		end = start
	}
	if j.Torn = j.size != info.Size(); j.Torn {
		return j.file.Truncate(j.size)
	}
	return nil
}

// Lines reads what is written so far.
func (j *Journal) Lines() io.Reader {
	j.mu.Lock()
	defer j.mu.Unlock()
	return io.NewSectionReader(j.file, 0, j.size)
}

// Append writes a line, which comes without its end. After a failure nothing more is written.
func (j *Journal) Append(line []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return j.broken
	}
	n, err := j.file.Write(append(line, '\n'))
	if err != nil {
		j.broken = errors.Join(err, j.file.Truncate(j.size))
		return j.broken
	}
	j.size += int64(n)
	if now := time.Now(); now.Sub(j.synced) >= syncEvery {
		j.synced = now
		j.broken = j.file.Sync()
	}
	return j.broken
}

// Err is why nothing more is written, nil as long as all went well.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.broken
}

// Close makes the journal durable and closes it.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }
