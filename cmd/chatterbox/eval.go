package main

import "github.com/spf13/cobra"

func newEval(common *commonFlags) *cobra.Command {
	eval := &cobra.Command{Use: "eval", Short: "Measure how dependably models call tools"}
	eval.AddCommand(newEvalRun(common), newEvalList(common), newEvalMerge(common), newEvalRecord(common), newEvalImport(common), newEvalReport(common), newEvalCompare(common), newEvalDecode(common), newEvalBFCLCheck(common))
	return eval
}
