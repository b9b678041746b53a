//go:build wasip1 || native

// my_tool greets a person by name and says what day it is.
package main

import (
	"encoding/json"
	"errors"
)

// run is one call of the tool. What it returns becomes JSON; an error becomes {"error": …}.
func run(_ string, arguments json.RawMessage) (any, error) {
	var asked struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(arguments, &asked); err != nil || asked.Name == "" {
		return nil, errors.New("name is missing")
	}
	var now struct {
		Day string `json:"day_of_week"`
	}
	if err := host(hostNow, struct{}{}, &now); err != nil || now.Day == "" {
		return nil, errors.New("the host's clock did not answer")
	}
	return map[string]string{"greeting": "Hello, " + asked.Name + ". It is " + now.Day + "."}, nil
}

func main() {} // never called: the host calls execute
