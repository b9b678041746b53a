package wasm

// This file is WASI preview 1 as far as tools-wasm/ABI.md, section 6, names it. The rules are:
//   - three descriptors exist, 0 to 2, and no others ever come into being;
//   - there are no files; the functions for them exist, so that modules of stock toolchains start, and say so;
//   - nothing is allocated by a number that the guest chose, and nothing waits past the deadline.

import (
	"crypto/rand"
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

// wasiFunctions are all functions of preview 1. Each is written as the types of its parameters, i for i32 and I for
// i64, and what it does, which answers the error number. proc_exit answers nothing and stands apart.
var wasiFunctions = map[string]struct {
	parameters string
	call       func(in *instance, stack []uint64) uint32
}{
	"args_get":            {"ii", func(in *instance, s []uint64) uint32 { return in.putStrings(in.args(), s) }},
	"args_sizes_get":      {"ii", func(in *instance, s []uint64) uint32 { return in.putSizes(in.args(), s) }},
	"environ_get":         {"ii", func(in *instance, s []uint64) uint32 { return in.putStrings(in.env, s) }},
	"environ_sizes_get":   {"ii", func(in *instance, s []uint64) uint32 { return in.putSizes(in.env, s) }},
	"clock_res_get":       {"ii", (*instance).clockResolution},
	"clock_time_get":      {"iIi", (*instance).clockTime},
	"random_get":          {"ii", (*instance).random},
	"poll_oneoff":         {"iiii", (*instance).poll},
	"sched_yield":         {"", always(errnoSuccess)},
	"proc_raise":          {"i", always(errnoNotSup)},
	"fd_read":             {"iiii", (*instance).fdRead},
	"fd_write":            {"iiii", (*instance).fdWrite},
	"fd_close":            {"i", (*instance).fdClose},
	"fd_fdstat_get":       {"ii", (*instance).fdStat},
	"fd_filestat_get":     {"ii", (*instance).fdFileStat},
	"fd_fdstat_set_flags": {"ii", ofOpen(errnoSuccess)},
	"fd_seek":             {"iIii", ofOpen(errnoSPipe)},
	"fd_tell":             {"ii", ofOpen(errnoSPipe)},
	"fd_prestat_get":      {"ii", always(errnoBadF)},
	"fd_prestat_dir_name": {"iii", always(errnoBadF)},

	"fd_advise":             {"iIIi", ofOpen(errnoNotSup)},
	"fd_allocate":           {"iII", ofOpen(errnoNotSup)},
	"fd_datasync":           {"i", ofOpen(errnoNotSup)},
	"fd_fdstat_set_rights":  {"iII", ofOpen(errnoNotSup)},
	"fd_filestat_set_size":  {"iI", ofOpen(errnoNotSup)},
	"fd_filestat_set_times": {"iIIi", ofOpen(errnoNotSup)},
	"fd_pread":              {"iiiIi", ofOpen(errnoNotSup)},
	"fd_pwrite":             {"iiiIi", ofOpen(errnoNotSup)},
	"fd_readdir":            {"iiiIi", ofOpen(errnoNotSup)},
	"fd_renumber":           {"ii", ofOpen(errnoNotSup)},
	"fd_sync":               {"i", ofOpen(errnoNotSup)},
	"sock_accept":           {"iii", ofOpen(errnoNotSup)},
	"sock_recv":             {"iiiiii", ofOpen(errnoNotSup)},
	"sock_send":             {"iiiii", ofOpen(errnoNotSup)},
	"sock_shutdown":         {"ii", ofOpen(errnoNotSup)},

	"path_create_directory":   {"iii", (*instance).noFiles},
	"path_filestat_get":       {"iiiii", (*instance).noFiles},
	"path_filestat_set_times": {"iiiiIIi", (*instance).noFiles},
	"path_link":               {"iiiiiii", (*instance).noFiles},
	"path_open":               {"iiiiiIIii", (*instance).noFiles},
	"path_readlink":           {"iiiiii", (*instance).noFiles},
	"path_remove_directory":   {"iii", (*instance).noFiles},
	"path_rename":             {"iiiiii", (*instance).noFiles},
	"path_symlink":            {"iiiii", (*instance).noFiles},
	"path_unlink_file":        {"iii", (*instance).noFiles},
}

func wasiFunction(name string) (guestFunction, bool) {
	if name == "proc_exit" {
		return typed("i:", func(_ *instance, stack []uint64) { leave(uint32(stack[0])) })
	}
	f, ok := wasiFunctions[name]
	if !ok {
		return guestFunction{}, false
	}
	return typed(f.parameters+":i", func(in *instance, stack []uint64) { stack[0] = uint64(f.call(in, stack)) })
}

// always answers errno.
func always(errno uint32) func(*instance, []uint64) uint32 {
	return func(*instance, []uint64) uint32 { return errno }
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
	if !in.warnedFiles {
		in.warnedFiles = true
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
