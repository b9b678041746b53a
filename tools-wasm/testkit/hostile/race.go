//go:build race

package hostile

// raceMemory is how much more memory the race detector takes than the program.
const raceMemory = 8
