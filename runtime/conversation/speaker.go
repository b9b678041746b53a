package conversation

import (
	"strings"

	"chatterbox/loop"
)

// speaker passes emissions on and remembers what a listener holds for the answer: the deltas since the last interim.
type speaker struct {
	emit func(loop.Emission) // nil: nobody listens
	said strings.Builder

	first   string // stands before every answer
	entered string // its end, which says what mode the text began with
}

// enter adds what is said of a mode that the text begins with.
func (s *speaker) enter(entered string) {
	s.first += entered
	s.entered += entered
}

// stay takes back what was said of modes: nothing is stored of a turn that failed, not the mode either.
func (s *speaker) stay() {
	s.first, s.entered = strings.TrimSuffix(s.first, s.entered), ""
}

func (s *speaker) pass(emission loop.Emission) {
	switch emission.Kind {
	case loop.EmitDelta:
		if s.said.Len() == 0 && s.first != "" {
			emission.Text = s.first + emission.Text
		}
		s.said.WriteString(emission.Text)
	case loop.EmitInterim:
		s.said.Reset()
	}
	if s.emit != nil {
		s.emit(emission)
	}
}

// pause stands between what was said and what will be.
func (s *speaker) pause() {
	if s.said.Len() > 0 {
		s.pass(loop.Emission{Kind: loop.EmitDelta, Text: " "})
	}
}

// listener is what a driver emits to, nil where nobody listens.
func (s *speaker) listener() func(loop.Emission) {
	if s.emit == nil {
		return nil
	}
	return s.pass
}

// takeBack makes what was said no part of the answer.
func (s *speaker) takeBack() {
	if s.said.Len() > 0 {
		s.pass(loop.Emission{Kind: loop.EmitInterim})
	}
}

// settle makes the deltas since the last interim equal to answer, which an apology, a question and an answer by rule
// are not yet.
func (s *speaker) settle(answer string) {
	said := s.said.String()
	rest, continues := strings.CutPrefix(answer, said)
	if !continues {
		s.pass(loop.Emission{Kind: loop.EmitInterim})
		rest = answer
	}
	if rest != "" {
		if s.said.Len() == 0 {
			rest = strings.TrimPrefix(rest, s.first)
		}
		s.pass(loop.Emission{Kind: loop.EmitDelta, Text: rest})
	}
}
