package route

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// answerMax bounds what a template may write, in bytes.
const answerMax = 16 << 10

// Answer is what is said about the tool's result, which is one JSON object. A result with an error is answered by the
// rule's failures. The error is the rule's or the tool's author's: a result without what the template needs.
func (c *Command) Answer(result []byte) (string, error) {
	var fields map[string]any
	if err := json.Unmarshal(result, &fields); err != nil {
		return "", fmt.Errorf("read the result of %s: %w", c.Tool, err)
	}
	reply := c.rule.reply
	if problem, failed := fields["error"]; failed {
		var err error
		if reply, err = c.rule.failureFor(fmt.Sprint(problem)); err != nil {
			return "", err
		}
	}
	said := make(map[string]any, len(c.said))
	for group, text := range c.said {
		said[group] = text
	}
	text, err := reply.execute(map[string]any{"result": fields, "said": said})
	if err != nil {
		return "", fmt.Errorf("answer by rule %s: %w", c.rule.title(), err)
	}
	return strings.Join(strings.Fields(text), " "), nil
}

// Told is what a rule of the language says when the tool has given result, for a call that no rule made; empty where
// none has words for it that need no words of the person.
func (r *Rules) Told(tool, language string, result []byte) string {
	if r == nil {
		return ""
	}
	for i := range r.rules {
		if rule := &r.rules[i]; rule.Tool == tool && rule.Language == language {
			if text, err := (&Command{Tool: tool, rule: rule}).Answer(result); err == nil && text != "" {
				return text
			}
		}
	}
	return ""
}

func (c *compiled) failureFor(problem string) (*reply, error) {
	for _, f := range c.failures {
		if f.fits().MatchString(problem) {
			return f.reply, nil
		}
	}
	return nil, fmt.Errorf("rule %s has no answer to the error %q", c.title(), problem)
}

// functions are what templates may call.
func functions(words map[string]string) map[string]function {
	return map[string]function{
		"clock": onTexts(2, "a layout and a time", func(given []string) (any, error) { return clock(given[0], given[1]) }),
		"round": func(arguments []any) (any, error) {
			if len(arguments) == 1 {
				if value, ok := arguments[0].(float64); ok {
					return strconv.Itoa(int(math.Round(value))), nil
				}
			}
			return nil, errors.New("needs one number")
		},
		"brief": onTexts(1, "a place", func(given []string) (any, error) { return brief(given[0]), nil }),
		"has":   onTexts(1, "a text and words", func(given []string) (any, error) { return has(given[0], given[1:]), nil }),
		// word translates by the rule's words; what is not among them stays as it is.
		"word": onTexts(1, "a word", func(given []string) (any, error) { return translate(given[0], words), nil }),
		"list": list(words),
		// decimal writes a number with the language's decimal sign, which the rule's words give for ".".
		"decimal": onTexts(1, "a number", func(given []string) (any, error) {
			return strings.ReplaceAll(given[0], ".", translate(".", words)), nil
		}),
		"count": count,
		"not": func(arguments []any) (any, error) {
			if len(arguments) != 1 {
				return nil, errors.New("needs one value")
			}
			return !truth(arguments[0]), nil
		},
	}
}

// onTexts is a function of at least so many texts.
func onTexts(least int, needs string, of func(given []string) (any, error)) function {
	return func(arguments []any) (any, error) {
		given := make([]string, len(arguments))
		for i, argument := range arguments {
			text, isText := argument.(string)
			if !isText {
				return nil, fmt.Errorf("argument %d must be text", i+1)
			}
			given[i] = text
		}
		if len(given) < least {
			return nil, errors.New("needs " + needs)
		}
		return of(given)
	}
}

// count is a number, without its sign, before the word for one or the word for several: 1 day, 2 days.
func count(arguments []any) (any, error) {
	if len(arguments) == 3 {
		number, isNumber := arguments[0].(float64)
		one, isOne := arguments[1].(string)
		several, isSeveral := arguments[2].(string)
		if isNumber && isOne && isSeveral {
			if math.Abs(number) == 1 {
				return "1 " + one, nil
			}
			return strconv.FormatFloat(math.Abs(number), 'f', -1, 64) + " " + several, nil
		}
	}
	return nil, errors.New("needs a number and the words for one and for several")
}

// clock formats a time such as 2026-02-20T14:35:00+01:00 by a layout of Go's time package.
func clock(layout, iso string) (string, error) {
	t, err := time.Parse(time.RFC3339, iso)
	if err != nil {
		return "", err
	}
	return t.Format(layout), nil
}

// brief shortens "Paris, Île-de-France, France" to "Paris, France", and "Monaco, Monaco" to "Monaco".
func brief(place string) string {
	parts := strings.Split(place, ", ")
	first, last := parts[0], parts[len(parts)-1]
	if first == last {
		return first
	}
	return first + ", " + last
}

// has says whether one of the words occurs in the text, without regard to case.
func has(text string, words []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, strings.ToLower(word)) })
}
