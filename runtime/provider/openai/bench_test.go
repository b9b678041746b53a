package openai

import (
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
	defer front.Close()
	transport := &http.Transport{MaxIdleConnsPerHost: idlePerHost}
	defer transport.CloseIdleConnections()
	config := goopenai.DefaultConfig("")
	config.BaseURL, config.HTTPClient = front.URL+"/v1", &http.Client{Transport: transport}
	api := goopenai.NewClientWithConfig(config)
	request := wireRequest("m", hello)
	request.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	b.ReportAllocs()
	for b.Loop() {
		stream, err := api.CreateChatCompletionStream(b.Context(), request)
		if err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := stream.Recv(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
		stream.Close() //nolint:errcheck // nothing is written
	}
}
