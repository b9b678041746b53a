package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Rows reads a table whose first row names columns. Those of known that end with a question mark may be missing.
func Rows(table [][]string, known ...string) ([]map[string]string, error) {
	columns := strings.Join(known, ", ")
	if len(table) < 2 {
		return nil, fmt.Errorf("expected a row that names the columns (%s) and one more", columns)
	}
	for _, name := range table[0] {
		if !slices.Contains(known, name) && !slices.Contains(known, name+"?") {
			return nil, fmt.Errorf("expected the columns %s, found %q", columns, name)
		}
	}
	for _, name := range known {
		if !strings.HasSuffix(name, "?") && !slices.Contains(table[0], name) {
			return nil, fmt.Errorf("expected a column %q", name)
		}
	}
	var out []map[string]string
	for _, row := range table[1:] {
		values := map[string]string{}
		for i, value := range row {
			values[table[0][i]] = value
		}
		out = append(out, values)
	}
	return out, nil
}

// Pairs reads a table with the columns name and "value". A name that stands there twice is an error.
func Pairs(table [][]string, name string) (map[string]string, error) {
	list, err := Rows(table, name, "value")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, row := range list {
		if _, ok := out[row[name]]; ok {
			return nil, fmt.Errorf("%s %q stands twice in the table", name, row[name])
		}
		out[row[name]] = row["value"]
	}
	return out, nil
}

// rowCall is a call as a table describes it.
type rowCall struct {
	ID, Tool  string
	Arguments map[string]string
}

// tableCalls reads a table of calls: one row for each argument, the rows of one call together and told apart by id.
// Without an id each row is a call. A row without an argument is a call without arguments.
func tableCalls(table [][]string) ([]rowCall, error) {
	list, err := Rows(table, "id?", "tool", "argument?", "value?")
	if err != nil {
		return nil, err
	}
	var out []rowCall
	for _, row := range list {
		id := row["id"]
		if n := len(out); n == 0 || id == "" || out[n-1].ID != id {
			out = append(out, rowCall{ID: id, Tool: row["tool"], Arguments: map[string]string{}})
		}
		current := out[len(out)-1]
		if current.Tool != row["tool"] {
			return nil, fmt.Errorf("call %s is one of %s and of %s", id, current.Tool, row["tool"])
		}
		if name := row["argument"]; name != "" {
			current.Arguments[name] = row["value"]
		}
	}
	return out, nil
}

// ReadCount reads "never", "once", "twice" or "7 times".
func ReadCount(text string) (int, error) {
	switch text {
	case "never":
		return 0, nil
	case "once":
		return 1, nil
	case "twice":
		return 2, nil
	}
	return strconv.Atoi(strings.TrimSuffix(text, " times"))
}

// Quoted reads `"a", "b" or "c"`: every text in quotes.
func Quoted(list string) []string {
	var out []string
	for i, part := range strings.Split(list, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}

// Names reads "a, b and c".
func Names(list string) []string {
	return strings.Fields(strings.NewReplacer(",", " ", " and ", " ").Replace(list))
}
