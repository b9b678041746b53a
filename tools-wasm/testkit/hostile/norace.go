//go:build !race

package hostile

const raceMemory = 1
