package flows

import (
	"strconv"
	"strings"

	"chatterbox/loop/route"
)

const percentMax = 100

// percentOf turns "30", "thirty" or "dreißig" into the number.
func percentOf(said string, in route.Context) route.Resolved {
	number, _ := only("number", said, in).Value.(string)
	value, err := strconv.Atoi(number)
	if err != nil || value < 0 || value > percentMax {
		return route.Resolved{}
	}
	return route.Resolved{Value: value, Spoken: number, Sureness: route.Known}
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
