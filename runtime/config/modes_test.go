package config_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"chatterbox/runtime/config"
)

func TestModesAreRead(t *testing.T) {
	const text = `
modes:
  - name: HOME
    tools: []
    idle: 5m
  - name: workshop
    aliases: [garage]
    tools: ['*']
    workflows: [reminder]
    model: cloud
    prompt: Measures are in millimetres.
`
	c, err := config.Parse("chatterbox.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	home, workshop := c.Modes[0], c.Modes[1]
	if home.Tools == nil || len(home.Tools) != 0 || home.Workflows != nil || home.Idle != 5*time.Minute {
		t.Errorf("HOME is %+v: an empty list is not the same as none", home)
	}
	if !slices.Equal(workshop.Tools, []string{"*"}) || workshop.Model != "cloud" || workshop.Prompt == "" || workshop.Aliases[0] != "garage" {
		t.Errorf("workshop is %+v", workshop)
	}
	_, err = config.Parse("chatterbox.yaml", []byte("modes:\n  - name: HOME\n    tool: [lights]\n"))
	if err == nil || !strings.Contains(err.Error(), `unknown key "tool" in modes[0]; did you mean "tools"?`) {
		t.Errorf("got %v", err)
	}
}
