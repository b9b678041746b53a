package toolcall

import (
	"regexp"
	"strings"
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

var (
	token = regexp.MustCompile(`<(?:\|[A-Za-z0-9_]+\||｜[^｜<>\s]{1,40}｜)>`)
	// turnEnd are the tokens behind which another message begins.
	turnEnd = regexp.MustCompile(`<\|(?:im_start|im_end|eot_id|eom_id|end_of_text|endoftext|end|start|return|call|end_of_turn|start_header_id)\|>|<｜end▁of▁sentence｜>`)
	// leading is what may stand before an answer: tokens, and a role between them.
	leading = regexp.MustCompile(`^(?:\s|<\|(?:im_start|im_end|begin_of_text|start_header_id|end_header_id|start|tool_call|tool_calls|assistant)\|>(?:assistant\b)?)+`)
	// recipient is the head of a harmony message up to its arguments, with its tokens or without.
	recipient = regexp.MustCompile(`\bto=(?:functions[._])?([^<{]*?)\s*(?:<\|channel\|>\w+\s*)?(?:<\|constrain\|>)?\s*(?:\bjson\s*)?(?:<\|message\|>)?\s*\{`)
	channel   = regexp.MustCompile(`<\|channel\|>\s*(analysis|commentary|final)[^<{]*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>`)
	toolToken = regexp.MustCompile(`<(?:\|tool_call_begin\||｜tool▁call▁begin｜)>`)
	toolEnd   = regexp.MustCompile(`<(?:\|tool_call_end\||｜tool▁call▁end｜)>`)
	toolSplit = regexp.MustCompile(`<(?:\|tool_call_argument_begin\||｜tool▁sep｜)>`)
	kimiName  = regexp.MustCompile(`^(?:functions[._])?(.+?)(?::\d+)?$`)
)

// isToken says whether text begins with a special token.
func isToken(text string) bool {
	if !strings.HasPrefix(text, tokenOpen) && !strings.HasPrefix(text, wideTokenOpen) {
		return false
	}
	head, _, isWhole := strings.Cut(text, ">")
	return isWhole && token.MatchString(head+">")
}

// toolTokens reads <|tool_call_begin|>ID<|tool_call_argument_begin|>{...}<|tool_call_end|> and the DeepSeek form of it.
func (d decoder) toolTokens(held string) []Call {
	var calls []Call
	for {
		at := toolToken.FindStringIndex(held)
		if at == nil {
			return calls
		}
		body := held[at[1]:]
		if end := toolEnd.FindStringIndex(body); end != nil {
			body, held = body[:end[0]], body[end[1]:]
		} else {
			held = ""
		}
		split := toolSplit.FindStringIndex(body)
		if split == nil {
			calls = append(calls, Call{Arguments: body, Rejected: d.complaint("", breaksOff)})
			continue
		}
		calls = append(calls, d.toolToken(strings.Trim(body[:split[0]], space), strings.Trim(body[split[1]:], space)))
	}
}

func (d decoder) toolToken(head, body string) Call {
	if head == "function" {
		name, fenced, _ := strings.Cut(body, "\n")
		head = strings.Trim(name, space)
		body = strings.TrimPrefix(strings.TrimPrefix(strings.Trim(fenced, space), fenceMark), "json")
		body = strings.Trim(strings.TrimSuffix(body, fenceMark), space)
	}
	if match := kimiName.FindStringSubmatch(head); match != nil {
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
	case channel.MatchString(held):
		if at := channel.FindAllStringSubmatchIndex(held, -1); at != nil {
			last := at[len(at)-1]
			if held[last[2]:last[3]] == "final" {
				final = held[last[1]:]
			}
		}
	case leaksAnalysis(held):
		if at := strings.LastIndex(held, "assistantfinal"); at >= 0 {
			final = held[at+len("assistantfinal"):]
		}
	case recipient.MatchString(held):
	default:
		return "", nil, false
	}
	if at := turnEnd.FindStringIndex(final); at != nil {
		final = final[:at[0]]
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
		at := recipient.FindStringSubmatchIndex(left)
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
	if at := channel.FindAllStringSubmatchIndex(held, -1); at != nil {
		last := at[len(at)-1]
		body := strings.Trim(held[last[1]:], space)
		if held[last[2]:last[3]] == "commentary" && strings.HasPrefix(body, "{") {
			return []Call{{Arguments: body, Rejected: d.complaint("", "it names no tool")}}
		}
	}
	return nil
}

// leaksAnalysis says whether text begins with the name of the thinking channel, its tokens lost.
func leaksAnalysis(text string) bool {
	after, found := strings.CutPrefix(text, analysisOpen)
	return found && after != "" && 'A' <= after[0] && after[0] <= 'Z'
}
