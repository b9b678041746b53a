package page_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sectionText is what a person reads in a section of the page: a row of a table is a line, its cells are apart.
func sectionText(t *testing.T, html, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(html, `<section id="`+id+`"`)
	section, _, ended := strings.Cut(rest, "</section>")
	if !found || !ended {
		t.Fatalf("there is no section %s", id)
	}
	section = regexp.MustCompile(`<t[hd][^>]*>`).ReplaceAllString(section, " | ")
	return regexp.MustCompile(`<[^>]*>`).ReplaceAllString(section, "")
}

func TestSectionsSayWhatTheLogHas(t *testing.T) {
	const direct = `"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hello."}]`
	const log = `{"subject":"m/loop","scenario":"a","trial":1,"outcome":"pass","ms":900,"ttft_ms":100,"llm_calls":1,"prompt_tokens":10,"completion_tokens":2,"cost_usd":0.5,` + direct + `}
{"subject":"m/loop","scenario":"a","trial":2,"outcome":"fail","class":"no_call","ms":1100,"ttft_ms":300,"llm_calls":2,"prompt_tokens":20,"completion_tokens":3,"cost_usd":0.25,"repaired":1,` + direct + `}
{"subject":"m/loop","scenario":"b","trial":1,"outcome":"pass","ms":4000,"llm_calls":3,"prompt_tokens":30,"completion_tokens":4,"cost_usd":0.25,` + direct + `}
{"subject":"n/bare","scenario":"a","trial":1,"outcome":"fail","class":"no_call","ms":3000,"llm_calls":1,` + direct + `}
{"subject":"n/bare","scenario":"c","trial":1,"outcome":"pass","ms":3100,"llm_calls":1,` + direct + `}
{"subject":"n/bare","scenario":"d","trial":1,"outcome":"pass","ms":3200}
{"subject":"n/bare","scenario":"d","trial":2,"outcome":"pass","ms":3300}
{"subject":"n/bare","scenario":"d","trial":3,"outcome":"fail","ms":3400}
`
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	html := written(t, name)
	for id, wants := range map[string][]string{
		"latency": {
			"| turn | documented | m/loop | n/bare\n", "| direct answer | 0.5 to 2 s | 1.10, 4.00 s (3) | 3.00, 3.10 s (2), slower\n",
			"| all trials |  | 1.10, 4.00 s | 3.20, 3.40 s\n", "| to the first token |  | 0.10, 0.30 s | 0.00, 0.00 s\n",
		},
		"cost": {
			"| m/loop | 1.0000 USD | 0.50000 USD | 2.00 | 60 | 9 | 1 | 0\n", "| n/bare | unknown | unknown | 0.40 | 0 | 0 | 0 | 0\n",
		},
		"flaky":   {"m/loop: 1\n", "| a | 1 of 2\n", "n/bare: 1\n", "| d | 2 of 3\n"},
		"success": {"| m/loop | 66.7 %", "| 2 of 3 | 2 | ", "| n/bare | 60.0 %"},
		"classes": {"| no_call | 1 | 1 | it answered"},
	} {
		text := sectionText(t, html, id)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q:\n%s", id, want, text)
			}
		}
	}
	if strings.Contains(sectionText(t, html, "latency"), "4.00 s (3), slower") {
		t.Error("half of the trials are fast enough")
	}
}
