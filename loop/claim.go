package loop

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// This file finds sentences of a model that claim an effect: that something has been done, is being done, or will be.
// The rules are:
//   - A claim says of the speaker, or of nobody, that something in the world is changed: "I've turned on the light", "your
//     table is booked", "deleted". What others did, what is denied, asked, offered or bound to a condition is none.
//   - How things stand ("the light is on") is a claim where something was to be done. It is none where the person asked how
//     they stand, or where a tool has just told.
//   - A promise ("I'll remind you") is a claim. It is none where the person must say something first.
//   - Text in quotation marks is somebody else's, unless it is all there is.
//   - A sentence is looked at in every language that is known: a model may answer in another than the person's.
//
// What a language needs is data: a file like claim_en.go, and a line in claimLanguages.

// claimKind is what a sentence claims.
type claimKind int

const (
	noClaim claimKind = iota
	stands            // something is in the state that was asked for
	acted             // the speaker has acted, or does
	promise           // the speaker will act
)

// claimWords is what is known of a language. Patterns are regular expressions over words in lower case that are
// separated by single spaces, punctuation being a word of its own; {name} stands for a list of lists.
type claimWords struct {
	lists    map[string]string // alternatives, separated by white space; _ is a space within one
	expand   []string          // old, new, …: contractions
	patterns map[claimKind][]string
	unless   string // a claim that begins with it is none
	denied   string // within a claim, or before it in its clause: it is none
	remains  string // likewise within one that says how things stand: nothing has changed
	already  string // likewise, where a tool has told
	before   string // in front of a claim in its clause: a condition, a doubt
	bound    string // anywhere beside a promise: the person must say something first
	past     string // anywhere beside how things stand: it is from another time, or another's doing
	told     string // likewise, where a tool has told
	gerund   string // a claim that begins with it is none, but a subject
	asks     string // the person wants to know something
	commands string // the person wants something done, whatever asks says
	playful  string // the person wants text that is not about this house
	tag      string // a question at a sentence's end

	safe, harmless string // a sentence that begins like this makes no claim before its next boundary
	boundary       string // a word that a claim may begin with
	subject        string // such a word that may begin a harmless sentence
}

// claimLanguages are those that are known, by their tags.
var claimLanguages = map[string]func() *claimReader{
	"en": sync.OnceValue(func() *claimReader { return newClaimReader(&claimEnglish) }),
	"de": sync.OnceValue(func() *claimReader { return newClaimReader(&claimGerman) }),
}

// claimReader is a language's patterns, compiled.
type claimReader struct {
	expand   *strings.Replacer
	patterns map[claimKind]*regexp.Regexp
	by       map[string]*regexp.Regexp
}

func newClaimReader(words *claimWords) *claimReader {
	var pairs []string
	for name, list := range words.lists {
		pairs = append(pairs, "{"+name+"}", "(?:"+strings.ReplaceAll(strings.Join(strings.Fields(list), "|"), "_", " ")+")")
	}
	fill := strings.NewReplacer(pairs...)
	compile := func(pattern string) *regexp.Regexp {
		for range 3 { // lists may have lists in them
			pattern = fill.Replace(pattern)
		}
		return regexp.MustCompile(pattern)
	}
	r := &claimReader{expand: strings.NewReplacer(words.expand...), patterns: map[claimKind]*regexp.Regexp{},
		by: map[string]*regexp.Regexp{}}
	for kind, patterns := range words.patterns {
		r.patterns[kind] = compile(strings.Join(patterns, "|"))
	}
	for name, pattern := range map[string]string{
		"unless": words.unless, "denied": words.denied, "remains": words.remains, "already": words.already,
		"before": words.before, "bound": words.bound, "past": words.past, "told": words.told, "gerund": words.gerund,
		"asks": words.asks, "commands": words.commands, "playful": words.playful, "tag": words.tag,
		"safe": words.safe, "harmless": words.harmless, "boundary": words.boundary, "subject": words.subject,
	} {
		r.by[name] = compile(pattern)
	}
	return r
}

