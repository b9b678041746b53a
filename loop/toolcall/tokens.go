package toolcall

import (
	"regexp"
	"strings"
	"sync"
)

// This file reads the special tokens that servers should have read themselves: the channels of the harmony format, the
// tool tokens of DeepSeek and Kimi, and the stray ones that stand around an answer.

// The beginnings of special tokens, the second with the full-width bar of the DeepSeek templates.
const (
	tokenOpen     = "<|"
	wideTokenOpen = "<｜"
)

// How harmony messages begin whose tokens were lost.
const (
	commentaryOpen = "commentary to="
	analysisOpen   = "analysis"
)

// turnEnds are the tokens behind which another message begins.
var turnEnds = []string{
	"<|im_start|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|endoftext|>", "<|end|>", "<|start|>",
	"<|return|>", "<|call|>", "<|end_of_turn|>", "<|start_header_id|>", "<｜end▁of▁sentence｜>",
}

// The tokens around a call, of Kimi and of DeepSeek.
var (
	toolBegins = []string{"<|tool_call_begin|>", "<｜tool▁call▁begin｜>"}
	toolEnds   = []string{"<|tool_call_end|>", "<｜tool▁call▁end｜>"}
	toolSplits = []string{"<|tool_call_argument_begin|>", "<｜tool▁sep｜>"}
)

var (
	token = pattern(`<(?:\|[A-Za-z0-9_]+\||｜[^｜<>\s]{1,40}｜)>`)
	// leading is what may stand before an answer: tokens, and a role between them.
	leading = pattern(`^(?:\s|<\|(?:im_start|im_end|begin_of_text|start_header_id|end_header_id|start|tool_call|tool_calls|assistant)\|>(?:assistant\b)?)+`)
	// recipient is the head of a harmony message up to its arguments, with its tokens or without.
	recipient = pattern(`\bto=(?:functions[._])?([^<{]*?)\s*(?:<\|channel\|>\w+\s*)?(?:<\|constrain\|>)?\s*(?:\bjson\s*)?(?:<\|message\|>)?\s*\{`)
	channel   = pattern(`<\|channel\|>\s*(analysis|commentary|final)[^<{]*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>`)
	kimiName  = pattern(`^(?:functions[._])?(.+?)(?::\d+)?$`)
)

// pattern is an expression that is parsed at its first use: most programs never meet one of these tokens.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// findTag is where the first of tags stands in text, and where it ends; -1 when there is none.
func findTag(text string, tags []string) (start, end int) {
	for at := 0; ; at++ {
		next := strings.IndexAny(text[at:], tagStarts)
		if next < 0 {
			return -1, -1
		}
		at += next
		for _, tag := range tags {
			if strings.HasPrefix(text[at:], tag) {
				return at, at + len(tag)
			}
		}
	}
}

// isToken says whether text begins with a special token.
func isToken(text string) bool {
	if !strings.HasPrefix(text, tokenOpen) && !strings.HasPrefix(text, wideTokenOpen) {
		return false
	}
	head, _, isWhole := strings.Cut(text, ">")
	return isWhole && token().MatchString(head+">")
}

// toolTokens reads <|tool_call_begin|>ID<|tool_call_argument_begin|>{...}<|tool_call_end|> and the DeepSeek form of it.
func (d decoder) toolTokens(held string) []Call {
	var calls []Call
	for {
		_, begin := findTag(held, toolBegins)
		if begin < 0 {
			return calls
		}
		body := held[begin:]
		if end, after := findTag(body, toolEnds); end >= 0 {
			body, held = body[:end], body[after:]
		} else {
			held = ""
		}
		split, after := findTag(body, toolSplits)
		if split < 0 {
			calls = append(calls, d.rejected("", body, breaksOff))
			continue
		}
		calls = append(calls, d.toolToken(strings.Trim(body[:split], space), strings.Trim(body[after:], space)))
	}
}

func (d decoder) toolToken(head, body string) Call {
	if head == "function" {
		name, fenced, _ := strings.Cut(body, "\n")
		head = strings.Trim(name, space)
		body = strings.TrimPrefix(strings.TrimPrefix(strings.Trim(fenced, space), fenceMark), "json")
		body = strings.Trim(strings.TrimSuffix(body, fenceMark), space)
	}
	if match := kimiName().FindStringSubmatch(head); match != nil {
		if _, _, isOffered := d.name(match[1]); isOffered {
			return d.call(match[1], body)
		}
	}
	// Some write the name into the arguments.
	if calls, after, problem := d.objects(body); len(calls) == 1 && after == "" && problem == "" {
		return calls[0]
	}
	return d.call(head, body)
}

// harmony reads the messages of the harmony format: calls are those with a recipient, a thought is what the analysis
// channel has, and the answer what the final one has. isHarmony is false for text that is no such.
func (d decoder) harmony(held string) (text string, calls []Call, isHarmony bool) {
	final := ""
	if !strings.HasPrefix(held, tokenOpen) && !strings.HasPrefix(held, commentaryOpen) && !leaksAnalysis(held) {
		return "", nil, false
	}
	switch {
	case channel().MatchString(held):
		if name, said := lastChannel(held); name == "final" {
			final = said
		}
	case leaksAnalysis(held):
		if at := strings.LastIndex(held, "assistantfinal"); at >= 0 {
			final = held[at+len("assistantfinal"):]
		}
	case recipient().MatchString(held):
	default:
		return "", nil, false
	}
	if at, _ := findTag(final, turnEnds); at >= 0 {
		final = final[:at]
	}
	if final != "" {
		return strings.TrimLeft(final, space), nil, true
	}
	return "", d.harmonyCalls(held), true
}

func (d decoder) harmonyCalls(held string) []Call {
	var calls []Call
	left := held
	for {
		at := recipient().FindStringSubmatchIndex(left)
		if at == nil {
			break
		}
		name, body := left[at[2]:at[3]], left[at[1]-1:]
		value, after, err := firstValue(strings.Trim(body, space))
		if err != nil {
			value, after = body, ""
		}
		calls, left = append(calls, d.call(strings.Trim(name, space), value)), after
	}
	if calls != nil {
		return calls
	}
	// Arguments without a name: nobody can know whose they are.
	name, said := lastChannel(held)
	if body := strings.Trim(said, space); name == "commentary" && strings.HasPrefix(body, "{") {
		return []Call{d.rejected("", body, "it names no tool")}
	}
	return nil
}

// lastChannel is the name of the last message's channel, and what was said on it; both empty where there is none.
func lastChannel(held string) (name, said string) {
	all := channel().FindAllStringSubmatchIndex(held, -1)
	if all == nil {
		return "", ""
	}
	at := all[len(all)-1]
	return held[at[2]:at[3]], held[at[1]:]
}

// leaksAnalysis says whether text begins with the name of the thinking channel, its tokens lost.
func leaksAnalysis(text string) bool {
	after, found := strings.CutPrefix(text, analysisOpen)
	return found && after != "" && 'A' <= after[0] && after[0] <= 'Z'
}
