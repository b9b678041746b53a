//go:build !race

package worker_test

// raceMemory is how much more memory the race detector takes than the program.
const raceMemory = 1