func (r *claimReader) is(name, text string) bool { return r.by[name].MatchString(text) }

// plain is text as patterns read it, with a space at both ends.
func (r *claimReader) plain(text string) string {
	var out strings.Builder
	out.WriteByte(' ')
	for _, word := range strings.Fields(strings.ToLower(strings.ReplaceAll(text, "’", "'"))) {
		word = strings.TrimFunc(word, func(c rune) bool { return strings.ContainsRune(`"'“”„»«()[]*_#`+"`", c) })
		core := strings.TrimRight(word, ".,;:!?…–—")
		if lead := strings.TrimLeft(core, ".,;:!?…–—-"); lead != core {
			out.WriteString(", ")
			core = lead
		}
		if core != "" {
			out.WriteString(strings.TrimFunc(core, func(c rune) bool { return strings.ContainsRune(`"'“”„»«()[]*_`, c) }) + " ")
		}
		for _, mark := range word[len(strings.TrimRight(word, ".,;:!?…–—")):] {
			switch mark {
			case ',', ';', ':', '–', '—':
				out.WriteString(", ")
			case '?':
				out.WriteString("? ")
			}
		}
	}
	return r.expand.Replace(out.String())
}

// situation is what a sentence is judged by.
type situation struct {
	asks, playful, read bool
}

// wants says what a person wants who said texts, the last one first: to know something, or some text. Where something is
// to be done, it is neither.
func (r *claimReader) wants(texts []string) (asks, playful bool) {
	for _, text := range texts {
		text = r.plain(text)
		if r.is("commands", text) {
			return false, false
		}
		if asks, playful = r.is("asks", text), r.is("playful", text); asks || playful {
			break
		}
	}
	return asks, playful
}

// claims says what sentence claims at or behind its first from bytes.
func (r *claimReader) claims(sentence string, from int, now situation) claimKind {
	if now.playful {
		return noClaim
	}
	bare := unquoted(sentence)
	if strings.TrimFunc(bare, func(c rune) bool { return !unicode.IsLetter(c) }) == "" {
		bare = sentence
	}
	text, start := r.plain(bare), 0
	if from > 0 && from <= len(bare) {
		start = len(r.plain(bare[:from])) - 1
	}
	for _, kind := range []claimKind{acted, promise, stands} {
		for _, at := range r.patterns[kind].FindAllStringIndex(text, -1) {
			if at[1] > start && !r.excused(kind, text, at, now) {
				return kind
			}
		}
	}
	return noClaim
}

// excused says whether what matches a pattern of kind at a place of text is no claim after all.
func (r *claimReader) excused(kind claimKind, text string, at []int, now situation) bool {
	match, after := text[at[0]:at[1]], text[len(strings.TrimRight(text[:at[1]], ", ")):]
	front := text[:at[0]+1]
	front = " " + strings.TrimLeft(front[strings.LastIndex(front, ", ")+1:], " ")
	if r.is("denied", match) || r.is("denied", front) || r.is("before", front+match) || r.is("unless", text[at[0]:]) {
		return true
	}
	if question := strings.HasSuffix(text, " ? "); question && (!strings.Contains(after, ",") || r.is("tag", after)) {
		return true
	}
	switch kind {
	case promise:
		return r.is("bound", text)
	case stands:
		return now.asks || r.is("remains", match) || r.is("past", text) || r.is("gerund", text[at[0]:]) ||
			now.read && (r.is("already", match) || r.is("told", text))
	}
	return false
}

// unquoted is sentence with spaces in place of what stands in quotation marks.
func unquoted(sentence string) string {
	return quotations.ReplaceAllStringFunc(sentence, func(quoted string) string { return strings.Repeat(" ", len(quoted)) })
}

var quotations = regexp.MustCompile(`"[^"]*"|“[^”“]*[”“]|„[^“”]*[“”]|»[^«]*«|«[^»]*»`)
