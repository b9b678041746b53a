package loop

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file estimates tokens. A server counts with the vocabulary of its model, which is megabytes; what is needed
// here is whether a prompt fits and whether all of it was read, for which the length of its texts by kind of
// character is enough. A vocabulary of two hundred thousand has longer pieces than one of thirty-two thousand, most
// of all outside of English, and some write each digit by itself. The figures are fitted to what the published
// vocabularies give for prose in ten languages and for JSON, rounded; those of gpt-oss are measured on a thousand
// prompts.

// vocabulary is how many characters a token has on average, by kind.
type vocabulary struct {
	latin    float64 // unaccented letters, and the spaces between words
	digits   float64
	marks    float64 // punctuation, and what JSON is made of
	european float64 // accented and Cyrillic letters
	eastern  float64 // Chinese, Japanese and Korean
	other    float64
	// tools is what of a tool's definition as JSON the model reads: some templates write something shorter.
	tools float64
}

var (
	vocabularyOSS    = vocabulary{latin: 5.3, digits: 1.6, marks: 3.8, european: 2.9, eastern: 1.4, other: 2, tools: 0.8}
	vocabulary200k   = vocabulary{latin: 4.8, digits: 1.6, marks: 2.8, european: 3.3, eastern: 1.4, other: 2.6, tools: 1}
	vocabulary256k   = vocabulary{latin: 4.8, digits: 0.9, marks: 2.6, european: 3.5, eastern: 1.7, other: 2.8, tools: 1}
	vocabulary100k   = vocabulary{latin: 4.6, digits: 1.6, marks: 2.8, european: 1.8, eastern: 0.9, other: 1.05, tools: 1}
	vocabularyChina  = vocabulary{latin: 4.6, digits: 0.9, marks: 2.8, european: 2.4, eastern: 1.5, other: 1.6, tools: 1}
	vocabularyClaude = vocabulary{latin: 4, digits: 1.6, marks: 2.1, european: 1.7, eastern: 0.9, other: 0.9, tools: 1.1}
	vocabulary32k    = vocabulary{latin: 4, digits: 0.9, marks: 2, european: 1.8, eastern: 0.7, other: 0.8, tools: 1}
)

// families says by a part of a model's name which vocabulary it has; the first that occurs counts.
var families = []struct {
	name string
	vocabulary
}{
	{"gpt-oss", vocabularyOSS},
	{"gpt-4o", vocabulary200k}, {"gpt-4.1", vocabulary200k}, {"gpt-5", vocabulary200k}, {"chatgpt", vocabulary200k},
	{"gpt-4", vocabulary100k}, {"gpt-3.5", vocabulary100k}, {"phi-4", vocabulary100k}, {"phi4", vocabulary100k},
	{"claude", vocabularyClaude},
	{"gemma", vocabulary256k}, {"gemini", vocabulary256k}, {"command", vocabulary256k},
	{"qwen", vocabularyChina}, {"qwq", vocabularyChina}, {"deepseek", vocabularyChina}, {"glm", vocabularyChina}, {"yi-", vocabularyChina},
	{"llama-2", vocabulary32k}, {"llama2", vocabulary32k}, {"tinyllama", vocabulary32k}, {"phi-3", vocabulary32k}, {"phi3", vocabulary32k},
	{"mixtral", vocabulary32k}, {"mistral-7b", vocabulary32k}, {"mistral:7b", vocabulary32k}, {"zephyr", vocabulary32k}, {"vicuna", vocabulary32k},
	{"llama", vocabulary100k}, {"hermes", vocabulary100k}, {"mistral", vocabulary100k}, {"ministral", vocabulary100k}, {"granite", vocabulary100k},
	{"smollm", vocabulary32k},
}

// vocabularyOf is the vocabulary of a model by its name; that of an unknown one lies in the middle.
func vocabularyOf(model string) vocabulary {
	model = strings.ToLower(model)
	for _, family := range families {
		if strings.Contains(model, family.name) {
			return family.vocabulary
		}
	}
	return vocabulary100k
}

// What a template writes around a message, a tool and the whole, in tokens.
const (
	tokensPerMessage = 5
	tokensPerTool    = 8
	tokensPerRequest = 20
)

// EstimateTokens is about how many tokens a request has for the model of that name. It is rarely off by more than a
// third.
func EstimateTokens(model string, request Request) int {
	v := vocabularyOf(model)
	tokens := float64(tokensPerRequest)
	for _, message := range request.Messages {
		tokens += v.message(message)
	}
	for _, tool := range request.Tools {
		tokens += v.tool(tool)
	}
	return int(tokens)
}

func (v vocabulary) message(message Message) float64 {
	tokens := tokensPerMessage + v.text(message.Content)
	for _, call := range message.ToolCalls {
		tokens += tokensPerMessage + v.text(call.Name) + v.text(call.Arguments)
	}
	return tokens
}

func (v vocabulary) tool(tool Tool) float64 {
	const syntax = `{"name":"","description":"","parameters":}`
	return tokensPerTool + v.tools*(v.text(syntax)+v.text(tool.Name)+v.text(tool.Description)+v.text(string(tool.Parameters)))
}

// The kinds of character that a vocabulary tells apart.
const (
	latin = iota
	digits
	marks
	european
	eastern
	other
	kinds
)

// ascii is the kind of every character that is one byte long.
var ascii = func() (kind [utf8.RuneSelf]uint8) {
	for c := range kind {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == ' ':
			kind[c] = latin
		case '0' <= c && c <= '9':
			kind[c] = digits
		default:
			kind[c] = marks
		}
	}
	return kind
}()

// text is about how many tokens a text has.
func (v vocabulary) text(text string) float64 {
	var count [kinds]int
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			count[ascii[c]]++
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		count[kindOf(r)]++
		i += size
	}
	return float64(count[latin])/v.latin + float64(count[digits])/v.digits + float64(count[marks])/v.marks +
		float64(count[european])/v.european + float64(count[eastern])/v.eastern + float64(count[other])/v.other
}

func kindOf(r rune) int {
	switch {
	case unicode.In(r, unicode.Latin, unicode.Cyrillic):
		return european
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return eastern
	}
	return other
}
