//go:build race

package judge_test

// raced says that the race detector is there: it makes arithmetic many times slower and has nothing to find in it.
const raced = true
