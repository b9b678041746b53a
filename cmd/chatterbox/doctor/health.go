package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
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
	says, _ := describeHealth(body)
	first, _, _ := strings.Cut(says, "\n")
	return first
}

// askHealth shows the token where there is one: without it a server tells others than its own machine little.
func askHealth(ctx context.Context, address, token string) (json.RawMessage, error) {
	// Straight to the address: a proxy of the environment has nothing to do with it.
	status, body, err := get(ctx, nil, "http://"+address+"/health", token, healthBytesMax)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s answered %d %s", address, status, http.StatusText(status))
	}
	return body, err
}

// get asks a server once, with the token where there is one, and reads so much of its answer.
func get(
	ctx context.Context, proxy func(*http.Request) (*url.URL, error), address, token string, bytesMax int64,
) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: proxy}}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, bytesMax))
	return response.StatusCode, body, err
}
