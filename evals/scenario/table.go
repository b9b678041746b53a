package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// rows reads a table whose first row names columns. Those of known that end with a question mark may be missing.
func rows(table [][]string, known ...string) ([]map[string]string, error) {
	columns := strings.Join(known, ", ")
	if len(table) < 2 {
		return nil, fmt.Errorf("expected a row that names the columns (%s) and one more", columns)
	}
	for _, name := range known {
		if !strings.HasSuffix(name, "?") && !slices.Contains(table[0], name) {
			return nil, fmt.Errorf("expected a column %q", name)
		}
	}
	for _, name := range table[0] {
		if !slices.Contains(known, name) && !slices.Contains(known, name+"?") {
			return nil, fmt.Errorf("expected the columns %s, found %q", columns, name)
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

// pairs reads a table of two columns, of which the second is "value".
func pairs(table [][]string, name string) (map[string]string, error) {
	list, err := rows(table, name, "value")
	if err != nil {
		return nil, err
	}
	return Pairs(list, name)
}

// tableCalls reads a table of calls.
func tableCalls(table [][]string) ([]RowCall, error) {
	list, err := rows(table, "id?", "tool", "argument?", "value?")
	if err != nil {
		return nil, err
	}
	return RowCalls(list)
}
