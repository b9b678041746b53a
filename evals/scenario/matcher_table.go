package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// Pairs makes a map of rows with the columns name and "value". A name that stands there twice is an error.
func Pairs(rows []map[string]string, name string) (map[string]string, error) {
	out := map[string]string{}
	for _, row := range rows {
		if _, ok := out[row[name]]; ok {
			return nil, fmt.Errorf("%s %q stands twice in the table", name, row[name])
		}
		out[row[name]] = row["value"]
	}
	return out, nil
}

// Call is a call as a table describes it.
type RowCall struct {
	ID, Tool  string
	Arguments map[string]string
}

// Calls reads rows with the columns tool and, where they are, id, argument and value: one row for each argument, the rows of
// one call together and told apart by id. Without an id each row is a call. A row without an argument is a call without
// arguments.
func RowCalls(rows []map[string]string) ([]RowCall, error) {
	var out []RowCall
	for _, row := range rows {
		id := row["id"]
		if n := len(out); n == 0 || id == "" || out[n-1].ID != id {
			out = append(out, RowCall{ID: id, Tool: row["tool"], Arguments: map[string]string{}})
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

// Times reads "never", "once", "twice" or "7 times".
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
