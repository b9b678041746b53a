package toolbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
)

const argumentsDepthMax = 64

// decodeArguments reads the arguments of a call: one JSON object, numbers as they are written. The complaint is a sentence
// for the model, empty when there is none.
func decodeArguments(text string, bytesMax int) (arguments map[string]any, complaint string) {
	if len(text) > bytesMax {
		return nil, fmt.Sprintf("Arguments too large: %d bytes, the tool takes %d", len(text), bytesMax)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	value, err := decodeValue(decoder, 0)
	if err == nil {
		if _, end := decoder.Token(); end != io.EOF {
			err = errors.New("there is more than one value")
		}
	}
	if err != nil {
		return nil, "Arguments are not JSON: " + err.Error()
	}
	arguments, ok := value.(map[string]any)
	if !ok {
		return nil, "Arguments must be one JSON object"
	}
	return arguments, ""
}

// decodeValue reads the next value. A member that is there twice is an error: the guest's parser might take the other one
// than the schema was compared with.
func decodeValue(decoder *json.Decoder, depth int) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	if depth > argumentsDepthMax {
		return nil, fmt.Errorf("nested more than %d deep", argumentsDepthMax)
	}
	switch token {
	case json.Delim('{'):
		members := map[string]any{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			if _, twice := members[name.(string)]; twice {
				return nil, fmt.Errorf("%q is given twice", name)
			}
			if members[name.(string)], err = decodeValue(decoder, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = decoder.Token()
		return members, err
	case json.Delim('['):
		elements := []any{}
		for decoder.More() {
			element, err := decodeValue(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			elements = append(elements, element)
		}
		_, err = decoder.Token()
		return elements, err
	}
	return token, nil
}

// canonical writes the arguments as the guest reads them: sorted by name, without white space, numbers as written.
func canonical(arguments map[string]any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(arguments) // what was decoded from JSON encodes
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// plain gives the value with numbers as Go's, which is what the schema library compares. An integer beyond 64 bits becomes
// the nearest float: only bounds look at it.
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
