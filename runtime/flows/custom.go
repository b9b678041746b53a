package flows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"chatterbox/loop/route"
	"chatterbox/loop/sentence"
	"chatterbox/runtime/extract"
)

// customDir is where people's own sentences are below their folder, in a folder for each language.
const customDir = "sentences"

// templatesMax is how many templates a language may have.
const templatesMax = 5_000

// custom is what people's sentences come to.
type custom struct {
	sources []source
	readers map[string]route.Reader
}

// customFile is a file in the format of Home Assistant's custom_sentences. Answers of its own are not ours to give.
type customFile struct {
	sentence.Language
	Intents   map[string]customIntent `json:"intents"`
	Responses any                     `json:"responses"`
}

type customIntent struct {
	Data        []customBlock `json:"data"`
	Description string        `json:"description"`
}

// customBlock is a block of sentences and the call that it means.
type customBlock struct {
	sentence.Block
	Tool      string                    `json:"tool"`
	Reads     bool                      `json:"reads"` // the tool changes nothing
	Modes     []string                  `json:"modes"`
	Arguments map[string]customArgument `json:"arguments"`
	Reply     string                    `json:"reply"`
	Failures  []route.Failure           `json:"failures"`
}

// customArgument is where a tool's argument comes from: a slot, through a resolver where one is named, or a literal
// value.
type customArgument struct {
	Slot     string `json:"slot"`
	Resolver string `json:"resolver"`
	Default  string `json:"default"`
	Value    any    `json:"value"`
}

// customSentences reads what people want to say in their own words.
func customSentences(dir string) (custom, error) {
	result := custom{readers: map[string]route.Reader{}}
	if dir == "" {
		return result, nil
	}
	folders, err := os.ReadDir(filepath.Join(dir, customDir))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return result, nil
		}
		return result, fmt.Errorf("read the sentences of %s: %w", dir, err)
	}
	var errs []error
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		own := filepath.Join(dir, customDir, folder.Name())
		files, err := readDir(os.DirFS(own), ".", own)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(files) > 0 {
			errs = append(errs, result.language(folder.Name(), files))
		}
	}
	return result, errors.Join(errs...)
}

// language takes the files of one language together.
func (c *custom) language(tag string, files []file) error {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	all := sentence.Language{Language: base, Intents: map[string]sentence.Intent{}, Lists: map[string]sentence.List{},
		Rules: map[string]string{}}
	names := map[string][]string{} // of the rules, by intent and block
	var errs []error
	count := 0
	for _, f := range files {
		read, err := parseCustom(f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		maps.Copy(all.Lists, read.Lists)
		maps.Copy(all.Rules, read.Rules)
		all.SkipWords = append(all.SkipWords, read.SkipWords...)
		all.Settings.IgnoreWhitespace = all.Settings.IgnoreWhitespace || read.Settings.IgnoreWhitespace
		for _, name := range slices.Sorted(maps.Keys(read.Intents)) {
			intent := all.Intents[name]
			for _, block := range read.Intents[name].Data {
				count += len(block.Sentences)
				rule := name
				if n := len(intent.Data); n > 0 {
					rule += " " + strconv.Itoa(n+1)
				}
				names[name] = append(names[name], rule)
				intent.Data = append(intent.Data, block.Block)
				made, err := block.rule(rule, base)
				errs = append(errs, atFile(f, name, err))
				c.sources = append(c.sources, source{Rule: made, origin: origin{file: f.name}})
			}
			all.Intents[name] = intent
		}
	}
	if count > templatesMax {
		errs = append(errs, fmt.Errorf("there are %d sentences in %s, more than %d", count, tag, templatesMax))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	set, err := sentence.New(all, numberWords(base))
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Dir(files[0].name), err)
	}
	c.readers[base] = reader(set, all, names)
	return nil
}

func atFile(f file, intent string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %s: %w", f.name, intent, err)
}

// reader turns a match into the rule of its block.
func reader(set *sentence.Set, all sentence.Language, names map[string][]string) route.Reader {
	rules := map[*sentence.Block]string{}
	for intent, list := range names {
		for i, name := range list {
			rules[&all.Intents[intent].Data[i]] = name
		}
	}
	return func(text string) (string, map[string]any) {
		match := set.Best(text, nil, nil, "")
		if match == nil {
			return "", nil
		}
		said := make(map[string]any, len(match.Slots))
		for _, slot := range match.Slots {
			said[slot.Name] = slot.Value
		}
		return rules[match.Block], said
	}
}

// rule is what the router knows of a block.
func (b *customBlock) rule(name, language string) (route.Rule, error) {
	rule := route.Rule{Name: name, Language: language, Tool: b.Tool, Modes: b.Modes, Reads: b.Reads, Reply: b.Reply,
		Failures: b.Failures, Slots: []string{}, Arguments: map[string]route.Argument{}}
	if b.Tool == "" {
		return rule, errors.New("no tool is named: write tool: and, for what it needs, arguments: beside the sentences")
	}
	if len(b.Sentences) == 0 {
		return rule, errors.New("there is no sentence")
	}
	for argument, from := range b.Arguments {
		rule.Arguments[argument] = route.Argument{Group: from.Slot, Resolver: from.Resolver, Default: from.Default, Value: from.Value}
		if from.Slot != "" {
			rule.Slots = append(rule.Slots, from.Slot)
		}
	}
	slices.Sort(rule.Slots)
	return rule, nil
}

func parseCustom(f file) (customFile, error) {
	var read customFile
	root, err := f.tree()
	if err != nil {
		return read, err
	}
	var plain any
	if err := yaml.NodeToValue(root, &plain); err != nil {
		return read, placed(f.name, err)
	}
	text, err := json.Marshal(plain)
	if err != nil {
		return read, fmt.Errorf("%s: %w", f.name, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&read); err != nil {
		return read, fmt.Errorf("%s: %s", f.name, strings.TrimPrefix(err.Error(), "json: "))
	}
	return read, nil
}

// numberMax is how many words a number has at most: "twenty one thousand and five and a half" has more than people say.
const numberMax = 6

// numberWords reads the numbers that begin a text, in the words of a language that extract knows.
func numberWords(language string) func(text string) []sentence.Number {
	if language != "en" && language != "de" {
		return nil
	}
	number, _ := extract.For("number")
	return func(text string) []sentence.Number {
		var read []sentence.Number
		end := 0
		for range numberMax {
			word := strings.IndexByte(text[end:]+" ", ' ')
			if word <= 0 {
				break
			}
			end += word
			matches := number(text[:end], extract.Context{Language: language, Expect: "number"})
			if len(matches) == 1 && matches[0].Start == 0 && matches[0].End == end {
				if value, err := strconv.ParseFloat(matches[0].Value, 64); err == nil {
					read = append(read, sentence.Number{Runes: len([]rune(text[:end])), Value: value})
				}
			}
			if end == len(text) {
				break
			}
			end++
		}
		return read
	}
}
