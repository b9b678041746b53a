package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"chatterbox/loop"
	"chatterbox/loop/route"
	"chatterbox/runtime/config"
)

// everyBuiltinTool reads every tool that comes with the product, as a house has them that has configured everything.
func everyBuiltinTool(t *testing.T) []loop.Tool {
	t.Helper()
	files, err := filepath.Glob("../../tools-wasm/*/tool.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	type described struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"inputSchema"`
	}
	var tools []loop.Tool
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var manifest struct {
			described
			Tools []described `json:"tools"`
		}
		if err := json.Unmarshal(data, &manifest); err != nil {
			t.Fatal(file, err)
		}
		if manifest.Tools == nil {
			manifest.Tools = []described{manifest.described}
		}
		for _, tool := range manifest.Tools {
			tools = append(tools, loop.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.Schema})
		}
	}
	return tools
}

// With everything configured there are more tools than a model is offered at once: the right one is among those that are.
func TestTheRightBuiltinToolIsOffered(t *testing.T) {
	tools, limit := everyBuiltinTool(t), config.Default().Tools.MaxOffered
	if len(tools) <= limit {
		t.Fatalf("there are %d tools, all of which are offered", len(tools))
	}
	index := route.NewIndex(tools)
	for said, want := range map[string]string{
		"what time is it in Tokyo":                           "get_current_datetime",
		"do I need an umbrella in Oslo":                      "get_weather",
		"is tomorrow at ten free":                            "check_availability",
		"book Sarah Johnson for tomorrow at ten":             "book_appointment",
		"cancel the appointment with Bob":                    "cancel_appointment",
		"move my appointment to Friday":                      "reschedule_appointment",
		"what's on my calendar next week":                    "get_calendar",
		"remind me to take out the trash":                    "set_reminder",
		"what are my reminders":                              "list_reminders",
		"I have taken out the trash, mark the reminder done": "complete_reminder",
		"forget the reminder about the trash":                "delete_reminder",
		"send an email to Ann that dinner is at seven":       "send_email",
		"write Ann a mail":                                   "send_email",
		"notify the kitchen that dinner is ready":            "send_notification",
		"turn on the lights in the kitchen":                  "lights",
		"erinnere mich an den Müll":                          "set_reminder",
		"welche Termine habe ich morgen":                     "get_calendar",
		"schreib Anna eine E-Mail":                           "send_email",
	} {
		choice := index.Choose(said, limit, route.DefaultShared(), nil)
		if !slices.Contains(choice.Tools, want) || len(choice.Tools) > limit {
			t.Errorf("%q: %s is not among %v", said, want, choice.Tools)
		}
	}
}
