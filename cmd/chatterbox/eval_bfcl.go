package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"chatterbox/evals/bfcl"
)

func newEvalBFCLCheck(common *commonFlags) *cobra.Command {
	var data, category, result, score string
	cmd := &cobra.Command{
		Use:   "bfcl-check --data DIR --category CATEGORY --result FILE [--score FILE]",
		Short: "Give recorded function calls the verdicts of the Berkeley Function-Calling Leaderboard",
		Long: "Prints one verdict a line: {\"id\",\"pass\",\"error\"}. With a published score file, names the ids on which it\n" +
			"disagrees, prints \"N of M agree\" last, and exits with 1 unless all agree.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			suite, err := bfcl.Open(os.DirFS(data), category)
			if err != nil {
				return usageError("--data is a folder with BFCL_v<digits>_CATEGORY.json and possible_answer", "read %s: %w", data, err)
			}
			check := bfclCheck{stdout: bufio.NewWriter(common.env.Stdout), stderr: common.env.Stderr}
			if score != "" {
				if check.published, err = readScore(score); err != nil {
					return err
				}
			}
			return check.run(suite, result)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder with the benchmark's questions and accepted answers")
	cmd.Flags().StringVar(&category, "category", "", "such as simple_python, live_multiple or irrelevance")
	cmd.Flags().StringVar(&result, "result", "", "file with the model's results")
	cmd.Flags().StringVar(&score, "score", "", "file with the verdicts published for them")
	for _, name := range []string{"data", "category", "result"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not defined above
		}
	}
	return cmd
}

func readScore(name string) (map[string]bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usageError("", "%w", err)
	}
	defer file.Close()
	failed, err := bfcl.ReadScore(name, file)
	if err != nil {
		return nil, usageError("a score file has the totals first, then the failures", "%w", err)
	}
	return failed, nil
}

// bfclCheck prints verdicts and counts on which of them the published ones agree.
type bfclCheck struct {
	stdout    *bufio.Writer
	stderr    io.Writer
	published map[string]bool // the ids that failed; nil without a score file

	total, agreed int
	unwritten     error // why a verdict could not be printed
}

func (c *bfclCheck) run(suite *bfcl.Suite, result string) error {
	file, err := os.Open(result)
	if err != nil {
		return usageError("", "%w", err)
	}
	defer file.Close()
	err = suite.Check(result, file, c.add)
	if err == nil && c.published != nil {
		fmt.Fprintf(c.stdout, "%d of %d agree\n", c.agreed, c.total)
	}
	if flushed := c.stdout.Flush(); c.unwritten == nil {
		c.unwritten = flushed
	}
	switch {
	case c.unwritten != nil:
		return infrastructureError("", fmt.Errorf("print the verdicts: %w", c.unwritten))
	case err != nil:
		return usageError(`a result is {"id","result":[{"function":"arguments as JSON text"}]}, and answers a question of the category`, "%w", err)
	case c.total == 0:
		return usageError("", "there is no result in %s", result)
	case c.published != nil && c.agreed < c.total:
		return failed("%d of %d verdicts are not as published", c.total-c.agreed, c.total)
	}
	return nil
}

func (c *bfclCheck) add(verdict bfcl.Verdict) error {
	c.total++
	if verdict.Pass != c.published[verdict.ID] {
		c.agreed++
	} else if c.published != nil {
		fmt.Fprintf(c.stderr, "disagree: %s, %s\n", verdict.ID, differs(verdict))
	}
	encoder := json.NewEncoder(newJSONText(c.stdout))
	encoder.SetEscapeHTML(false)
	c.unwritten = encoder.Encode(verdict)
	return c.unwritten
}

func differs(verdict bfcl.Verdict) string {
	if verdict.Pass {
		return "published as failed, passes here"
	}
	return "published as passed, fails here: " + verdict.Error
}
