package steps

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"chatterbox/evals/scenario"
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
	for _, head := range table.Rows[0].Cells {
		if _, ok := allowed[head.Value]; !ok {
			return nil, fmt.Errorf("unknown column %q, there are: %s", head.Value, strings.Join(known, ", "))
		}
		columns = append(columns, head.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if allowed[name] && !slices.Contains(columns, name) {
			return nil, fmt.Errorf("the table has no column %q", name)
		}
	}
	var out []map[string]string
	for _, row := range table.Rows[1:] {
		values := map[string]string{}
		for i, one := range row.Cells {
			values[columns[i]] = one.Value
		}
		out = append(out, values)
	}
	return out, nil
}

// pairs reads a table of two columns, of which the second is "value".
func pairs(table *godog.Table, name string) (map[string]string, error) {
	list, err := rows(table, name, "value")
	if err != nil {
		return nil, err
	}
	return scenario.Pairs(list, name)
}

// calls reads a table of calls.
func calls(table *godog.Table) ([]scenario.RowCall, error) {
	list, err := rows(table, "id?", "tool", "argument?", "value?")
	if err != nil {
		return nil, err
	}
	return scenario.RowCalls(list)
}
