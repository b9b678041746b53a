package agenda

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"chatterbox/runtime/internal/files"
)

// This file keeps objects: one file each, in a folder for each calendar. The rules are:
//
//   - a file is whole or not there: it is written beside, synced, and put in its place by one step;
//   - who changes something holds the lock of the whole folder, against other processes too;
//   - what is on the disk is the truth: memory holds only what a file with that identity, size and time was read as.

const (
	objectBytesMax = 64 << 10
	objectsMax     = 10_000 // of a calendar
	calendarsMax   = 16
	nameBytesMax   = 180 // of an object or a calendar, as its file is called

	suffix    = ".ics"
	titleFile = ".title"
	lockFile  = ".lock"
)

// What a change may meet.
var (
	errNotFound = errors.New("there is no such object")
	errChanged  = errors.New("the object is not in the state that the request asks for")
	errFull     = fmt.Errorf("the calendar has %d objects, which is the limit", objectsMax)
)

type store struct {
	dir string

	mu    sync.Mutex
	known map[string]object // guarded by mu, by file below dir
}

// object is a file as it was read.
type object struct {
	name     string // in the calendar, as URLs have it
	info     fs.FileInfo
	etag     string
	modified time.Time
	uid      string // empty where it has none
	data     []byte // not to be changed
}

func newStore(dir string) *store { return &store{dir: dir, known: map[string]object{}} }

// fileName gives the name on disk of an object or a calendar; ok is false for names that are not taken.
func fileName(name string) (file string, ok bool) {
	file = url.PathEscape(name)
	return file, name != "" && !strings.HasPrefix(name, ".") && len(file) <= nameBytesMax && !strings.ContainsAny(name, "/\\\x00")
}

// makeCalendar is os.ErrExist where it is there.
func makeCalendar(dir, title string) error {
	if _, err := os.Stat(filepath.Join(dir, titleFile)); err == nil {
		return os.ErrExist
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, titleFile), []byte(title), 0o600)
}

// calendars gives the titles of the calendars, by name.
func (s *store) calendars() (map[string]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, entry := range entries {
		name, err := url.PathUnescape(entry.Name())
		if err != nil || !entry.IsDir() {
			continue
		}
		if title, err := os.ReadFile(filepath.Join(s.dir, entry.Name(), titleFile)); err == nil {
			found[name] = string(title)
		}
	}
	return found, nil
}

// create makes another calendar.
func (s *store) create(calendar, title string) error {
	file, ok := fileName(calendar)
	if !ok {
		return errNotFound
	}
	return s.locked(func() error {
		there, err := s.calendars()
		if err != nil {
			return err
		}
		if len(there) >= calendarsMax {
			return fmt.Errorf("there are %d calendars, which is the limit", calendarsMax)
		}
		return makeCalendar(filepath.Join(s.dir, file), title)
	})
}

// list gives the objects of a calendar, by name.
func (s *store) list(calendar string) ([]object, error) {
	folder, ok := fileName(calendar)
	if !ok {
		return nil, errNotFound
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNotFound
	} else if err != nil {
		return nil, err
	}
	var found []object
	for _, entry := range entries {
		name, err := url.PathUnescape(entry.Name())
		if err != nil || strings.HasPrefix(name, ".") || !strings.HasSuffix(name, suffix) {
			continue
		}
		o, err := s.get(calendar, name)
		if errors.Is(err, errNotFound) {
			continue // deleted meanwhile
		} else if err != nil {
			return nil, err
		}
		found = append(found, o)
	}
	slices.SortFunc(found, func(a, b object) int { return strings.Compare(a.name, b.name) })
	return found, nil
}

func (s *store) get(calendar, name string) (object, error) {
	folder, ok := fileName(calendar)
	file, also := fileName(name)
	if !ok || !also {
		return object{}, errNotFound
	}
	file = filepath.Join(folder, file)
	f, err := os.Open(filepath.Join(s.dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		s.forget(file)
		return object{}, errNotFound
	} else if err != nil {
		return object{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return object{}, err
	}
	s.mu.Lock()
	o, known := s.known[file]
	s.mu.Unlock()
	if known && os.SameFile(o.info, info) && o.info.Size() == info.Size() && o.info.ModTime().Equal(info.ModTime()) {
		return o, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, objectBytesMax+1))
	if err != nil {
		return object{}, err
	}
	if len(data) > objectBytesMax || !info.Mode().IsRegular() {
		return object{}, fmt.Errorf("%s is no object of a calendar", file)
	}
	o = object{name: name, info: info, etag: etagOf(data), modified: info.ModTime(), uid: uidOf(data), data: data}
	s.mu.Lock()
	s.known[file] = o
	s.mu.Unlock()
	return o, nil
}

func (s *store) forget(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, file)
}

func etagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// condition says in which state a change wants an object; the zero value is any.
type condition struct {
	absent bool   // not there
	etag   string // this; "*" is any that is there
}

func (c condition) holds(o object, err error) error {
	there := err == nil
	switch {
	case err != nil && !errors.Is(err, errNotFound):
		return err
	case c.absent && there, c.etag != "" && !there, c.etag != "" && c.etag != "*" && c.etag != o.etag:
		return errChanged
	}
	return nil
}

// put writes an object if the condition holds, and check, which sees the others of its calendar, has nothing against
// it.
func (s *store) put(calendar, name string, data []byte, when condition, check func([]object) error) (object, error) {
	folder, ok := fileName(calendar)
	file, also := fileName(name)
	if !ok || !also || !strings.HasSuffix(name, suffix) {
		return object{}, errNotFound
	}
	var written object
	err := s.locked(func() error {
		old, err := s.get(calendar, name)
		if err := when.holds(old, err); err != nil {
			return err
		}
		if err == nil && bytes.Equal(old.data, data) {
			written = old
			return nil
		}
		others, err := s.list(calendar)
		if err != nil {
			return err
		}
		if len(others) >= objectsMax {
			return errFull
		}
		if err := check(others); err != nil {
			return err
		}
		if err := files.Write(filepath.Join(s.dir, folder, file), data, 0o600); err != nil {
			return err
		}
		written, err = s.get(calendar, name)
		return err
	})
	return written, err
}

// remove deletes an object if the condition holds.
func (s *store) remove(calendar, name string, when condition) error {
	return s.locked(func() error {
		o, err := s.get(calendar, name)
		if err := when.holds(o, err); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		folder, _ := fileName(calendar)
		file, _ := fileName(name)
		dir := filepath.Join(s.dir, folder)
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			return err
		}
		s.forget(filepath.Join(folder, file))
		return files.SyncFolder(dir)
	})
}
