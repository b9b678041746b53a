package toolbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"chatterbox/loop"
)

// readArguments reads the arguments of a call. The complaint is a sentence for the model, empty when there is none.
func readArguments(call loop.Call, bytesMax int) (read *loop.Arguments, complaint string) {
	if len(call.Arguments) > bytesMax {
		return nil, fmt.Sprintf("Arguments too large: %d bytes, the tool takes %d", len(call.Arguments), bytesMax)
	}
	read, err := call.Read()
	if err != nil {
		return nil, "Arguments cannot be read: " + err.Error()
	}
	return read, ""
}

// plain gives the value with numbers as Go's, which is what the schema library compares. An integer beyond 64 bits
// becomes the nearest float: only bounds look at it.
func plain(value any) (any, error) {
	var wrong error
	plainly := transform(value, func(leaf any) any {
		written, isNumber := leaf.(json.Number)
		if !isNumber {
			return leaf
		}
		number, err := plainNumber(written.String())
		wrong = cmp.Or(wrong, err)
		return number
	}, func(name string) string { return name })
	return plainly, wrong
}

// transform is a value of JSON with other leaves and names.
func transform(value any, leaf func(any) any, name func(string) string) any {
	switch value := value.(type) {
	case map[string]any:
		members := make(map[string]any, len(value))
		for given, member := range value {
			members[name(given)] = transform(member, leaf, name)
		}
		return members
	case []any:
		elements := make([]any, len(value))
		for i, element := range value {
			elements[i] = transform(element, leaf, name)
		}
		return elements
	}
	return leaf(value)
}

func plainNumber(text string) (any, error) {
	if integer, err := strconv.ParseInt(text, 10, 64); err == nil {
		return integer, nil
	}
	if integer, ok := new(big.Int).SetString(text, 10); ok && len(text) < 300 {
		float, _ := new(big.Float).SetInt(integer).Float64()
		return float, nil
	}
	float, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("a number is out of range: %.40s", text)
	}
	return float, nil
}
