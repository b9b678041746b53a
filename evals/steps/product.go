package steps

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Product starts what is judged with settings and returns when it listens. It is called by several goroutines at once.
type Product func(ctx context.Context, settings Settings) (Instance, error)

// Instance is a product that runs.
type Instance struct {
	URL  string        // of its HTTP API, without a slash at the end
	Stop func() error  // ends it in order and waits; an error when it did not end well
	Log  func() string // what it logged so far
}

// Settings are what a scenario decides about the product. A zero value leaves a setting at the product's default.
type Settings struct {
	Data         string // folder that keeps the conversations; given, and empty at the first start
	ModelURL     string // base URL of the OpenAI-compatible model; empty is no model at all
	Model        string // its name
	GeocodingURL string
	ForecastURL  string

	HistoryTurns    int
	ModelCalls      int // of one turn
	ToolCalls       int // of one turn
	ToolTimeout     time.Duration
	NoConversations bool   // an id is not made for who gives none
	NoReuse         bool   // results of tools are not cached
	Timezone        string // of the house
}

// serve answers handler on a free port of this machine and returns its address and what ends it.
func serve(handler http.Handler) (address string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	return listener.Addr().String(), func() error {
		closing := server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			closing = errors.Join(closing, err)
		}
		return closing
	}, nil
}
