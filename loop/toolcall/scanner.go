package toolcall

import (
	"slices"
	"strings"
)

// This file tells the text that a person may see from what may turn out to be a call or a thought, while the answer
// still arrives. The rules:
//   - A thought is dropped, also one that never ends. A thought's end without its beginning makes a thought of
//     everything before it, because some servers put the beginning into the prompt.
//   - From the first sign of a call on, everything is held: what it is shows only when the answer is whole. Signs are the
//     opening tags anywhere, and at the beginning an object, a list, a fence that may hold JSON, or an offered name before
//     what may be its arguments.
//   - White space at the beginning, and after a thought at the beginning, is dropped.
//   - Whether and where the stream is split makes no difference to what is shown in the end.

// Scanner holds back what must not be shown of an answer that arrives in pieces. It is a small value that can be copied
// and stored; the zero value is ready. Held text is not kept: the whole answer comes with its end.
type Scanner struct {
	Mode Mode `json:"mode,omitempty"`
	// Tail is what could be the beginning of a tag.
	Tail string `json:"tail,omitempty"`
	// Close is what ends the thought in mode Thinking.
	Close string `json:"close,omitempty"`
	// Began says that text was shown.
	Began bool `json:"began,omitempty"`
}

// Mode is what a [Scanner] is reading.
type Mode string

// The modes.
const (
	Beginning Mode = ""
	Prose     Mode = "prose"
	Thinking  Mode = "thinking"
	Holding   Mode = "holding"
)

// thoughts are the tags that enclose a model's thinking.
var thoughts = []struct{ open, close string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},
	{"<reasoning>", "</reasoning>"},
	{"[THINK]", "[/THINK]"},
}

// Feed takes the next piece of an answer to which offered were offered, and returns the scanner that follows, the
// text that may be shown now, and whether what was shown before must be taken back first.
func (s Scanner) Feed(piece string, offered []Tool) (next Scanner, text string, restart bool) {
	if s.Mode == Prose && s.Tail == "" && piece != "" && !strings.ContainsAny(piece, tagStarts) {
		s.Began = true
		return s, piece, false
	}
	r := reader{Scanner: s, offered: offered}
	r.read(piece)
	return r.Scanner, r.shown.String(), r.restart
}

// scan reads a whole answer: what is shown, and the rest from the first sign of a call on.
func scan(content string, offered []Tool) (text, rest string) {
	for _, thought := range thoughts {
		// A call in a thought is a thought. The reader itself cannot know that it is in one before it meets the end. A
		// thought never begins as an object does, but an object may have a text with the tag in it.
		if strings.HasPrefix(strings.TrimLeft(content, space), "{") {
			break
		}
		if end := strings.Index(content, thought.close); end >= 0 && !strings.Contains(content[:end], thought.open) {
			content = content[end+len(thought.close):]
		}
	}
	r := reader{offered: offered}
	r.read(content)
	if r.Mode == Prose || r.Mode == Beginning {
		r.show(r.Tail)
	}
	return r.shown.String(), r.rest
}

// reader is one reading of a piece. Its methods take what is to be read and return what is left of it.
type reader struct {
	Scanner
	shown   strings.Builder
	restart bool
	rest    string // from the first sign of a call on
	offered []Tool
}

func (r *reader) read(piece string) {
	in := r.Tail + piece
	r.Tail = ""
	for in != "" {
		switch r.Mode {
		case Beginning:
			in = r.begin(in)
		case Prose:
			in = r.prose(in)
		case Thinking:
			in = r.think(in)
		default:
			r.rest, in = in, ""
		}
	}
}

func (r *reader) show(text string) {
	r.shown.WriteString(text)
	r.Began = r.Began || text != ""
}

// keep leaves in for the next piece.
func (r *reader) keep(in string) string {
	r.Tail = in
	return ""
}

func (r *reader) begin(in string) string {
	in = strings.TrimLeft(in, space)
	if in == "" {
		return ""
	}
	var holds, partial bool
	switch in[0] {
	case '{', '}':
		holds = true
	case '[':
		var tag string
		tag, partial = matchTag(in)
		holds = tag == ""
	case '`':
		holds, partial = opensCallFence(in)
	default:
		holds, partial = r.opensWritten(in)
	}
	switch {
	case partial:
		return r.keep(in)
	case holds:
		r.Mode = Holding
	default:
		r.Mode = Prose
	}
	return in
}

// opensWritten says whether text begins with the name of an offered tool as it stands before arguments, or with a
// harmony message that lost its tokens; or whether more of it must be known.
func (r *reader) opensWritten(text string) (opens, partial bool) {
	if strings.HasPrefix(text, commentaryOpen) || leaksAnalysis(text) {
		return true, false
	}
	partial = strings.HasPrefix(commentaryOpen, text) || strings.HasPrefix(analysisOpen, text)
	name := text[:identifierEnd(text)]
	after := text[len(name):]
	gap := after[:len(after)-len(strings.TrimLeft(after, space))]
	d := decoder{offered: r.offered}
	switch {
	case name == "" || len(gap) > writtenGapMax:
		return false, partial
	case after == "":
		return false, partial || d.beginsName(name)
	}
	if _, _, isOffered := d.name(name); !isOffered {
		return false, partial
	}
	if after == gap {
		return false, true
	}
	return after[0] == '(' || after[len(gap)] == '{' && strings.Contains(gap, "\n"), partial
}

// writtenGapMax is more space than stands between a name and its arguments.
const writtenGapMax = 16

func (r *reader) prose(in string) string {
	at := strings.IndexAny(in, tagStarts)
	if at < 0 {
		r.show(in)
		return ""
	}
	r.show(in[:at])
	in = in[at:]
	tag, partial := matchTag(in)
	if partial {
		return r.keep(in)
	}
	if tag == "" {
		r.show(in[:1])
		return in[1:]
	}
	for _, thought := range thoughts {
		switch tag {
		case thought.open:
			r.Mode, r.Close = Thinking, thought.close
			return in[len(tag):]
		case thought.close:
			r.shown.Reset()
			r.Mode, r.Began, r.restart = Beginning, false, true
			return in[len(tag):]
		}
	}
	r.Mode = Holding
	return in
}

func (r *reader) think(in string) string {
	_, after, found := strings.Cut(in, r.Close)
	if !found {
		return r.keep(partialEnd(in, r.Close))
	}
	r.Close, r.Mode = "", Beginning
	if r.Began {
		r.Mode = Prose
	}
	return after
}

const (
	space     = " \t\r\n"
	tagStarts = "<[" // what every tag begins with one of
)

// tags are all that a reader looks for.
var tags = func() []string {
	all := slices.Clone(openers[:])
	for _, thought := range thoughts {
		all = append(all, thought.open, thought.close)
	}
	return all
}()

// matchTag returns the tag that text begins with, or else whether text could be the beginning of one.
func matchTag(text string) (tag string, partial bool) {
	for _, candidate := range tags {
		if strings.HasPrefix(text, candidate) {
			return candidate, false
		}
		partial = partial || strings.HasPrefix(candidate, text)
	}
	return "", partial
}

// partialEnd is the longest end of text that is the beginning of tag, but not tag.
func partialEnd(text, tag string) string {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return tag[:n]
		}
	}
	return ""
}
