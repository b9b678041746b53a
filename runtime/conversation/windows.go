package conversation

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"chatterbox/loop"
	"chatterbox/loop/route"
)

const (
	// cutsMax bounds how many models' cuts are remembered.
	cutsMax = 16
	// learnedFor is how long a server's window is taken for what a cut showed. Then the whole is tried again, since the
	// server may have been given a larger one.
	learnedFor = time.Hour
	// indexesMax bounds how many sets of tools are kept ready; each mode has one.
	indexesMax = 16
)

// PromptCut says that a model's server read only a part of prompts.
type PromptCut struct {
	loop.Cut           // the latest
	At       time.Time `json:"at"`
	Times    int       `json:"times"`
	Advice   string    `json:"advice"`

	learned loop.Window
	until   time.Time // until when learned holds, or, where nothing was learned, asking again is given up
}

// windows remembers which servers cut prompts. Its methods may be called by several goroutines at once.
type windows struct {
	mu   sync.Mutex
	cuts []*PromptCut // guarded by mu; one for each model, the oldest first
}

// of is the window of a model together with what was learned of it.
func (w *windows) of(known loop.Window, now time.Time) loop.Window {
	w.mu.Lock()
	defer w.mu.Unlock()
	cut := w.find(known.Model)
	if cut == nil || !now.Before(cut.until) {
		return known
	}
	if tokens := cut.learned.Tokens; tokens > 0 && (known.Tokens == 0 || tokens < known.Tokens) {
		known.Tokens = tokens
	}
	known.Prompt = cut.learned.Prompt
	return known
}

// note remembers a cut, and has tell say what to do about it when it is a model's first. It reports whether asking
// again with less is worth trying.
func (w *windows) note(cut loop.Cut, now time.Time, tell func(advice string)) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.find(cut.Model)
	if known == nil {
		known = &PromptCut{}
		if len(w.cuts) == cutsMax {
			w.cuts = slices.Delete(w.cuts, 0, 1)
		}
		w.cuts = append(w.cuts, known)
		tell(cut.String())
	}
	known.Cut, known.At, known.Advice = cut, now.UTC(), cut.String()
	known.Times++
	return !now.Before(known.until) || known.learned != loop.Window{}
}

// learn takes the window for what the cut showed when asking with less has helped, and gives up asking again when not.
func (w *windows) learn(cut loop.Cut, helped bool, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.find(cut.Model)
	if known == nil {
		return
	}
	known.learned, known.until = loop.Window{}, now.Add(learnedFor)
	if helped {
		known.learned = cut.Learned()
	}
}

func (w *windows) find(model string) *PromptCut {
	for _, cut := range w.cuts {
		if cut.Model == model {
			return cut
		}
	}
	return nil
}

// PromptsCut lists the models whose servers read only a part of prompts.
func (s *Service) PromptsCut() []PromptCut {
	s.windows.mu.Lock()
	defer s.windows.mu.Unlock()
	out := make([]PromptCut, len(s.windows.cuts))
	for i, cut := range s.windows.cuts {
		out[i] = *cut
	}
	return out
}

// indexes keeps sets of tools ready for choosing. Its methods may be called by several goroutines at once.
type indexes struct {
	mu   sync.Mutex
	kept []indexed // guarded by mu; the oldest first
}

type indexed struct {
	tools []loop.Tool
	index *route.Index
}

// of is the index of a set of tools.
func (x *indexes) of(tools []loop.Tool) *route.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, one := range x.kept {
		if slices.EqualFunc(one.tools, tools, sameTool) {
			return one.index
		}
	}
	if len(x.kept) == indexesMax {
		x.kept = slices.Delete(x.kept, 0, 1)
	}
	index := route.NewIndex(tools)
	x.kept = append(x.kept, indexed{slices.Clone(tools), index})
	return index
}

func sameTool(a, b loop.Tool) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
}
