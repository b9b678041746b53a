package looptest

import (
	"bufio"
	"os"
	"testing"
)

// lineMax is how long a line of test data may be.
const lineMax = 1 << 20

// EachLine hands over the lines of a file, which are good until f returns.
func EachLine(t testing.TB, name string, f func(line []byte)) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, lineMax)
	for lines.Scan() {
		f(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
