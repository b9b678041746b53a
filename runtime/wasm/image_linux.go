package wasm

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pageBytes is what the kernel's pages have at least; where they are larger, weighing is a little off.
const pageBytes = 4 << 10

// image is a file in memory that holds a memory's first state. Instances map it privately: the kernel copies a page
// when a guest writes to it, and giving the copies back puts the memory back.
type image struct {
	size int
	file *os.File
}

func newImage(memory []byte, size int) (*image, error) {
	fd, err := unix.MemfdCreate("guest", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	i := &image{size: size, file: os.NewFile(uintptr(fd), "guest")}
	if err = i.file.Truncate(int64(size)); err == nil {
		_, err = i.file.WriteAt(memory, 0)
	}
	if err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

// mapped is a new mapping of the image, with room behind it, which is zero.
func (i *image) mapped(room int) ([]byte, error) {
	const access = unix.PROT_READ | unix.PROT_WRITE
	at, err := unix.MmapPtr(-1, 0, nil, uintptr(room), access, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	whole := unsafe.Slice((*byte)(at), room)
	_, err = unix.MmapPtr(int(i.file.Fd()), 0, at, uintptr(i.size), access, unix.MAP_PRIVATE|unix.MAP_FIXED)
	if err != nil {
		unmap(whole)
		return nil, err
	}
	return whole, nil
}

func (i *image) close() { _ = i.file.Close() }

func unmap(mapping []byte) {
	_ = unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(mapping)), uintptr(len(mapping)))
}

// discard puts a mapping back to the image.
func discard(mapping []byte) error { return unix.Madvise(mapping, unix.MADV_DONTNEED) }

// weigh finds out, with an instance that has just run, how its memory is restored sooner on this machine: by copying
// memory over it, or by mapping an image of it; nil means by copying. What a fault costs differs by a factor of ten
// between machines, and how many pages a call writes to differs more between guests.
func weigh(used, memory []byte) *image {
	dirty := dirtyPages(used, memory)
	i, err := newImage(memory, len(used))
	if err != nil {
		return nil // the kernel, or a filter for system calls, has none
	}
	trial, err := i.mapped(len(used))
	if err != nil {
		i.close()
		return nil
	}
	defer unmap(trial)
	copying := shortest(func() error { copyBack(used, memory); return nil })
	mapping := shortest(func() error {
		was := byte(0) // a guest reads most of what it then writes to, and the kernel comes in for both
		for _, at := range dirty {
			was |= trial[at]
		}
		for _, at := range dirty {
			trial[at] = was + 1
		}
		return discard(trial)
	})
	if copying <= mapping {
		i.close()
		return nil
	}
	return i
}

// dirtyPages are the places of those pages of used that are not as in memory, which may be shorter by zeros.
func dirtyPages(used, memory []byte) (places []int) {
	for at := 0; at < len(used); at += pageBytes {
		page := used[at:min(at+pageBytes, len(used))]
		was := memory[min(at, len(memory)):min(at+pageBytes, len(memory))]
		if string(page[:len(was)]) != string(was) || !allZero(page[len(was):]) {
			places = append(places, at)
		}
	}
	return places
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// shortest is the least of three times, after one that is not counted.
func shortest(work func() error) time.Duration {
	least := time.Duration(1<<63 - 1)
	for n := range 4 {
		began := time.Now()
		if work() != nil {
			return 1<<63 - 1
		}
		if took := time.Since(began); n > 0 {
			least = min(least, took)
		}
	}
	return least
}
