package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

const (
	healthTimeout  = 3 * time.Second
	healthBytesMax = 64 << 10
)

func newHealth(common *commonFlags) *cobra.Command {
	var (
		listen string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "health", Short: "Ask the running server how it is; exit 3 when it does not answer", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := common.load(map[string]string{"listen": listen})
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTimeout)
			defer cancel()
			body, err := askHealth(ctx, reachable(settings.Listen))
			if err != nil {
				return infrastructureError("start it with: chatterbox serve", err)
			}
			if asJSON {
				return printJSON(common.env.Stdout, body)
			}
			text, err := describeHealth(body)
			if err != nil {
				return infrastructureError("is it another program that listens there?", fmt.Errorf("%s: %w", settings.Listen, err))
			}
			fmt.Fprint(common.env.Stdout, text)
			return nil
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address` where the server listens")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print all that it says, as JSON")
	return cmd
}

// describeHealth puts what GET /health says in a few lines.
func describeHealth(body []byte) (string, error) {
	var health struct {
		Status, Entity, Version, Wasm, Isolation string
		Tools, Problems                          int
		Model                                    struct {
			Models []struct {
				Model, Failure string
				BaseURL        string `json:"base_url"`
			}
		}
		History struct{ Conversations, Turns int }
	}
	if err := json.Unmarshal(body, &health); err != nil || health.Status == "" {
		return "", errors.New("the answer is not a health report")
	}
	lines := []string{fmt.Sprintf("%s: %s %s", health.Status, health.Entity, health.Version)}
	for _, model := range health.Model.Models {
		line := "model: " + model.Model + " at " + model.BaseURL
		if model.Failure != "" {
			line += ", the last call failed: " + model.Failure
		}
		lines = append(lines, line)
	}
	if len(health.Model.Models) == 0 {
		lines = append(lines, "model: none")
	}
	lines = append(lines,
		fmt.Sprintf("tools: %d, not loaded: %d", health.Tools, health.Problems),
		fmt.Sprintf("wasm: %s, isolation: %s", health.Wasm, health.Isolation),
		fmt.Sprintf("history: %s, %s", count(health.History.Conversations, "conversation"), count(health.History.Turns, "turn")))
	return strings.Join(lines, "\n") + "\n", nil
}

// reachable turns an address to listen on into one to connect to.
func reachable(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

func askHealth(ctx context.Context, address string) (json.RawMessage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return nil, err
	}
	// Straight to the address: a proxy of the environment has nothing to do with it.
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, healthBytesMax))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", address, response.Status)
	}
	return body, nil
}
