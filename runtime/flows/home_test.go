package flows_test

import (
	"testing"

	"chatterbox/loop/route"
)

var homeTools = []string{"lights", "media", "scenes", "show_camera_feed", "get_current_detections", "zones", "where_am_i", "get_location"}

// TestTheHouseIsCommanded says which call a sentence is.
func TestTheHouseIsCommanded(t *testing.T) {
	rules := load(t)
	for _, c := range []struct{ language, text, call string }{
		{"en", "turn on the kitchen light", `lights {"action":"on","name":"the kitchen light"}`},
		{"en", "could you please switch off all the lights in the living room", `lights {"action":"off","name":"all the lights in the living room"}`},
		{"en", "Turn the bedroom lamp on, please.", `lights {"action":"on","name":"the bedroom lamp"}`},
		{"en", "lights out", `lights {"action":"off","name":"lights"}`},
		{"en", "dim the living room to 30 percent", `lights {"brightness_percent":30,"name":"the living room"}`},
		{"en", "set the kitchen light to fifty percent", `lights {"brightness_percent":50,"name":"the kitchen light"}`},
		{"en", "set the brightness of the hall light to 80%", `lights {"brightness_percent":80,"name":"the hall light"}`},
		{"en", "dim the lights", `lights {"brightness_change_percent":-25,"name":"the lights"}`},
		{"en", "make the desk lamp a bit brighter", `lights {"brightness_change_percent":25,"name":"the desk lamp"}`},
		{"en", "turn the kitchen lights Blue", `lights {"color":"blue","name":"the kitchen lights"}`},
		{"en", "toggle the porch light", `lights {"action":"toggle","name":"the porch light"}`},
		{"en", "pause the music", `media {"action":"pause"}`},
		{"en", "pause the kitchen speaker", `media {"action":"pause","name":"the kitchen speaker"}`},
		{"en", "resume the music", `media {"action":"play"}`},
		{"en", "stop the music", `media {"action":"stop"}`},
		{"en", "next song please", `media {"action":"next"}`},
		{"en", "volume up", `media {"action":"volume_up"}`},
		{"en", "turn the music down", `media {"action":"volume_down"}`},
		{"en", "set the volume to 20 percent", `media {"action":"set_volume","volume_percent":20}`},
		{"en", "volume to thirty", `media {"action":"set_volume","volume_percent":30}`},
		{"en", "mute", `media {"action":"mute"}`},
		{"en", "turn off the living room tv", `media {"action":"off","name":"the living room tv"}`},
		{"en", "good night scene", `scenes {"name":"good night "}`},
		{"en", "activate the movie time scene", `scenes {"name":"movie time "}`},
		{"en", "show the front door camera", `show_camera_feed {"camera":"front door camera"}`},
		{"en", "show me the garden camera on the living room tv", `show_camera_feed {"camera":"garden camera","screen":"the living room tv"}`},
		{"en", "who is in the driveway", `get_current_detections {"place":"driveway"}`},
		{"en", "Who's at the front door?", `get_current_detections {"place":"front door"}`},
		{"en", "is there anyone in the garden", `get_current_detections {"place":"garden"}`},
		{"en", "where am I", `where_am_i {}`},
		{"en", "who is home", `where_am_i {}`},
		{"en", "where are we", `get_location {}`},
		{"en", "list the zones", `zones {}`},

		{"en", "hey uh turn of the um kitchen lights", `lights {"action":"off","name":"the kitchen lights"}`},
		{"de", "kannst du ähm das licht im bad ausmachen", `lights {"action":"off","name":"das licht im bad"}`},
		{"en", "show me the camera at the back door", `show_camera_feed {"camera":"camera at the back door"}`},
		{"en", "which room am I in", `where_am_i {}`},

		{"en", "turn on the light in ten minutes", ""},
		{"en", "turn off the lights at midnight", ""},
		{"en", "don't turn on the kitchen light", ""},
		{"en", "did you turn on the kitchen light", ""},
		{"en", "turn on the kitchen light and the oven", ""},
		{"en", "turn on the oven", ""},
		{"en", "dim the living room to 130 percent", ""},
		{"en", "turn the kitchen light upside", ""},
		{"en", "the dog turned the light on", ""},
		{"en", "leave the light on", ""},
		{"en", "what a beautiful scene", ""},
		{"en", "who is in the movie", ""},
		{"en", "who is in the house of lords", ""},
		{"en", "show me a good camera", ""},
		{"en", "play the next song at eight o'clock", ""},
		{"en", "where am I going wrong", ""},

		{"de", "mach das Licht in der Küche an", `lights {"action":"on","name":"das Licht in der Küche"}`},
		{"de", "schalte bitte die Wohnzimmerlampe aus", `lights {"action":"off","name":"die Wohnzimmerlampe"}`},
		{"de", "kannst du alle Lichter ausmachen", `lights {"action":"off","name":"alle Lichter"}`},
		{"de", "Küchenlicht an", `lights {"action":"on","name":"Küchenlicht"}`},
		{"de", "dimm das Licht im Flur auf dreißig Prozent", `lights {"brightness_percent":30,"name":"das Licht im Flur"}`},
		{"de", "mach das Licht etwas heller", `lights {"brightness_change_percent":25,"name":"das Licht"}`},
		{"de", "mach die Stehlampe blau", `lights {"color":"blue","name":"die Stehlampe"}`},
		{"de", "Musik aus", `media {"action":"stop"}`},
		{"de", "pausiere die Musik", `media {"action":"pause"}`},
		{"de", "mach die Musik lauter", `media {"action":"volume_up"}`},
		{"de", "Lautstärke auf 20 Prozent", `media {"action":"set_volume","volume_percent":20}`},
		{"de", "nächstes Lied bitte", `media {"action":"next"}`},
		{"de", "schalte den Fernseher im Wohnzimmer aus", `media {"action":"off","name":"den Fernseher im Wohnzimmer"}`},
		{"de", "aktiviere die Szene Gute Nacht", `scenes {"name":"Gute Nacht"}`},
		{"de", "zeig mir die Kamera an der Haustür", `show_camera_feed {"camera":"Kamera an der Haustür"}`},
		{"de", "zeig die Gartenkamera auf dem Fernseher", `show_camera_feed {"camera":"Gartenkamera","screen":"dem Fernseher"}`},
		{"de", "wer ist in der Einfahrt", `get_current_detections {"place":"Einfahrt"}`},
		{"de", "ist jemand an der Haustür", `get_current_detections {"place":"Haustür"}`},
		{"de", "wer ist zu Hause", `where_am_i {}`},
		{"de", "wo sind wir", `get_location {}`},
		{"de", "mach das Licht nicht an", ""},
		{"de", "mach das Licht morgen um acht an", ""},
		{"de", "ist das Licht an", ""},
		{"de", "mach den Ofen an", ""},
		{"de", "zeig mir eine gute Kamera", ""},
		{"de", "er machte das Licht aus", ""},
	} {
		got := route.Decide(rules, route.Input{Text: c.text, Language: c.language, Tools: homeTools})
		call := ""
		if got.Command != nil {
			call = got.Command.Tool + " " + string(got.Command.Arguments)
		}
		if call != c.call {
			t.Errorf("%q: %s, want %s (%s)", c.text, call, c.call, got.Reason)
		}
	}
}

