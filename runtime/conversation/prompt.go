package conversation

import (
	"fmt"

	"chatterbox/loop"
)

// DefaultSystemPrompt is what a model is told when the configuration says nothing else.
func DefaultSystemPrompt(name string) string {
	return fmt.Sprintf("You are %s, a helpful voice assistant for the home. Your answers are spoken aloud: "+
		"keep them short, in plain sentences, without markdown, emoji or lists. Use your tools for whatever "+
		"changes, such as the time or the weather. Do not make things up, and say so when you do not know. Answer in "+
		"the language of the question.", name)
}

// messages is the prompt of a turn: one system message, earlier turns in pairs, and the person's text last. What the
// tools said in earlier turns is not in it, and nothing before the end differs from the turn before while the window
// stays, so that a model server can reuse what it has computed.
func messages(system string, conversation Conversation, turnsMax int, text string) []loop.Message {
	turns := conversation.Turns
	drop := windowStart(conversation.Skipped+len(turns), turnsMax) - conversation.Skipped
	if drop > 0 {
		turns = turns[min(drop, len(turns)):]
	}
	out := make([]loop.Message, 0, 2*len(turns)+2)
	out = append(out, loop.Message{Role: loop.System, Content: system})
	for _, turn := range turns {
		out = append(out,
			loop.Message{Role: loop.User, Content: turn.User},
			loop.Message{Role: loop.Assistant, Content: turn.Assistant})
	}
	return append(out, loop.Message{Role: loop.User, Content: text})
}

// windowStart returns how many of a conversation's turns, counted from the oldest, the prompt leaves out when at most
// turnsMax may be in it. They leave in blocks of a quarter and one more, so that the prompt's beginning stays the same
// for several turns: with 20, the 21st turn leaves 15.
func windowStart(turns, turnsMax int) int {
	if turns <= turnsMax {
		return 0
	}
	if turnsMax <= 0 {
		return turns
	}
	block := turnsMax/4 + 1
	return (turns - turnsMax + block - 1) / block * block
}
