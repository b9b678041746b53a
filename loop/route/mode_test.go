package route_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/loop/route"
)

func modes(t testing.TB) *route.Modes {
	t.Helper()
	m, err := route.NewModes(route.DefaultModes(), "AUTO", route.DefaultShared(), "Chatterbox")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAModeIsSwitchedByVoice(t *testing.T) {
	tests := map[string]string{
		"switch to home mode":                                 "HOME",
		"Switch to Home mode, please.":                        "HOME",
		"go to device mode":                                   "HOME",
		"go to devices mode":                                  "HOME",
		"transition to receptionist mode":                     "RECEPTIONIST",
		"chatterbox transition to business mode":              "RECEPTIONIST",
		"Chatterbox, go to scheduling mode":                   "RECEPTIONIST",
		"can you switch to appointment mode":                  "RECEPTIONIST",
		"could you please switch over to comms mode":          "COMMS",
		"go to personal mode":                                 "COMMS",
		"switch to friends mode now":                          "COMMS",
		"okay switch back to family mode":                     "COMMS",
		"switch to the security mode":                         "SECURITY",
		"go to camera mode":                                   "SECURITY",
		"go to cameras mode":                                  "SECURITY",
		"hey chatterbox switch to surveillance mode":          "SECURITY",
		"switch to chat mode":                                 "CHAT",
		"let's go to general mode":                            "CHAT",
		"switch to conversation mode chatterbox":              "CHAT",
		"go back to auto mode":                                "AUTO",
		"wechsle in den Home-Modus":                           "HOME",
		"geh bitte in den Modus Security":                     "SECURITY",
		"kannst du in den chat modus wechseln":                "", // that order is not known
		"switch to sleep mode":                                "",
		"go to bed":                                           "",
		"don't switch to home mode":                           "",
		"did you switch to chat mode":                         "",
		"why did it go to security mode last night":           "",
		"the car would not go to sport mode":                  "",
		"switch the dishwasher to home mode":                  "",
		"how do I switch to chat mode":                        "",
		"mode":                                                "",
		"":                                                    "",
		"switch to home mode" + strings.Repeat(" please", 80): "",
	}
	m := modes(t)
	for text, want := range tests {
		got, rest, reason := m.Switch(text)
		switch {
		case got == nil && want != "", got != nil && got.Name != want:
			t.Errorf("%q: got %+v, want %q", text, got, want)
		case rest != "":
			t.Errorf("%q asks for %q beside the mode", text, rest)
		case got != nil && !strings.Contains(reason, want):
			t.Errorf("%q: the reason %q does not name the mode", text, reason)
		}
	}
}

// TestAModeIsSwitchedAndMoreIsAsked says what is left to be answered in the new mode.
func TestAModeIsSwitchedAndMoreIsAsked(t *testing.T) {
	m := modes(t)
	for text, want := range map[string]string{
		"switch to home mode and turn on the lights":                     "HOME: turn on the lights",
		"Switch to business mode and book an estimate for Sarah Johnson": "RECEPTIONIST: book an estimate for Sarah Johnson",
		"go to home mode please, then turn on the lights":                "HOME: turn on the lights",
		"Please switch to camera mode. Who is at the door?":              "SECURITY: Who is at the door?",
		"switch to home mode turn on the kitchen light":                  "HOME: turn on the kitchen light",
		"go to comms mode now and then remind me to call mom":            "COMMS: remind me to call mom",
		"geh bitte in den Haus-Modus und mach das Licht an":              "HOME: mach das Licht an",
		"geh mal in den kamera modus":                                    "SECURITY: ",
		"switch to home mode and switch to chat mode":                    "HOME: switch to chat mode",
		"switch to work mode and book a table":                           "", // there is no such mode
		"he said switch to home mode yesterday":                          "",
		"he said switch to home mode and turn on the lights":             "",
		"turn on the lights and switch to home mode":                     "", // may be what somebody said
		"switch to home mode yesterday was a mistake":                    "",
		"switch to home mode, he said":                                   "",
		"switch to home mode and I said no":                              "",
		"switch to home mode or turn on the lights":                      "",
		"switch to home mode when I come home":                           "",
		"switch to home mode, when I come home":                          "",
		"switch to home mode, tomorrow at ten":                           "",
		"don't switch to home mode and turn on the lights":               "",
		"if I switch to home mode, turn on the lights":                   "",
		"wechsle in den Home-Modus, wenn ich komme":                      "",
		"switch to home mode and" + strings.Repeat(" tell me more", 50):  "",
	} {
		got := ""
		if mode, rest, _ := m.Switch(text); mode != nil {
			got = mode.Name + ": " + rest
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAModeIsLeftWhenNobodySpeaks(t *testing.T) {
	list := route.Merge(route.DefaultModes(), []route.Mode{{Name: "security", Idle: 10 * time.Second}})
	m, err := route.NewModes(list, "home", nil, "")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		mode string
		idle time.Duration
		open bool
		want string
	}{
		"after the time":             {"CHAT", 121 * time.Second, false, "HOME"},
		"not before":                 {"CHAT", 120 * time.Second, false, "CHAT"},
		"not while a workflow waits": {"CHAT", time.Hour, true, "CHAT"},
		"after the mode's own time":  {"SECURITY", 11 * time.Second, false, "HOME"},
		"none is the start":          {"", 0, false, "HOME"},
		"one that is gone":           {"PARTY", 0, true, "HOME"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := m.After(tt.mode, tt.idle, tt.open); got.Name != tt.want {
				t.Errorf("got %s, want %s", got.Name, tt.want)
			}
		})
	}
}

// TestTheDefaultModes is the table that the product promises.
func TestTheDefaultModes(t *testing.T) {
	lists := func(lists ...string) string { return strings.Join(lists, " | ") }
	sorted := func(list []string) string { return strings.Join(slices.Sorted(slices.Values(list)), " ") }
	got := map[string]string{}
	for _, mode := range modes(t).List() {
		got[mode.Name] = lists(sorted(mode.Tools), sorted(mode.Workflows), mode.Model, sorted(mode.Aliases), mode.Prompt, mode.Idle.String())
	}
	want := map[string]string{
		"AUTO": lists("*", "*", "local", "", "", "2m0s"),
		"HOME": lists("lights media scenes where_am_i", "", "local", "device devices geräte haus", "", "2m0s"),
		"RECEPTIONIST": lists("book_appointment cancel_appointment check_availability complete_reminder delete_reminder get_calendar list_reminders "+
			"lookup_customer reschedule_appointment send_notification set_reminder", "booking reminder", "local", "appointment business empfang scheduling", "", "2m0s"),
		"COMMS": lists("complete_reminder delete_reminder get_calendar list_reminders send_email send_notification set_reminder", "reminder schedule_call",
			"local", "familie family freunde friends personal", "", "2m0s"),
		"SECURITY": lists("get_current_detections show_camera_feed zones", "", "local", "camera cameras kamera kameras sicherheit surveillance", "", "2m0s"),
		"CHAT":     lists("", "", "cloud", "conversation general gespräch", "", "2m0s"),
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is\n%s, want\n%s", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("modes %v", modes(t).Names())
	}
	if shared := sorted(route.DefaultShared()); shared != "get_current_datetime get_location get_weather" {
		t.Errorf("shared are %s", shared)
	}
}

func TestTheToolsOfAMode(t *testing.T) {
	m := modes(t)
	all := []string{"lights", "get_weather", "send_email", "get_current_datetime"}
	for name, want := range map[string][]string{
		"AUTO": all,
		"HOME": {"lights", "get_weather", "get_current_datetime"},
		"CHAT": {"get_weather", "get_current_datetime"},
	} {
		if got := m.Tools(m.Find(name), all); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
	if slices.ContainsFunc(m.Find("COMMS").Tools, func(tool string) bool { return strings.Contains(tool, "call") }) {
		t.Error("COMMS can make calls")
	}
	if !m.Find("auto").HasWorkflow("anything") || !m.Find("Comms").HasWorkflow("schedule_call") || m.Find("HOME").HasWorkflow("booking") {
		t.Error("a mode has the wrong workflows")
	}
}

func TestModesAreChangedAndAdded(t *testing.T) {
	list := route.Merge(route.DefaultModes(), []route.Mode{
		{Name: "home", Tools: []string{}, Prompt: "Be brief."},
		{Name: "kids", Aliases: []string{"children"}, Tools: []string{"media"}, Model: "local"},
	})
	m, err := route.NewModes(list, "AUTO", route.DefaultShared(), "Chatterbox")
	if err != nil {
		t.Fatal(err)
	}
	home := m.Find("HOME")
	if len(home.Tools) != 0 || home.Prompt != "Be brief." || home.Model != "local" || home.Idle != route.IdleDefault {
		t.Errorf("HOME is %+v", home)
	}
	if kids, _, _ := m.Switch("switch to children mode"); kids == nil || kids.Name != "KIDS" {
		t.Errorf("got %+v", kids)
	}
	if names := m.Names(); len(names) != 7 || names[6] != "KIDS" {
		t.Errorf("modes %v", names)
	}
}

func TestModesThatCannotBe(t *testing.T) {
	tests := map[string]struct {
		change []route.Mode
		start  string
		want   string
	}{
		"a start that is not there":    {nil, "PARTY", `there is no mode "PARTY" to start in`},
		"an alias of two":              {[]route.Mode{{Name: "KIDS", Aliases: []string{"family"}}}, "AUTO", `"family" already stands for COMMS`},
		"a time too short":             {[]route.Mode{{Name: "HOME", Idle: time.Second}}, "AUTO", "idle must be between 10s and 1h0m0s"},
		"a time too long":              {[]route.Mode{{Name: "HOME", Idle: 2 * time.Hour}}, "AUTO", "idle must be between"},
		"a mode without a name":        {[]route.Mode{{Tools: []string{"x"}}}, "AUTO", "its name must be in capitals"},
		"an alias that is another one": {[]route.Mode{{Name: "CHAT", Aliases: []string{"home"}}}, "AUTO", `"home" already stands for HOME`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := route.NewModes(route.Merge(route.DefaultModes(), tt.change), tt.start, nil, "")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
