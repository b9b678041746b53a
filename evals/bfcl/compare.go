package bfcl

// This file compares values in the ways of their kinds. Where an accepted value is not of the kind compared with, it
// matches nothing, with the few exceptions that the published verdicts make.

func judgePlain(name string, value any, accepted []any) *failure {
	if contains(accepted, value) {
		return nil
	}
	return fail("value_error:others", "the value of %q is not among those accepted", name)
}

func judgeString(name, value string, accepted []any) *failure {
	value = soften(value)
	for _, candidate := range accepted {
		if text, ok := candidate.(string); ok && soften(text) == value {
			return nil
		}
	}
	return fail("value_error:string", "the text of %q is not among those accepted", name)
}

// judgeList compares whole lists. Texts are softened in the list itself, not in lists within it.
func judgeList(name string, value, accepted []any) *failure {
	value = softenAll(value)
	for _, candidate := range accepted {
		if list, ok := elementsOf(candidate); ok && equal(value, softenAll(list)) {
			return nil
		}
	}
	return fail("value_error:list/tuple", "the list %q is not among those accepted", name)
}

// elementsOf is the list that an accepted value is. A text is the list of its characters, so that "" accepts no
// elements.
func elementsOf(accepted any) ([]any, bool) {
	text, ok := accepted.(string)
	if !ok {
		list, ok := accepted.([]any)
		return list, ok
	}
	list := []any{}
	for _, character := range text {
		list = append(list, string(character))
	}
	return list, true
}

func softenAll(values []any) []any {
	softened := make([]any, len(values))
	for i, value := range values {
		softened[i] = softenValue(value)
	}
	return softened
}

// judgeDict reports what the last accepted dict had against the value.
func judgeDict(value any, accepted []any) *failure {
	failed := fail("dict_checker:unclear", "no object is accepted here")
	given, ok := value.(*dict)
	if !ok {
		return fail("dict_checker:unclear", "no object but %s", kindOf(value))
	}
	for _, candidate := range accepted {
		expected, ok := candidate.(*dict)
		if !ok {
			continue
		}
		if failed = judgeEntries(given, expected); failed == nil {
			return nil
		}
	}
	return failed
}

func judgeEntries(given, expected *dict) *failure {
	for _, key := range expected.keys {
		if _, ok := given.values[key]; !ok && !mayBeMissing(expected.values[key]) {
			return fail("value_error:dict_key", "key %q is missing", key)
		}
	}
	for _, key := range given.keys {
		accepted, ok := expected.values[key]
		if !ok {
			return fail("value_error:dict_key", "key %q is not expected", key)
		}
		// No list, no match: this is a slip in the data.
		if list, ok := accepted.([]any); !ok || !contains(softenAll(list), softenValue(given.values[key])) {
			return fail("value_error:dict_value", "the value of key %q is not among those accepted", key)
		}
	}
	return nil
}

// mayBeMissing says whether "" is accepted. In a text it always is.
func mayBeMissing(accepted any) bool {
	if _, ok := accepted.(string); ok {
		return true
	}
	list, _ := accepted.([]any)
	return contains(list, "")
}

// judgeDicts compares dict by dict, in order. Accepted "" is a list without elements.
func judgeDicts(name string, value, accepted []any) *failure {
	failed := fail("list_dict_checker:unclear", "no list is accepted for %q", name)
	for _, candidate := range accepted {
		list, ok := elementsOf(candidate)
		if !ok {
			continue
		}
		if len(list) != len(value) {
			failed = fail("value_error:list_dict_count", "%q has %d objects instead of %d", name, len(value), len(list))
			continue
		}
		failed = nil
		for i := range value {
			if failed = judgeDict(value[i], list[i:i+1]); failed != nil {
				break
			}
		}
		if failed == nil {
			return nil
		}
	}
	return failed
}
