package wasm

// This file is WASI preview 1 as far as tools-wasm/ABI.md, section 6, names it. The rules are:
//   - three descriptors exist, 0 to 2, and no others ever come into being;
//   - there are no files; the functions for them exist, so that modules of stock toolchains start, and say so;
//   - nothing is allocated by a number that the guest chose, and nothing waits past the deadline.

import (
	"crypto/rand"
	"strings"
	"time"
)

const wasiModule = "wasi_snapshot_preview1"

// The error numbers of WASI that are used here.
const (
	errnoSuccess = 0
	errnoAgain   = 6
	errnoBadF    = 8
	errnoFault   = 21
	errnoInval   = 28
	errnoNotSup  = 58
	errnoSPipe   = 70
)

const (
	randomBytesMax = 64 << 10
	vectorsMax     = 1_024 // buffers of one fd_read or fd_write
)

// wasiSignatures are the parameters of every function of preview 1, i for i32 and I for i64. All but proc_exit answer an
// error number.
const wasiSignatures = `
args_get ii · args_sizes_get ii · environ_get ii · environ_sizes_get ii · clock_res_get ii · clock_time_get iIi ·
fd_advise iIIi · fd_allocate iII · fd_close i · fd_datasync i · fd_fdstat_get ii · fd_fdstat_set_flags ii ·
fd_fdstat_set_rights iII · fd_filestat_get ii · fd_filestat_set_size iI · fd_filestat_set_times iIIi · fd_pread iiiIi ·
fd_prestat_get ii · fd_prestat_dir_name iii · fd_pwrite iiiIi · fd_read iiii · fd_readdir iiiIi · fd_renumber ii ·
fd_seek iIii · fd_sync i · fd_tell ii · fd_write iiii · path_create_directory iii · path_filestat_get iiiii ·
path_filestat_set_times iiiiIIi · path_link iiiiiii · path_open iiiiiIIii · path_readlink iiiiii ·
path_remove_directory iii · path_rename iiiiii · path_symlink iiiii · path_unlink_file iii · poll_oneoff iiii ·
proc_exit i · proc_raise i · random_get ii · sched_yield · sock_accept iii · sock_recv iiiiii · sock_send iiiii ·
sock_shutdown ii
`

func wasiFunction(name string) (guestFunction, bool) {
	for entry := range strings.SplitSeq(wasiSignatures, "·") {
		fields := strings.Fields(entry)
		if fields[0] != name {
			continue
		}
		f := guestFunction{results: []byte{valueI32}}
		if len(fields) > 1 {
			for _, letter := range fields[1] {
				if letter == 'i' {
					f.params = append(f.params, valueI32)
				} else {
					f.params = append(f.params, valueI64)
				}
			}
		}
		if name == "proc_exit" {
			f.results = nil
			f.call = func(_ *instance, stack []uint64) { leave(uint32(stack[0])) }
			return f, true
		}
		call := wasiCall(name)
		f.call = func(in *instance, stack []uint64) { stack[0] = uint64(call(in, stack)) }
		return f, true
	}
	return guestFunction{}, false
}

// wasiCall is what a function does; it answers the error number.
func wasiCall(name string) func(in *instance, stack []uint64) uint32 {
	switch name {
	case "args_get":
		return func(in *instance, s []uint64) uint32 { return in.putStrings(in.args(), s) }
	case "args_sizes_get":
		return func(in *instance, s []uint64) uint32 { return in.putSizes(in.args(), s) }
	case "environ_get":
		return func(in *instance, s []uint64) uint32 { return in.putStrings(in.env, s) }
	case "environ_sizes_get":
		return func(in *instance, s []uint64) uint32 { return in.putSizes(in.env, s) }
	case "clock_res_get":
		return (*instance).clockResolution
	case "clock_time_get":
		return (*instance).clockTime
	case "random_get":
		return (*instance).random
	case "fd_read":
		return (*instance).fdRead
	case "fd_write":
		return (*instance).fdWrite
	case "fd_close":
		return (*instance).fdClose
	case "fd_fdstat_get":
		return (*instance).fdStat
	case "fd_filestat_get":
		return (*instance).fdFileStat
	case "fd_fdstat_set_flags":
		return ofOpen(errnoSuccess)
	case "fd_seek", "fd_tell":
		return ofOpen(errnoSPipe)
	case "fd_prestat_get", "fd_prestat_dir_name":
		return func(*instance, []uint64) uint32 { return errnoBadF }
	case "poll_oneoff":
		return (*instance).poll
	case "sched_yield":
		return func(*instance, []uint64) uint32 { return errnoSuccess }
	case "proc_raise":
		return func(*instance, []uint64) uint32 { return errnoNotSup }
	}
	if strings.HasPrefix(name, "path_") {
		return (*instance).noFiles
	}
	return ofOpen(errnoNotSup)
}

