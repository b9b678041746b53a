package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"

	"chatterbox/evals/mockllm"
)

var benchReply = mockllm.Reply{Content: "It is nine in Tokyo.", Repeat: mockllm.Forever}

func BenchmarkComplete(b *testing.B) {
	c, _ := play(b, Options{BaseURL: "/v1", Model: "m"}, mockllm.Options{Keep: -1}, benchReply)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Complete(b.Context(), hello, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBare is the same call by go-openai alone, with a transport that keeps enough connections.
func BenchmarkBare(b *testing.B) {
	front := httptest.NewServer(mockllm.New(&mockllm.Script{Replies: []mockllm.Reply{benchReply}}, mockllm.Options{Keep: -1}))
	b.Cleanup(front.Close)
	api := bare(b, front.URL+"/v1")
	b.ReportAllocs()
	for b.Loop() {
		if err := bareCall(b.Context(), api); err != nil {
			b.Fatal(err)
		}
	}
}

func bare(t testing.TB, address string) *goopenai.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: idlePerHost}
	t.Cleanup(transport.CloseIdleConnections)
	config := goopenai.DefaultConfig("")
	config.BaseURL, config.HTTPClient = address, &http.Client{Transport: transport}
	return goopenai.NewClientWithConfig(config)
}

func bareCall(ctx context.Context, api *goopenai.Client) error {
	request := goopenai.ChatCompletionRequest{Model: "m"}
	request.Messages = []goopenai.ChatCompletionMessage{{Role: goopenai.ChatMessageRoleUser, Content: hello.Messages[0].Content}}
	request.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	stream, err := api.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return err
	}
	defer stream.Close() //nolint:errcheck // nothing is written
	for {
		if _, err := stream.Recv(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
