package historytest_test

import (
	"testing"

	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

func TestMemory(t *testing.T) {
	historytest.Run(t, func(*testing.T) conversation.Store { return &historytest.Memory{} })
}
