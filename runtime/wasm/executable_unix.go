//go:build unix

package wasm

import "syscall"

// memoryCanBeExecutable tries what the compiler will do: write memory, then execute it. A service manager can forbid it
// (MemoryDenyWriteExecute).
func memoryCanBeExecutable() bool {
	page, err := syscall.Mmap(-1, 0, 1, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	defer syscall.Munmap(page)
	return syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_EXEC) == nil
}
