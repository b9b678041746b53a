//go:build !race

package judge_test

const raced = false
