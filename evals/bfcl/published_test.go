package bfcl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"chatterbox/evals/bfcl"
)

// publishedKind finds what a published verdict says went wrong.
var publishedKind = regexp.MustCompile(`"id": "([^"]+)".*?"error_type": "([^"]+)"`)

// TestPublishedVerdicts judges published results as they were judged when published, kind of failure included. The data
// is not part of the tree: BFCL_DATA names its folder, or it lies beside the tree.
func TestPublishedVerdicts(t *testing.T) {
	folder := os.Getenv("BFCL_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data", "bfcl")
	}
	results, err := filepath.Glob(filepath.Join(folder, "sample", "BFCL_v*_result.json"))
	if err != nil || len(results) == 0 && os.Getenv("BFCL_DATA") != "" {
		t.Fatalf("no results in %s: %v", folder, err)
	}
	for _, name := range results {
		category := regexp.MustCompile(`BFCL_v\d+_(.*)_result`).FindStringSubmatch(name)[1]
		t.Run(category, func(t *testing.T) {
			suite, err := bfcl.Open(os.DirFS(folder), category)
			if err != nil {
				t.Fatal(err)
			}
			kinds := publishedKinds(t, strings.Replace(name, "_result.json", "_score.json", 1))
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			total := 0
			err = suite.Check(name, file, func(v bfcl.Verdict) error {
				total++
				kind, failed := kinds[v.ID]
				if v.Pass == failed || !strings.HasPrefix(v.Error, kind) {
					t.Errorf("%s: published as %q, judged as %q", v.ID, kind, v.Error)
				}
				return nil
			})
			if err != nil || total == 0 {
				t.Fatalf("%d verdicts, %v", total, err)
			}
		})
	}
}

// publishedKinds reads the kinds of failure by id and makes sure that ReadScore finds the same ids.
func publishedKinds(t *testing.T, name string) map[string]string {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if found := publishedKind.FindStringSubmatch(line); found != nil {
			kinds[found[1]] = found[2]
		}
	}
	failed, err := bfcl.ReadScore(name, strings.NewReader(string(text)))
	if err != nil || len(failed) != len(kinds) {
		t.Fatalf("%d failures read, %d published, %v", len(failed), len(kinds), err)
	}
	return kinds
}
