package doctor

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

	"chatterbox/cmd/chatterbox/cli"

	"github.com/spf13/cobra"
)

const (
	healthTimeout  = 3 * time.Second
	healthBytesMax = 64 << 10
)

// NewHealth is the command health.
func NewHealth(host *cli.Host) *cobra.Command {
	var (
		listen string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use: "health", Short: "Ask the running server how it is; exit 3 when it does not answer", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := host.Load(map[string]string{"listen": listen})
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTimeout)
			defer cancel()
			token := settings.Auth.Token
			if listen != "" {
				token = "" // it is for the configured address only
			}
			body, err := askHealth(ctx, reachable(settings.Listen), token)
			if err != nil {
				return cli.Infrastructure("start it with: chatterbox serve", err)
			}
			if asJSON {
				return cli.PrintJSON(host.Env.Stdout, body)
			}
			text, err := describeHealth(body)
			if err != nil {
				return cli.Infrastructure("is it another program that listens there?", fmt.Errorf("%s: %w", settings.Listen, err))
			}
			fmt.Fprint(host.Env.Stdout, text)
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
		Tools, Waiting, Problems                 int
		Model                                    struct {
			Models []struct {
				Model, Failure string
				BaseURL        string `json:"base_url"`
			}
		}
		History struct{ Conversations, Turns int }
		Cuts    []struct{ Advice string } `json:"prompts_cut"`
	}
	if err := json.Unmarshal(body, &health); err != nil || health.Status == "" {
		return "", errors.New("the answer is not a health report")
	}
	lines := []string{fmt.Sprintf("%s: %s %s", health.Status, health.Entity, health.Version)}
	if health.Wasm == "" {
		return lines[0] + "\nit tells more on its own machine, and to those with its token\n", nil
	}
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
	for _, cut := range health.Cuts {
		lines = append(lines, "prompts: "+cut.Advice)
	}
	lines = append(lines,
		fmt.Sprintf("tools: %d, not loaded: %d, waiting for a setting or a grant: %d", health.Tools, health.Problems, health.Waiting),
		fmt.Sprintf("wasm: %s, isolation: %s", health.Wasm, health.Isolation),
		fmt.Sprintf("history: %s, %s", cli.Count(health.History.Conversations, "conversation"), cli.Count(health.History.Turns, "turn")))
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

// Serving is what a chatterbox that listens at the address says of itself in a line, empty where none does.
func Serving(ctx context.Context, listen string) string {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	body, err := askHealth(ctx, reachable(listen), "")
	if err != nil {
		return ""
	}
	says, err := describeHealth(body)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(says, "\n")
	return first
}

// askHealth shows the token where there is one: without it a server tells others than its own machine little.
func askHealth(ctx context.Context, address, token string) (json.RawMessage, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
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