// TestTheHouseAnswers says how a result is spoken.
func TestTheHouseAnswers(t *testing.T) {
	rules := load(t)
	const (
		two     = `{"lights":[{"name":"Ceiling"},{"name":"Counter"}],"no_answer":[],"done":"on"}`
		several = `{"error":"Several fit the light 'lamp'. Say which one is meant","candidates":[{"name":"Left"},{"name":"Right"}]}`
		unknown = `{"error":"There is no light called 'attic'","nearest":[{"name":"Patio"}]}`
		player  = `{"players":[{"name":"Kitchen Speaker"}],"done":"pause"}`
		people  = `{"person":"","place":"","people":[{"name":"Anna","place":"home"},{"name":"Ben","place":"Office"}],"location":""}`
	)
	for _, c := range []struct{ language, text, result, want string }{
		{"en", "turn on the kitchen lights", two, "I turned on Ceiling and Counter."},
		{"en", "turn on the kitchen lights", `{"lights":[{"name":"Ceiling"}],"no_answer":[{"name":"Hall"}],"done":"on"}`, "I turned on Ceiling. Hall did not answer."},
		{"en", "turn off the lamp", several, "Which one do you mean: Left or Right?"},
		{"en", "turn off the attic light", unknown, "I don't know that light. There is Patio."},
		{"en", "turn off the hall light", `{"error":"The light Hall does not answer: it may have no power"}`, "The light Hall does not answer: it may have no power."},
		{"en", "turn off the hall light", `{"error":"Home Assistant refused the token: make a new one"}`, "Home Assistant doesn't accept my token. Please set a new one."},
		{"en", "turn off the hall light", `{"error":"Home Assistant answered with error 503"}`, "I'm sorry, I can't reach the lights right now."},
		{"en", "dim the kitchen lights to 30 percent", two, "Ceiling and Counter: 30 percent."},
		{"en", "pause the music", player, "Paused: Kitchen Speaker."},
		{"en", "pause the music", `{"error":"Nothing is playing"}`, "Nothing is playing."},
		{"en", "set the volume to ten percent", player, "Volume 10 percent."},
		{"en", "good night scene", `{"scene":"Good Night"}`, "Good Night is on."},
		{"en", "show the front door camera", `{"camera":"Front Door","screen":"","url":"http://x"}`, "I have no screen for Front Door here. You can see it in Home Assistant."},
		{"en", "show the front door camera", `{"camera":"Front Door","screen":"TV","url":"http://x"}`, "Front Door is on TV."},
		{"en", "who is in the driveway", `{"detections":[{"name":"Driveway Person","what":"person"}],"no_answer":[]}`, "I noticed: person (Driveway Person)."},
		{"en", "who is in the driveway", `{"detections":[],"no_answer":[]}`, "I notice nobody in or at the driveway."},
		{"en", "who is home", people, "Anna: home and Ben: Office."},
		{"en", "where am I", `{"person":"Anna","place":"home","people":[{"name":"Anna","place":"home"}],"location":""}`, "Anna is at home."},
		{"en", "where am I", `{"person":"","place":"home","people":[],"location":"Oslo"}`, "We are at home, in Oslo."},
		{"en", "where are we", `{"location":"Oslo"}`, "We are in Oslo."},
		{"en", "list the zones", `{"zones":[{"name":"Home","people":"Anna"},{"name":"Work","people":""}]}`, "Home: Anna and Work."},
		{"de", "mach die Küchenlampen an", two, "Eingeschaltet: Ceiling und Counter."},
		{"de", "mach die Lampe aus", several, "Was davon meinst du: Left oder Right?"},
		{"de", "mach die Dachlampe aus", unknown, "Dieses Licht kenne ich nicht. Es gibt Patio."},
		{"de", "mach die Dachlampe aus", `{"error":"Home Assistant answered with error 503"}`, "Tut mir leid, ich erreiche die Lampen gerade nicht."},
		{"de", "Musik aus", player, "Gestoppt: Kitchen Speaker."},
		{"de", "zeig mir die Gartenkamera", `{"camera":"Garten","screen":"Fernseher","url":""}`, "Garten ist auf Fernseher."},
		{"de", "wer ist in der Einfahrt", `{"detections":[],"no_answer":[]}`, "Ich bemerke niemanden. Ort: Einfahrt."},
		{"de", "wer ist zu Hause", people, "Anna: home und Ben: Office."},
		{"de", "wo sind wir", `{"location":"Graz"}`, "Wir sind in Graz."},
	} {
		got := route.Decide(rules, route.Input{Text: c.text, Language: c.language, Tools: homeTools})
		if got.Command == nil {
			t.Errorf("%q is not taken", c.text)
			continue
		}
		if answer, err := got.Command.Answer([]byte(c.result)); err != nil || answer != c.want {
			t.Errorf("%q: %q, %v", c.text, answer, err)
		}
	}
}
