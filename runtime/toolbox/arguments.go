package toolbox

import (
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
	switch value := value.(type) {
	case json.Number:
		return plainNumber(value.String())
	case map[string]any:
		members := make(map[string]any, len(value))
		for name, member := range value {
			var err error
			if members[name], err = plain(member); err != nil {
				return nil, err
			}
		}
		return members, nil
	case []any:
		elements := make([]any, len(value))
		for i, element := range value {
			var err error
			if elements[i], err = plain(element); err != nil {
				return nil, err
			}
		}
		return elements, nil
	}
	return value, nil
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
