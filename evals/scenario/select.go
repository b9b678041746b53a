package scenario

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Selection chooses scenarios. The zero value is all.
type Selection struct {
	// Tags is an expression such as "@model && ~@slow"; a comma is "or" and binds closer than &&.
	Tags string
	// Name is a regular expression for a part of the id or of the name.
	Name string
}

// Select gives the scenarios that fit, in their order. None is an error: a run of nothing proves nothing.
func Select(all []Scenario, by Selection) ([]Scenario, error) {
	fits, err := tagExpression(by.Tags)
	if err != nil {
		return nil, err
	}
	name, err := regexp.Compile(by.Name)
	if err != nil {
		return nil, fmt.Errorf("name: %w", err)
	}
	var out []Scenario
	for _, s := range all {
		if fits(s.Tags) && (name.MatchString(s.ID) || name.MatchString(s.Name)) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, nothingSelected(all, by)
	}
	return out, nil
}

// nothingSelected says by what nothing was selected, and which tag may have been meant.
func nothingSelected(all []Scenario, by Selection) error {
	var asked []string
	if by.Tags != "" {
		asked = append(asked, fmt.Sprintf("tags %q", by.Tags))
	}
	if by.Name != "" {
		asked = append(asked, fmt.Sprintf("name %q", by.Name))
	}
	text := fmt.Sprintf("none of %d scenarios is selected by %s", len(all), strings.Join(asked, " and "))
	for _, tag := range strings.FieldsFunc(by.Tags, func(c rune) bool { return strings.ContainsRune("&,~ \t", c) }) {
		if near := nearestTag(all, tag); near != tag {
			text += fmt.Sprintf("; no scenario has %s, the nearest tag is %s", tag, near)
		}
	}
	return errors.New(text)
}

// nearestTag is the tag of a scenario that is spelled most like one that may be misspelled.
func nearestTag(all []Scenario, tag string) (best string) {
	least := -1
	for _, s := range all {
		for _, other := range s.Tags {
			if d := edits([]rune(tag), []rune(other), differs); least < 0 || d < least {
				best, least = other, d
			}
		}
	}
	return best
}

// differs is what it costs to put one letter for another.
func differs(letter, other rune) int {
	if letter == other {
		return 0
	}
	return oneEdit
}

// tagExpression reads "@a,@b && ~@c".
func tagExpression(text string) (func(tags []string) bool, error) {
	if strings.TrimSpace(text) == "" {
		return func([]string) bool { return true }, nil
	}
	var all [][]string
	for _, part := range strings.Split(text, "&&") {
		var either []string
		for _, word := range strings.Split(part, ",") {
			word = strings.TrimSpace(word)
			tag := strings.TrimPrefix(word, "~")
			if !strings.HasPrefix(tag, "@") || strings.ContainsAny(tag, " \t") {
				return nil, fmt.Errorf("tags %q: expected @tag, ~@tag, a comma for or, && for and; found %q", text, word)
			}
			either = append(either, word)
		}
		all = append(all, either)
	}
	return func(tags []string) bool {
		fits := func(word string) bool {
			tag, absent := strings.CutPrefix(word, "~")
			return slices.Contains(tags, tag) != absent
		}
		return !slices.ContainsFunc(all, func(either []string) bool { return !slices.ContainsFunc(either, fits) })
	}, nil
}
