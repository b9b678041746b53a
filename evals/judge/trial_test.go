package judge_test

import (
	"strings"
	"testing"

	"chatterbox/evals/judge"
)

func read(log string) (out []judge.Trial, err error) {
	err = judge.ReadTrials("log", strings.NewReader(log), func(t judge.Trial) error {
		out = append(out, t)
		return nil
	})
	return out, err
}

func TestTrialsShareWhatTheyHaveAlike(t *testing.T) {
	const line = `{"subject":"s","scenario":"x","trial":1,"outcome":"pass","tags":["@a","@b"]}` + "\n"
	got, err := read(line + line + `{"subject":"s","scenario":"x","trial":1,"outcome":"fail","tags":["@c"]}` + "\n")
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	if &got[0].Tags[0] != &got[1].Tags[0] || got[2].Tags[0] != "@c" || got[2].Outcome != judge.Fail || got[1].Subject != "s" {
		t.Errorf("%+v", got)
	}
}

func TestAnEndWithoutALineBreak(t *testing.T) {
	const line = `{"subject":"s","scenario":"x","trial":1,"outcome":"pass"}`
	for log, want := range map[string]int{line + "\n" + line: 2, line + "\n" + line[:20]: 1, line + "\n\n" + line + "\n": 2, "": 0} {
		if got, err := read(log); err != nil || len(got) != want {
			t.Errorf("%q has %d trials, %v, want %d", log, len(got), err, want)
		}
	}
	if _, err := read(line[:20] + "\n"); err == nil || !strings.Contains(err.Error(), "log:1:") {
		t.Errorf("a line that is cut in the middle of a log: %v", err)
	}
}
