package flows

import (
	"strconv"
	"strings"

	"chatterbox/loop/route"
	"chatterbox/runtime/extract"
)

const percentMax = 100

// percentOf turns "30", "thirty" or "dreißig" into the number.
func percentOf(said string, in route.Context) route.Resolved {
	number, _ := extract.For("number")
	matches := number(said, extract.Context{Now: in.Now, Language: in.Language, Expect: "number"})
	if len(matches) != 1 || matches[0].Start != 0 || matches[0].End != len(said) {
		return route.Resolved{}
	}
	value, err := strconv.Atoi(matches[0].Value)
	if err != nil || value < 0 || value > percentMax {
		return route.Resolved{}
	}
	return route.Resolved{Value: value, Spoken: matches[0].Value, Sureness: route.Known}
}

// colors are the names of colors of light, in small letters.
var colors = map[string]string{
	"red": "red", "orange": "orange", "yellow": "yellow", "green": "green", "cyan": "cyan", "turquoise": "cyan", "blue": "blue",
	"purple": "purple", "violet": "purple", "pink": "pink", "white": "white", "warm white": "warm white", "cool white": "cool white",
	"cold white": "cool white",
	"rot":        "red", "gelb": "yellow", "grün": "green", "türkis": "cyan", "blau": "blue", "lila": "purple", "violett": "purple", "rosa": "pink",
	"weiß": "white", "weiss": "white", "warmweiß": "warm white", "kaltweiß": "cool white",
}

func colorOf(said string, _ route.Context) route.Resolved {
	name, ok := colors[strings.ToLower(said)]
	if !ok {
		return route.Resolved{}
	}
	return route.Resolved{Value: name, Spoken: said, Sureness: route.Known}
}
