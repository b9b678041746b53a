//go:build !race

package metric_test

const raced = false
