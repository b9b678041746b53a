package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

const (
	healthTimeout  = 3 * time.Second
	healthBytesMax = 64 << 10
)

func newHealth(common *commonFlags) *cobra.Command {
	var listen string
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
			fmt.Fprintf(common.env.Stdout, "%s\n", body)
			return nil
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address` where the server listens")
	return cmd
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

func askHealth(ctx context.Context, address string) ([]byte, error) {
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
