package workflow

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// This file words what the host says outside of workflows. The rules are:
//   - English has every sentence. Another language may name in one what English names there.
//   - What a language lacks is said as the speech said it that it replaces, else in English.

const english = "en"

// momentNames are what a sentence about a moment may name: all of them where English names one.
var momentNames = []string{"month", "month_number", "day", "year", "time", "hour", "minute"}

// Say is a sentence in the language, over the names and values that are given in turn. One that no language has is
// empty.
func (f *Flows) Say(language, sentence string, given ...string) string {
	_, text := f.sentence(language, sentence)
	return text.with(given...)
}

// SayTime is Say over the parts of a moment.
func (f *Flows) SayTime(language, sentence string, at time.Time) string {
	v, text := f.sentence(language, sentence)
	if v == nil {
		return ""
	}
	return text.with("month", v.Months[at.Month()-1], "month_number", strconv.Itoa(int(at.Month())),
		"day", strconv.Itoa(at.Day()), "year", strconv.Itoa(at.Year()), "time", at.Format(v.HourMinute),
		"hour", at.Format("15"), "minute", at.Format("04"))
}

// Spoken is the language in which the host speaks to a person of that language.
func (f *Flows) Spoken(language string) string {
	if f == nil || len(f.voices) == 0 {
		return english
	}
	return f.voice(baseLanguage(language)).Language
}

// Lacks lists the sentences that are said in English to people of the language.
func (f *Flows) Lacks(language string) []string {
	if f == nil || f.voices[english] == nil {
		return nil
	}
	own := f.voice(baseLanguage(language)).says
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f.voices[english].says)), func(name string) bool { return own[name] != nil })
}

func (f *Flows) sentence(language, name string) (*voice, template) {
	if f == nil || len(f.voices) == 0 {
		return nil, nil
	}
	for _, v := range []*voice{f.voice(baseLanguage(language)), f.voices[english]} {
		if v != nil && v.says[name] != nil {
			return v, v.says[name]
		}
	}
	return nil, nil
}

// says makes a language's sentences ready. The reference is English, nil where this is what defines it.
func (c *compiler) says(sentences map[string]string, replaced, reference *voice) map[string]template {
	ready := map[string]template{}
	if replaced != nil {
		maps.Copy(ready, replaced.says)
	}
	for _, name := range slices.Sorted(maps.Keys(sentences)) {
		field := "says." + name
		model, _ := parseTemplate(sentences[name]) // what is wrong with it single says
		if reference != nil {
			model = reference.says[name]
		}
		if reference != nil && model == nil {
			c.unknown(field, "sentence", name, slices.Sorted(maps.Keys(reference.says)))
			continue
		}
		ready[name] = c.single(field, sentences[name], model.nameable())
	}
	return ready
}

// nameable is what another language may name in the sentence.
func (t template) nameable() (list []string) {
	t.names(func(name, _ string) { list = append(list, name) })
	if slices.ContainsFunc(list, func(name string) bool { return slices.Contains(momentNames, name) }) {
		return momentNames
	}
	return list
}

// with writes the template over names and values that are given in turn.
func (t template) with(given ...string) string {
	text, _ := t.write(func(name, _ string) (string, bool) {
		for i := 0; i < len(given); i += 2 {
			if given[i] == name {
				return given[i+1], true
			}
		}
		return "", false
	})
	return text
}
