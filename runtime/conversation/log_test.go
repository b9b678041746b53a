package conversation_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"chatterbox/loop"
	"chatterbox/runtime/conversation"
	"chatterbox/runtime/history/historytest"
)

func TestWhatIsLogged(t *testing.T) {
	call := loop.Call{ID: "1", Name: "book", Arguments: `{"day":"friday"}`}
	tests := map[string]struct {
		level   slog.Level
		replies []any
		want    []string
		absent  []string
	}{
		"a turn is information, without its words": {
			slog.LevelInfo, []any{call, "Secret answer."},
			[]string{"level=INFO msg=turn conversation=a stage=loop llm_calls=2 tool_calls=1"}, []string{"ecret", "friday"},
		},
		"calls are for debugging": {slog.LevelDebug, []any{call, "Secret answer."}, []string{"tool=book", "friday"}, []string{"ecret"}},
		"a model that's away is a warning": {
			slog.LevelWarn, []any{&loop.Error{Kind: loop.KindConnection, Message: "refused"}},
			[]string{"level=WARN", "kind=connection", "refused"}, []string{"ecret"},
		},
		"a key that's wrong is an error": {
			slog.LevelError, []any{&loop.Error{Kind: loop.KindAuthentication, Message: "401"}},
			[]string{"level=ERROR", "kind=authentication"}, []string{"ecret"},
		},
		"an end that nobody expects is a warning": {
			slog.LevelWarn, []any{loop.Completion{Content: "Secret answer.", FinishReason: "content_filter"}},
			[]string{"level=WARN", "unexpected finish_reason", "content_filter", "conversation=a"}, []string{"ecret", "msg=turn"},
		},
		"a good turn is no warning": {slog.LevelWarn, []any{"Secret answer."}, nil, []string{"msg"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			opts := options(new(historytest.Memory), script(t, tt.replies...), new(toolbox))
			opts.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: tt.level}))
			say(t, conversation.New(opts), "a", "Secret question?")
			for _, want := range tt.want {
				if !strings.Contains(log.String(), want) {
					t.Errorf("the log lacks %q:\n%s", want, log.String())
				}
			}
			for _, absent := range tt.absent {
				if strings.Contains(log.String(), absent) {
					t.Errorf("the log has %q:\n%s", absent, log.String())
				}
			}
		})
	}
}

func BenchmarkConverse(b *testing.B) {
	model := modelFunc(func(_ context.Context, request loop.Request, onDelta func(string)) (loop.Completion, error) {
		if request.Messages[len(request.Messages)-1].Role == loop.User {
			return loop.Completion{ToolCalls: []loop.Call{booking}, FinishReason: "tool_calls"}, nil
		}
		onDelta("Booked.")
		return loop.Completion{Content: "Booked.", FinishReason: "stop"}, nil
	})
	store := new(historytest.Memory)
	s := conversation.New(options(store, model, new(toolbox)))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if n++; n%100 == 0 { // the double's Append is linear in the number of turns
			if err := store.Delete(b.Context(), "a"); err != nil {
				b.Fatal(err)
			}
		}
		reply, err := s.Converse(b.Context(), conversation.Request{Text: "Book friday.", ConversationID: "a"}, nil)
		if err != nil || reply.Extra.Error != nil {
			b.Fatalf("%+v, %v", reply, err)
		}
	}
}
