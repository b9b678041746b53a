package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Outcome is how a trial ended.
type Outcome string

// The outcomes. Errors are of the infrastructure and never the subject's; excluded is a trial that says nothing about
// it, such as one whose context the server cut.
const (
	Pass     Outcome = "pass"
	Fail     Outcome = "fail"
	Error    Outcome = "error"
	Excluded Outcome = "excluded"
)

// Trial is one run of one scenario on one subject. Only the first four fields are in every line.
type Trial struct {
	Subject  string  `json:"subject"` // model/strategy
	Scenario string  `json:"scenario"`
	Trial    int     `json:"trial"` // which repeat, from 1
	Outcome  Outcome `json:"outcome"`

	Class            string          `json:"class,omitempty"` // of a failure
	Tags             []string        `json:"tags,omitempty"`
	ToolsOffered     int             `json:"tools_offered,omitempty"`
	Context          int             `json:"context,omitempty"` // tokens
	MS               float64         `json:"ms,omitempty"`
	FirstTokenMS     float64         `json:"ttft_ms,omitempty"`
	LLMCalls         int             `json:"llm_calls,omitempty"`
	PromptTokens     int             `json:"prompt_tokens,omitempty"`
	CompletionTokens int             `json:"completion_tokens,omitempty"`
	CostUSD          *float64        `json:"cost_usd,omitempty"` // nil: the price is not known
	Repaired         int             `json:"repaired,omitempty"`
	Simulated        bool            `json:"simulated,omitempty"`
	Detail           string          `json:"detail,omitempty"`   // what was wrong, in a sentence
	Version          string          `json:"version,omitempty"`  // of the scenario
	Seed             uint64          `json:"seed,omitempty"`     // of the run
	Sampling         map[string]any  `json:"sampling,omitempty"` // what the model was asked with
	Fingerprint      string          `json:"fingerprint,omitempty"`
	Retries          int             `json:"retries,omitempty"` // of requests, because of the server
	Messages         json.RawMessage `json:"messages,omitempty"`
	Expected         json.RawMessage `json:"expected,omitempty"`
}

// lineBytesMax bounds a line: a transcript with its tool results.
const lineBytesMax = 16 << 20

// ReadTrials calls each with the trials of a log, in order. Fields that it does not know are ignored. A last line
// without its end is what an interrupted writer leaves behind, and ignored too; any other line that is no trial is an
// error with its number.
func ReadTrials(name string, r io.Reader, each func(Trial) error) error {
	_, err := ReadTornTrials(name, r, each)
	return err
}

// ReadTornTrials is ReadTrials, and says whether a last line without its end was ignored.
func ReadTornTrials(name string, r io.Reader, each func(Trial) error) (torn bool, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineBytesMax)
	lines.Split(wholeLines)
	same := shared{texts: map[string]string{}, tags: map[string][]string{}}
	number := 1
	for ; lines.Scan(); number++ {
		line := lines.Bytes()
		isWhole := bytes.HasSuffix(line, []byte("\n")) || json.Valid(line)
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if !isWhole {
			return true, nil
		}
		t, err := readTrial(line)
		if err != nil {
			return false, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		same.keep(&t)
		if err := each(t); err != nil {
			return false, err
		}
	}
	err = lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a line is over %d bytes", lineBytesMax)
	}
	if err != nil {
		err = fmt.Errorf("%s:%d: %w", name, number, err)
	}
	return false, err
}

// wholeLines splits at the ends of lines and keeps them, so that a last line without one is seen.
func wholeLines(data []byte, atEnd bool) (advance int, line []byte, err error) {
	if end := bytes.IndexByte(data, '\n') + 1; end > 0 {
		return end, data[:end], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// shared has one copy of what many trials of a log have alike, so that who keeps trials keeps little.
type shared struct {
	texts map[string]string
	tags  map[string][]string
}

func (s shared) keep(t *Trial) {
	outcome := string(t.Outcome)
	for _, text := range []*string{&t.Subject, &t.Scenario, &outcome, &t.Class, &t.Version, &t.Fingerprint} {
		had, ok := s.texts[*text]
		if !ok {
			had = *text
			s.texts[had] = had
		}
		*text = had
	}
	t.Outcome = Outcome(outcome)
	all := strings.Join(t.Tags, " ")
	if had, ok := s.tags[all]; ok {
		t.Tags = had
	} else {
		s.tags[all] = t.Tags
	}
}

func readTrial(line []byte) (t Trial, err error) {
	if err := json.Unmarshal(line, &t); err != nil {
		return t, err
	}
	switch {
	case t.Subject == "":
		return t, errors.New("the trial has no subject")
	case t.Scenario == "":
		return t, errors.New("the trial has no scenario")
	case t.Outcome == "" || !slices.Contains(outcomes, t.Outcome):
		return t, fmt.Errorf("outcome %q is none of pass, fail, error, excluded", t.Outcome)
	}
	return t, nil
}
