package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
)

// PrintJSON prints value as a program reads it: indented, one trailing newline, no HTML escapes.
func PrintJSON(to io.Writer, value any) error {
	encoder := json.NewEncoder(NewJSONText(to))
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// PrintRows prints rows in columns.
func PrintRows(to io.Writer, rows [][]string) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

// Count is a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// List is the words as a sentence has them, or none.
func List(words []string, none string) string {
	if len(words) == 0 {
		return none
	}
	return strings.Join(words, ", ")
}

// OneLine is what of a text fits on a line of so many characters.
func OneLine(text string, most int) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

const lineBytesMax = 64 << 10

// ReadLines yields the lines of r without their ends, each at most lineBytesMax long.
func ReadLines(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, lineBytesMax)
		for scanner.Scan() {
			if !yield(scanner.Text(), nil) {
				return
			}
		}
		switch err := scanner.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield("", Usage("", "a line has more than %d bytes, the limit here", lineBytesMax))
		case err != nil:
			yield("", Infrastructure("", fmt.Errorf("read standard input: %w", err)))
		}
	}
}
