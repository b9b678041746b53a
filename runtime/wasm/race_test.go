//go:build race

package wasm

// underRace is true where the race detector makes the compiler of guests some twenty times slower.
const underRace = true
