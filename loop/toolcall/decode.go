package toolcall

import "strings"

// Decode says what answer means. offered guides it: a call that stands in the text is taken for one only when some
// tool was offered, and runs only when its own tool was. Calls that the server told apart keep a name that was not
// offered, because an installed tool may be run without having been offered. Where there are such calls, the text is
// not searched for more.
func Decode(answer Answer, offered []Tool) Decoded {
	d := decoder{offered: offered}
	text, rest := scan(answer.Content, offered)
	calls := d.native(answer.Calls)
	if len(calls) == 0 {
		if text == "" {
			rest = answerIn(rest)
			if final, found, isHarmony := d.harmony(rest); isHarmony {
				if calls = found; len(offered) == 0 {
					calls = nil
				}
				rest = final
			}
		}
		if len(calls) == 0 && len(offered) > 0 && rest != "" && !quotes(text) {
			calls = d.text(rest, text == "")
		}
		if len(calls) == 0 {
			held := plain(rest)
			if text == "" {
				held = strings.TrimLeft(held, space)
			}
			return Decoded{Text: text + held}
		}
	}
	if last := &calls[len(calls)-1]; answer.Truncated {
		last.Rejected = d.complaint(last.Name, "the answer met its length limit and was cut off here")
	}
	return Decoded{Text: text, Calls: calls}
}

// decoder is one decoding.
type decoder struct {
	offered []Tool
}

// text reads the calls in held text. Each family of forms says whether the text is one of its own; first is true when
// nothing but white space and thoughts stands before it. The order matters only for forms that contain others.
func (d decoder) text(held string, first bool) []Call {
	if calls := firstOf(held, d.tags, d.functions, d.pythonTag, d.toolCalls, d.toolTokens); calls != nil {
		return calls
	}
	if !first {
		return nil // an object after prose explains something
	}
	held = strings.TrimLeft(held, "}"+space) // the end of something that was never begun
	return firstOf(held, d.fence, d.brackets, d.bare, d.nameAndObject, d.whole)
}

// firstOf gives the calls of the first family that finds some.
func firstOf(held string, families ...func(string) []Call) []Call {
	for _, family := range families {
		if calls := family(held); calls != nil {
			return calls
		}
	}
	return nil
}

// quotes says whether what follows text stands in code that text began: between backticks or in a fence.
func quotes(text string) bool {
	return strings.HasSuffix(text, "`") || strings.Count(text, fenceMark)%2 == 1
}

// answerIn is held text without the tokens and thoughts that stand before the answer.
func answerIn(held string) string {
	for {
		before := len(held)
		held = strings.TrimLeft(held, space)
		if strings.HasPrefix(held, tokenOpen) && !channel().MatchString(held) && !recipient().MatchString(held) {
			held = held[len(leading().FindString(held)):]
		}
		for _, thought := range thoughts {
			if inside, found := strings.CutPrefix(held, thought.open); found {
				_, held, _ = strings.Cut(inside, thought.close)
			}
		}
		if len(held) == before {
			return held
		}
	}
}

// openers begin a call wherever they stand: tokens of the models' own templates.
var openers = [...]string{toolCallOpen, functionCallOpen, functionOpen, tokenOpen, wideTokenOpen, toolCallsOpen}

// plain is held text that is no call, as a person may see it: without thoughts and without the tags themselves.
func plain(held string) string {
	if at, _ := findTag(held, turnEnds); at >= 0 {
		held = held[:at]
	}
	held = markup.Replace(token().ReplaceAllString(held, ""))
	r := reader{Scanner: Scanner{Mode: Prose}}
	for {
		r.read(held)
		if r.rest == "" {
			break
		}
		// What is left are openers that markup does not hold whole, and signs that only begin like one.
		if strings.HasPrefix(r.rest, functionOpen) {
			_, held, _ = strings.Cut(r.rest, ">")
		} else {
			r.show(r.rest[:1])
			held = r.rest[1:]
		}
		r.rest, r.Mode = "", Prose
	}
	if r.Mode == Prose {
		r.show(r.Tail)
	}
	return r.shown.String()
}

// markup removes what only makes sense to a parser.
var markup = strings.NewReplacer(
	toolCallOpen, "", toolCallClose, "", functionCallOpen, "", functionCallClose, "", functionClose, "",
	parameterClose, "", pythonTagOpen, "", toolCallsOpen, "", toolCallsClose, "",
)
