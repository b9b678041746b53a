package loop_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/loop/looptest"
)

var update = flag.Bool("update", false, "write what happens into the transcripts")

func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("only %d transcripts", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			looptest.Transcript(t, file, *update)
		})
	}
}
