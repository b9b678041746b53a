package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"chatterbox/evals/bfcl"
)

func newEvalImport(common *commonFlags) *cobra.Command {
	cmd := &cobra.Command{Use: "import", Short: "Make scenarios of other people's data"}
	cmd.AddCommand(newEvalImportBFCL(common))
	return cmd
}

func newEvalImportBFCL(common *commonFlags) *cobra.Command {
	var data, out string
	var categories []string
	cmd := &cobra.Command{
		Use: "bfcl --data DIR --category CATEGORY --out FOLDER", Short: "Make scenarios of the Berkeley Function-Calling Leaderboard's questions",
		Long: "Writes features that 'eval run --features FOLDER' asks models, one scenario a question. What a model calls is judged by\n" +
			"the leaderboard's rules, as eval bfcl-check does. Where the published answers say so, 'scripted' and simulated models\n" +
			"can play the scenarios too.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			for _, category := range categories {
				features, err := bfcl.Features(os.DirFS(data), category)
				if err != nil {
					return usageError("--data is a folder with BFCL_v<digits>_CATEGORY.json and possible_answer", "read %s: %w", data, err)
				}
				scenarios, scripted, err := writeFeatures(out, features)
				if err != nil {
					return err
				}
				fmt.Fprintf(common.env.Stdout, "%s: %d scenarios, %d of them with a right answer, in %s\n", category, scenarios, scripted, out)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "`folder` with the benchmark's questions and accepted answers")
	cmd.Flags().StringSliceVar(&categories, "category", nil, "such as simple_python, live_multiple or irrelevance; several with commas")
	cmd.Flags().StringVar(&out, "out", "", "`folder` to write to; files that are there are not overwritten")
	for _, name := range []string{"data", "category", "out"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is not defined above
		}
	}
	return cmd
}

// writeFeatures writes features into a folder, none over another file.
func writeFeatures(folder string, features []bfcl.Feature) (scenarios, scripted int, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, 0, infrastructureError("", err)
	}
	for _, feature := range features {
		name := filepath.Join(folder, feature.Name)
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, os.ErrExist) {
			return 0, 0, usageError("name another folder with --out", "%s is there already", name)
		}
		if err != nil {
			return 0, 0, infrastructureError("", err)
		}
		_, err = file.WriteString(feature.Text)
		if err := errors.Join(err, file.Close()); err != nil {
			return 0, 0, infrastructureError("what was written is not whole", err)
		}
		scenarios += feature.Scenarios
		scripted += feature.Scripted
	}
	return scenarios, scripted, nil
}