// ofOpen answers errno for an open descriptor, and that it is not open for any other.
func ofOpen(errno uint32) func(*instance, []uint64) uint32 {
	return func(in *instance, s []uint64) uint32 {
		if !in.isOpen(s[0]) {
			return errnoBadF
		}
		return errno
	}
}

func (in *instance) isOpen(fd uint64) bool {
	descriptor := uint32(fd)
	return descriptor < uint32(len(in.closed)) && !in.closed[descriptor]
}

func (in *instance) noFiles([]uint64) uint32 {
	if !in.toldFiles {
		in.toldFiles = true
		in.log.line("warn: files are not available to tools; keep state with kv_get and kv_set")
	}
	return errnoNotSup
}

func (in *instance) args() []string {
	if in.abi != Stdio {
		return []string{"tool"}
	}
	return []string{"tool", in.tool}
}

// putSizes writes how many strings there are and how many bytes they take.
func (in *instance) putSizes(strings []string, s []uint64) uint32 {
	total := 0
	for _, text := range strings {
		total += len(text) + 1
	}
	if !in.memory.WriteUint32Le(uint32(s[0]), uint32(len(strings))) ||
		!in.memory.WriteUint32Le(uint32(s[1]), uint32(total)) {
		return errnoFault
	}
	return errnoSuccess
}

// putStrings writes the strings, each ended by a zero, and a list of pointers to them.
func (in *instance) putStrings(strings []string, s []uint64) uint32 {
	list, at := uint32(s[0]), uint32(s[1])
	for _, text := range strings {
		if !in.memory.WriteUint32Le(list, at) || !in.memory.WriteString(at, text) ||
			!in.memory.WriteByte(at+uint32(len(text)), 0) {
			return errnoFault
		}
		list += 4
		at += uint32(len(text)) + 1
	}
	return errnoSuccess
}

const (
	clockReal      = 0
	clockMonotonic = 1
	clockStep      = time.Millisecond
)

func (in *instance) clockResolution(s []uint64) uint32 {
	if id := uint32(s[0]); id > clockMonotonic {
		return errnoInval
	}
	if !in.memory.WriteUint64Le(uint32(s[1]), uint64(clockStep)) {
		return errnoFault
	}
	return errnoSuccess
}

func (in *instance) clockTime(s []uint64) uint32 {
	now, ok := in.clock(uint32(s[0]))
	if !ok {
		return errnoInval
	}
	if !in.memory.WriteUint64Le(uint32(s[2]), uint64(now)) {
		return errnoFault
	}
	return errnoSuccess
}

// clock reads a clock, in nanoseconds. The monotonic one begins at a second, since some runtimes take 0 for "not set".
func (in *instance) clock(id uint32) (nanoseconds int64, ok bool) {
	switch id {
	case clockReal:
		return time.Now().Truncate(clockStep).UnixNano(), true
	case clockMonotonic:
		return int64((time.Second + time.Since(in.began)).Truncate(clockStep)), true
	}
	return 0, false
}

func (in *instance) random(s []uint64) uint32 {
	in.mustGoOn() // 64 KiB are much work for the one unit that a call counts as
	if uint32(s[1]) > randomBytesMax {
		return errnoInval
	}
	into, ok := in.memory.Read(uint32(s[0]), uint32(s[1]))
	if !ok {
		return errnoFault
	}
	_, _ = rand.Read(into) // never fails
	return errnoSuccess
}
