package history_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"chatterbox/runtime/history"
)

const sector = 512

// disk is a file system in memory that remembers what was not synced, so that it can lose it, and that can be full or
// broken. SQLite is the other build of it, whose files may be written in Go; the store's code is the same.
type disk struct {
	name   string // of the VFS
	shared string // file of the log's index, which no disk needs to keep
	lies   bool   // sync does nothing

	mu      sync.Mutex
	files   map[string]*diskFile
	ops     int // writes, truncations and syncs so far
	syncs   int
	written int64
	free    int64              // how many bytes files may still grow
	fail    func(op int) error // called before each, with mu held; may be nil
	watch   func(d *disk)      // called before each, with mu held; may be nil
}

type diskFile struct {
	now, durable []byte
	unsynced     []change

	readers  int // handles with a lock, guarded by disk.mu
	reserved *handle
	pending  *handle
}

// change is a write, or with a nil data a truncation to offset.
type change struct {
	offset int64
	data   []byte
}

var disks atomic.Int64

func newDisk(t testing.TB, files map[string]*diskFile) *disk {
	d := &disk{
		name:   fmt.Sprint("disk", disks.Add(1)),
		shared: filepath.Join(t.TempDir(), "shm"),
		files:  files,
		free:   1 << 40,
	}
	vfs.Register(d.name, d)
	t.Cleanup(func() { vfs.Unregister(d.name) })
	return d
}

// open opens the store on the disk; the caller closes it.
func (d *disk) open(options history.Options) (*history.SQLite, error) {
	options.Path = "/history.db"
	return history.OpenOn(context.Background(), options, "sqlite3", "vfs="+d.name, func(err error) int {
		var code sqlite3.ErrorCode
		errors.As(err, &code)
		return int(code)
	})
}

// afterPowerLoss is the disk as it may be found: of what was not synced, each sector may be there or not.
func (d *disk) afterPowerLoss(random *rand.Rand) map[string]*diskFile {
	files := map[string]*diskFile{}
	for name, file := range d.files {
		found := append([]byte(nil), file.durable...)
		for _, change := range file.unsynced {
			if change.data == nil {
				if random.IntN(2) == 0 {
					found = resize(found, change.offset)
				}
				continue
			}
			for from := 0; from < len(change.data); {
				to := min(len(change.data), from+sector-int(change.offset+int64(from))%sector)
				if random.IntN(2) == 0 {
					found = overwrite(found, change.data[from:to], change.offset+int64(from))
				}
				from = to
			}
		}
		files[name] = &diskFile{now: found, durable: append([]byte(nil), found...)}
	}
	return files
}

func resize(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size:size]
	}
	return append(data, make([]byte, size-int64(len(data)))...)
}

func overwrite(data, with []byte, offset int64) []byte {
	if end := offset + int64(len(with)); end > int64(len(data)) {
		data = resize(data, end)
	}
	copy(data[offset:], with)
	return data
}

// operate counts an operation and says whether it fails; mu is held.
func (d *disk) operate() error {
	d.ops++
	if d.watch != nil {
		d.watch(d)
	}
	if d.fail != nil {
		return d.fail(d.ops)
	}
	return nil
}

// Open implements [vfs.VFS], as the next three.
func (d *disk) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if flags&(vfs.OPEN_MAIN_DB|vfs.OPEN_WAL) == 0 {
		return &vfsutil.SliceFile{}, flags | vfs.OPEN_MEMORY, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	file := d.files[name]
	if file == nil {
		if flags&vfs.OPEN_CREATE == 0 {
			return nil, flags, sqlite3.CANTOPEN
		}
		file = &diskFile{}
		d.files[name] = file
	}
	return &handle{disk: d, file: file, index: vfs.NewSharedMemory(d.shared, flags)}, flags, nil
}

func (d *disk) Delete(name string, _ bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, name)
	return nil
}

func (d *disk) Access(name string, _ vfs.AccessFlag) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files[name] != nil, nil
}

func (d *disk) FullPathname(name string) (string, error) { return name, nil }

// handle is an open file, used by one connection.
type handle struct {
	disk  *disk
	file  *diskFile
	index vfs.SharedMemory
	level vfs.LockLevel
}

func (h *handle) SharedMemory() vfs.SharedMemory { return h.index }

func (h *handle) Close() error { return h.Unlock(vfs.LOCK_NONE) }

func (h *handle) ReadAt(p []byte, offset int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if offset >= int64(len(h.file.now)) {
		return 0, io.EOF
	}
	n := copy(p, h.file.now[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *handle) WriteAt(p []byte, offset int64) (int, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.operate(); err != nil {
		return 0, err
	}
	growth := max(0, offset+int64(len(p))-int64(len(h.file.now)))
	if growth > h.disk.free {
		return 0, sqlite3.FULL
	}
	h.disk.free -= growth
	h.disk.written += int64(len(p))
	data := append([]byte{}, p...)
	h.file.unsynced = append(h.file.unsynced, change{offset, data})
	h.file.now = overwrite(h.file.now, data, offset)
	return len(p), nil
}

func (h *handle) Truncate(size int64) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.operate(); err != nil {
		return err
	}
	h.disk.free += int64(len(h.file.now)) - size
	h.file.unsynced = append(h.file.unsynced, change{size, nil})
	h.file.now = resize(h.file.now, size)
	return nil
}

func (h *handle) Sync(vfs.SyncFlag) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if err := h.disk.operate(); err != nil {
		return err
	}
	h.disk.syncs++
	if !h.disk.lies {
		h.file.durable = append([]byte(nil), h.file.now...)
		h.file.unsynced = nil
	}
	return nil
}

func (h *handle) Size() (int64, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	return int64(len(h.file.now)), nil
}

func (h *handle) SectorSize() int { return sector }

func (h *handle) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_POWERSAFE_OVERWRITE // a write does not harm the bytes beside it
}

func (h *handle) Lock(level vfs.LockLevel) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	f := h.file
	switch {
	case level <= h.level:
		return nil
	case level == vfs.LOCK_SHARED && f.pending != nil,
		level == vfs.LOCK_RESERVED && f.reserved != nil:
		return sqlite3.BUSY
	case level == vfs.LOCK_SHARED:
		f.readers++
	case level == vfs.LOCK_RESERVED:
		f.reserved = h
	case level == vfs.LOCK_EXCLUSIVE:
		if f.pending != nil && f.pending != h {
			return sqlite3.BUSY
		}
		f.pending = h
		if f.readers > 1 {
			return sqlite3.BUSY
		}
	}
	h.level = level
	return nil
}

func (h *handle) Unlock(level vfs.LockLevel) error {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if level < vfs.LOCK_RESERVED {
		if h.file.reserved == h {
			h.file.reserved = nil
		}
		if h.file.pending == h {
			h.file.pending = nil
		}
	}
	if level == vfs.LOCK_NONE && h.level >= vfs.LOCK_SHARED {
		h.file.readers--
	}
	h.level = min(h.level, level)
	return nil
}

func (h *handle) CheckReservedLock() (bool, error) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	return h.file.reserved != nil, nil
}
