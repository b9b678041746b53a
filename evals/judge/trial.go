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
	reader := bufio.NewReaderSize(r, 64<<10)
	same := shared{texts: map[string]string{}, tags: map[string][]string{}}
	for number := 1; ; number++ {
		line, err := readLine(reader)
		if errors.Is(err, io.EOF) {
			return len(line) > 0, nil
		}
		if err != nil {
			return false, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var t Trial
		if err := json.Unmarshal(line, &t); err != nil {
			return false, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if err := t.validate(); err != nil {
			return false, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		same.keep(&t)
		if err := each(t); err != nil {
			return false, err
		}
	}
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

// readLine returns the next line without its end, and io.EOF with one that has no end and is no whole object.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > lineBytesMax:
			return nil, fmt.Errorf("a line is over %d bytes", lineBytesMax)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			if json.Valid(line) {
				return line, nil
			}
			return bytes.TrimSpace(line), io.EOF
		case err != nil:
			return nil, err
		}
		return line[:len(line)-1], nil
	}
}

func (t Trial) validate() error {
	switch {
	case t.Subject == "":
		return errors.New("the trial has no subject")
	case t.Scenario == "":
		return errors.New("the trial has no scenario")
	}
	if t.Outcome == "" || !slices.Contains(outcomes, t.Outcome) {
		return fmt.Errorf("outcome %q is none of pass, fail, error, excluded", t.Outcome)
	}
	return nil
}
