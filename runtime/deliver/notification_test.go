package deliver

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestNotificationArrives(t *testing.T) {
	var got atomic.Value // of a string
	service := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got.Store(fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("Authorization"), " ", string(body)))
	}))
	defer service.Close()
	roots := x509.NewCertPool()
	roots.AddCert(service.Certificate())
	for format, want := range map[Format]string{
		Ntfy:    `POST /in application/json Bearer tk {"message":"It is öff.","title":"Oven","topic":"kitchen"}`,
		Webhook: `POST /in application/json Bearer tk {"text":"It is öff.","title":"Oven","to":"kitchen"}`,
	} {
		sender, err := NewNotification(NotificationOptions{URL: service.URL + "/in", Format: format, Token: "tk", RootCAs: roots})
		if err != nil {
			t.Fatal(err)
		}
		if err := sender.Send(t.Context(), "kitchen", "Oven", "It is öff."); err != nil || got.Load() != want {
			t.Errorf("%v: got %v, want %s", err, got.Load(), want)
		}
	}
}

func TestNotificationThatIsNotAccepted(t *testing.T) {
	var elsewhere atomic.Bool
	slow := make(chan struct{}, 1) // has an element when a request waits
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		case "/other":
			elsewhere.Store(true)
		case "/slow":
			_, _ = io.Copy(io.Discard, r.Body) // or the server does not see the client leave
			slow <- struct{}{}
			<-r.Context().Done()
		default:
			http.Error(w, "no: "+r.Header.Get("Authorization"), http.StatusForbidden)
		}
	}))
	defer service.Close()
	for path, want := range map[string]string{
		"/": "did not accept", "/moved": "did not accept", "/slow": "not known whether", "": "could not be sent",
	} {
		address := service.URL + path
		if path == "" {
			address = "http://127.0.0.1:1"
		}
		sender, err := NewNotification(NotificationOptions{URL: address, Token: "open-sesame"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if path == "/slow" {
			go func() {
				<-slow
				cancel()
			}()
		}
		err = sender.Send(ctx, "kitchen", "", "Hello.")
		cancel()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if elsewhere.Load() {
		t.Error("a redirect was followed")
	}
	for _, address := range []string{"", "ntfy.example.org", "file:///etc/passwd"} {
		if _, err := NewNotification(NotificationOptions{URL: address}); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}
