package toolcall

import "strings"

// Decode says what answer means. offered guides it: a call that stands in the text is taken for one only when some tool
// was offered, and runs only when its own tool was. Calls that the server told apart keep a name that was not offered,
// because an installed tool may be run without having been offered. Where there are such calls, the text is not searched
// for more.
func Decode(answer Answer, offered []Tool) Decoded {
	d := decoder{offered: offered}
	text, rest := scan(answer.Content)
	calls := d.native(answer.Calls)
	if len(calls) == 0 {
		if len(offered) > 0 && rest != "" {
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
	for _, family := range []func(decoder, string) []Call{decoder.tags, decoder.functions, decoder.pythonTag, decoder.toolCalls} {
		if calls := family(d, held); calls != nil {
			return calls
		}
	}
	if !first {
		return nil // an object after prose explains something
	}
	if calls := d.fence(held); calls != nil {
		return calls
	}
	return d.whole(held)
}

// openers begin a call wherever they stand: tokens of the models' own templates.
var openers = [...]string{toolCallOpen, functionCallOpen, functionOpen, pythonTagOpen, toolCallsOpen}

// plain is held text that is no call, as a person may see it: without thoughts and without the tags themselves.
func plain(held string) string {
	r := reader{Scanner: Scanner{Mode: Prose}}
	for {
		r.read(markup.Replace(held))
		if r.rest == "" {
			break
		}
		// What is left are openers that markup does not hold whole.
		_, held, _ = strings.Cut(r.rest, ">")
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
