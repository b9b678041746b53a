package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/evals/bfcl"
)

// bfclFiles is what --data has to have.
const bfclFiles = "--data is a folder with BFCL_v<digits>_CATEGORY.json and possible_answer"

func checkCommand(flags *cli.Flags) *cobra.Command {
	var data, category, result, score string
	cmd := &cobra.Command{
		Use:   "bfcl-check --data DIR --category CATEGORY --result FILE [--score FILE]",
		Short: "Give recorded function calls the verdicts of the Berkeley Function-Calling Leaderboard",
		Long: "Prints one verdict a line: {\"id\",\"pass\",\"error\"}. With a published score file, names the ids\n" +
			"on which it disagrees, prints \"N of M agree\" last, and exits with 1 unless all agree.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			suite, err := bfcl.Open(os.DirFS(data), category)
			if err != nil {
				return cli.Usage(bfclFiles, "read %s: %w", data, err)
			}
			published, err := readScore(score)
			if err != nil {
				return err
			}
			return checkResults(flags.Env, suite, result, published)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder with the benchmark's questions and accepted answers")
	cmd.Flags().StringVar(&category, "category", "", "such as simple_python, live_multiple or irrelevance")
	cmd.Flags().StringVar(&result, "result", "", "file with the model's results")
	cmd.Flags().StringVar(&score, "score", "", "file with the verdicts published for them")
	required(cmd, "data", "category", "result")
	return cmd
}

// readScore reads which ids failed by a score file; nil without one.
func readScore(name string) (map[string]bool, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, cli.Usage("", "%w", err)
	}
	defer file.Close()
	failed, err := bfcl.ReadScore(name, file)
	if err != nil {
		return nil, cli.Usage("a score file has the totals first, then the failures", "%w", err)
	}
	return failed, nil
}

// checkResults prints verdicts, and counts on which of them the published ones agree. published has the ids that
// failed; nil is no score file.
func checkResults(env cli.Env, suite *bfcl.Suite, result string, published map[string]bool) error {
	file, err := os.Open(result)
	if err != nil {
		return cli.Usage("", "%w", err)
	}
	defer file.Close()
	stdout := bufio.NewWriter(env.Stdout)
	encoder := json.NewEncoder(cli.NewJSONText(stdout))
	encoder.SetEscapeHTML(false)
	total, agreed := 0, 0
	err = suite.Check(result, file, func(verdict bfcl.Verdict) error {
		total++
		differs := "published as failed, passes here"
		if !verdict.Pass {
			differs = "published as passed, fails here: " + verdict.Error
		}
		if verdict.Pass != published[verdict.ID] {
			agreed++
		} else if published != nil {
			fmt.Fprintf(env.Stderr, "disagree: %s, %s\n", verdict.ID, differs)
		}
		return encoder.Encode(verdict)
	})
	if err == nil && published != nil {
		fmt.Fprintf(stdout, "%d of %d agree\n", agreed, total)
	}
	if err := stdout.Flush(); err != nil {
		return cli.Infrastructure("", fmt.Errorf("print the verdicts: %w", err))
	}
	switch {
	case err != nil:
		const form = `a result is {"id","result":[{"function":"arguments as JSON text"}]}, ` +
			"and answers a question of the category"
		return cli.Usage(form, "%w", err)
	case total == 0:
		return cli.Usage("", "there is no result in %s", result)
	case published != nil && agreed < total:
		return cli.Failed("%d of %d verdicts are not as published", total-agreed, total)
	}
	return nil
}

func importCommand(flags *cli.Flags) *cobra.Command {
	var data, out string
	var categories []string
	cmd := &cobra.Command{
		Use:   "bfcl --data DIR --category CATEGORY --out FOLDER",
		Short: "Make scenarios of the Berkeley Function-Calling Leaderboard's questions",
		Long: "Writes features that 'eval run --features FOLDER' asks models, one scenario a question. What a model\n" +
			"calls is judged by the leaderboard's rules, as eval bfcl-check does. Where the published answers say so,\n" +
			"'scripted' and simulated models can play the scenarios too.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, category := range categories {
				features, err := bfcl.Features(os.DirFS(data), category)
				if err != nil {
					return cli.Usage(bfclFiles, "read %s: %w", data, err)
				}
				if err := writeFeatures(out, features); err != nil {
					return err
				}
				scenarios, scripted := 0, 0
				for _, feature := range features {
					scenarios += feature.Scenarios
					scripted += feature.Scripted
				}
				fmt.Fprintf(flags.Env.Stdout, "%s: %d scenarios, %d of them with a right answer, in %s\n",
					category, scenarios, scripted, out)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "`folder` with the benchmark's questions and accepted answers")
	cmd.Flags().StringSliceVar(&categories, "category", nil,
		"such as simple_python, live_multiple or irrelevance; several with commas")
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write to; files that are there are not overwritten")
	required(cmd, "data", "category", "out")
	return cmd
}

// writeFeatures writes features into a folder, none over another file.
func writeFeatures(folder string, features []bfcl.Feature) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return cli.Infrastructure("", err)
	}
	for _, feature := range features {
		name := filepath.Join(folder, feature.Name)
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			return cli.Usage("name another folder with --out", "%s is there already", name)
		}
		if err != nil {
			return cli.Infrastructure("", err)
		}
		_, err = file.WriteString(feature.Text)
		if err := errors.Join(err, file.Close()); err != nil {
			return cli.Infrastructure("what was written is not whole", err)
		}
	}
	return nil
}
