package mockllm_test

import (
	"strings"
	"testing"

	"chatterbox/evals/mockllm"
)

// TestWindowFillsExactly: a prompt that is larger than the window is counted as what fills it with the answer; a
// smaller one is counted as it is.
func TestWindowFillsExactly(t *testing.T) {
	for name, c := range map[string]struct {
		words int
		full  bool
	}{
		"a large prompt": {2000, true},
		"a small prompt": {10, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := play(t, `{"content":"good day","window":2048}`, mockllm.Options{})
			_, body := ask(t, url, strings.Repeat("word ", c.words))
			if full := strings.Contains(body, `"total_tokens":2048}`); full != c.full {
				t.Errorf("the usage is %s", body)
			}
		})
	}
}
