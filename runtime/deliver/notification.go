package deliver

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Format is how a notification is written.
type Format string

// The formats: of ntfy, whose topic is the recipient, and of anybody's own service, which gets to, title and text.
const (
	Ntfy    Format = "ntfy"
	Webhook Format = "webhook"
)

// NotificationOptions are what a Notification needs. Zero values mean the default in brackets.
type NotificationOptions struct {
	URL     string         // of ntfy's root, or of the service
	Format  Format         // [Ntfy]
	Token   string         // sent as a bearer token [none]
	RootCAs *x509.CertPool // [the host's]
}

// Notification sends by one service. Its methods may be called by several goroutines at once.
type Notification struct {
	options NotificationOptions
	client  *http.Client
}

// NewNotification checks the options. It does not talk to the service.
func NewNotification(options NotificationOptions) (*Notification, error) {
	if options.Format == "" {
		options.Format = Ntfy
	}
	u, err := url.Parse(options.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("notifications need an address such as https://ntfy.example.org, not %q", options.URL)
	}
	return &Notification{options, &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: tlsConfig(u.Hostname(), options.RootCAs),
			DisableKeepAlives: true, MaxResponseHeaderBytes: answerBytesMax,
		},
	}}, nil
}

// Send gives the message to the service and returns when it has accepted it. The error is an *[Error].
func (n *Notification) Send(ctx context.Context, to, title, text string) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	members := map[string]string{"to": to, "title": title, "text": text}
	if n.options.Format == Ntfy {
		members = map[string]string{"topic": to, "title": title, "message": text}
	}
	body, err := json.Marshal(members)
	if err != nil {
		return failed(ctx, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.options.URL, bytes.NewReader(body))
	if err != nil {
		return failed(ctx, err)
	}
	request.Header.Set("Content-Type", "application/json")
	if n.options.Token != "" {
		request.Header.Set("Authorization", "Bearer "+n.options.Token)
	}
	answer, err := n.client.Do(request)
	if err != nil {
		return failed(ctx, err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, answerBytesMax))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return &Error{"the notification service did not accept the message", fmt.Errorf("status %d", answer.StatusCode)}
	}
	return nil
}
