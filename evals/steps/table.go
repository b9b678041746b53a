package steps

import (
	"github.com/cucumber/godog"

	"chatterbox/evals/scenario"
)

// cells are what stands in a table.
func cells(table *godog.Table) [][]string {
	var out [][]string
	for _, row := range table.Rows {
		var one []string
		for _, cell := range row.Cells {
			one = append(one, cell.Value)
		}
		out = append(out, one)
	}
	return out
}

func rows(table *godog.Table, known ...string) ([]map[string]string, error) {
	return scenario.Rows(cells(table), known...)
}

func pairs(table *godog.Table, name string) (map[string]string, error) {
	return scenario.Pairs(cells(table), name)
}
