package steps

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cucumber/godog"
)

// rows reads a table whose first row names columns. Every column must be one of known; those in known that end with a
// question mark may be missing, and are then absent from the rows.
func rows(table *godog.Table, known ...string) ([]map[string]string, error) {
	if len(table.Rows) < 2 {
		return nil, fmt.Errorf("the table needs a row that names the columns (%s) and one more", strings.Join(known, ", "))
	}
	allowed := map[string]bool{}
	for _, name := range known {
		name, optional := strings.CutSuffix(name, "?")
		allowed[name] = !optional
	}
	var columns []string
	for _, cell := range table.Rows[0].Cells {
		if _, ok := allowed[cell.Value]; !ok {
			return nil, fmt.Errorf("unknown column %q, there are: %s", cell.Value, strings.Join(known, ", "))
		}
		columns = append(columns, cell.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if allowed[name] && !slices.Contains(columns, name) {
			return nil, fmt.Errorf("the table has no column %q", name)
		}
	}
	var out []map[string]string
	for _, row := range table.Rows[1:] {
		values := map[string]string{}
		for i, cell := range row.Cells {
			values[columns[i]] = cell.Value
		}
		out = append(out, values)
	}
	return out, nil
}

// pairs reads a table of two columns, of which the second is "value", as a map. A name that stands there twice is an
// error.
func pairs(table *godog.Table, name string) (map[string]string, error) {
	list, err := rows(table, name, "value")
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

// wantedCall is a call as a table describes it.
type wantedCall struct {
	id, tool  string
	arguments map[string]string
}

// calls reads a table of calls: one row for each argument, the rows of one call together and told apart by id. Without
// a column id each row is a call. A row without an argument is a call without arguments.
func calls(table *godog.Table) ([]wantedCall, error) {
	list, err := rows(table, "id?", "tool", "argument?", "value?")
	if err != nil {
		return nil, err
	}
	var out []wantedCall
	for _, row := range list {
		id := row["id"]
		if n := len(out); n == 0 || id == "" || out[n-1].id != id {
			out = append(out, wantedCall{id: id, tool: row["tool"], arguments: map[string]string{}})
		}
		current := out[len(out)-1]
		if current.tool != row["tool"] {
			return nil, fmt.Errorf("call %s is one of %s and of %s", id, current.tool, row["tool"])
		}
		if name := row["argument"]; name != "" {
			current.arguments[name] = row["value"]
		}
	}
	return out, nil
}

// times reads "never", "once", "twice" or "7 times".
func times(text string) (int, error) {
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

// quoted reads `"a", "b" or "c"`: every text in quotes.
func quoted(list string) []string {
	var out []string
	for i, part := range strings.Split(list, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}
