package doubles

import "slices"

// effect is what a service does: the state that an entity gets, and which members its data may have.
type effect struct {
	to      string // empty leaves the state
	toggles bool
	takes   []string // beside entity_id
	needs   []string
}

// effects are the services of the house, by domain and name.
var effects = map[string]effect{
	"light.turn_on":  {to: "on", takes: lightData},
	"light.turn_off": {to: "off", takes: []string{"transition"}},
	"light.toggle":   {toggles: true, takes: lightData},

	"switch.turn_on":  {to: "on"},
	"switch.turn_off": {to: "off"},
	"switch.toggle":   {toggles: true},

	"scene.turn_on": {to: "2026-02-20T08:15:00+00:00", takes: []string{"transition"}},

	"media_player.media_play":           {to: "playing"},
	"media_player.media_pause":          {to: "paused"},
	"media_player.media_stop":           {to: "idle"},
	"media_player.media_next_track":     {},
	"media_player.media_previous_track": {},
	"media_player.volume_up":            {},
	"media_player.volume_down":          {},
	"media_player.volume_set":           {needs: []string{"volume_level"}},
	"media_player.volume_mute":          {needs: []string{"is_volume_muted"}},
	"media_player.turn_on":              {to: "on"},
	"media_player.turn_off":             {to: "off"},

	"camera.play_stream": {takes: []string{"format"}, needs: []string{"media_player"}},
}

// lightData is what a light takes.
var lightData = []string{
	"brightness", "brightness_pct", "brightness_step_pct", "color_name", "color_temp_kelvin", "rgb_color", "transition",
}

func (e effect) state(before string) string {
	switch {
	case e.toggles && before == "on":
		return "off"
	case e.toggles:
		return "on"
	case e.to == "":
		return before
	}
	return e.to
}

// accepts says whether the service has a schema that the data fits.
func (e effect) accepts(data map[string]any) bool {
	for name := range data {
		if name != "entity_id" && !slices.Contains(e.takes, name) && !slices.Contains(e.needs, name) {
			return false
		}
	}
	for _, name := range e.needs {
		if _, given := data[name]; !given {
			return false
		}
	}
	level, given := data["volume_level"].(float64)
	return len(texts(data["entity_id"])) > 0 && (!given || level >= 0 && level <= 1)
}
