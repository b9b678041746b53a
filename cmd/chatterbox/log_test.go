package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/runtime/config"
	"chatterbox/runtime/egress"
)

func TestSecretsAreMaskedInTheLog(t *testing.T) {
	const secret = `s3cret "with" quotes`
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			var out bytes.Buffer
			log := logger(&out, config.Log{Format: format, Level: "debug"}, []string{"s3cret", secret, "none", ""})
			log.Info("said "+secret, "text", secret+" twice "+secret, "error", fmt.Errorf("refused: %w", errors.New(secret)),
				slog.Group("inner", "key", secret), "count", 7, "plain", "none")
			log.With("always", secret).Debug("and")
			if text := out.String(); strings.Contains(text, "s3cret") || strings.Contains(text, "quotes") {
				t.Errorf("the secret is legible in %s", text)
			} else if got := strings.Count(text, egress.Redacted); got != 6 {
				t.Errorf("masked %d times, want 6, in %s", got, text)
			} else if !strings.Contains(text, "none") || !strings.Contains(text, "7") {
				t.Errorf("more than the secret is gone from %s", text)
			}
		})
	}
}

// TestNothingPrintedHoldsASecret lets a server quote all that it was sent, as some do in their errors.
func TestNothingPrintedHoldsASecret(t *testing.T) {
	parrot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"wrong key: %s","code":"invalid_api_key"}}`, r.Header.Get("Authorization"))
	}))
	defer parrot.Close()
	const key = "canary-0123456789"
	for name, variables := range map[string]map[string]string{
		"the key of the configuration": {
			"CHATTERBOX_LLM_BASE_URL": parrot.URL + "/v1", "CHATTERBOX_LLM_MODEL": "m", "CHATTERBOX_LLM_API_KEY": key,
		},
		"the key of the environment": {"OPENAI_BASE_URL": parrot.URL + "/v1", "OPENAI_API_KEY": key},
		"a password in an address": {
			"CHATTERBOX_LLM_BASE_URL": strings.Replace(parrot.URL, "//", "//ann:"+key+"@", 1) + "/v1", "CHATTERBOX_LLM_MODEL": "m",
			"CHATTERBOX_LLM_API_KEY": key + key,
		},
	} {
		t.Run(name, func(t *testing.T) {
			variables["CHATTERBOX_LOG_LEVEL"] = "debug"
			variables["CHATTERBOX_DATA"] = filepath.Join(t.TempDir(), "data")
			linkCompiled(t, variables["CHATTERBOX_DATA"])
			var printed logBuffer
			environ := []string{}
			for name, value := range variables {
				environ = append(environ, name+"="+value)
			}
			run(context.Background(), env{Env: cli.Env{
				Args: []string{"chat", "--trace", "Tell me a story."}, Stdin: strings.NewReader(""), Stdout: &printed, Stderr: &printed,
				Environ: environ, Getenv: func(name string) string { return variables[name] },
			}})
			text := printed.String()
			if strings.Contains(text, key) || !strings.Contains(text, "wrong key: Bearer "+egress.Redacted) {
				t.Errorf("the key is legible, or the server's answer is missing:\n%s", text)
			}
		})
	}
}

func TestSecretOfAToolIsMaskedFromItsFirstUseOn(t *testing.T) {
	var out bytes.Buffer
	log := logger(&out, config.Log{Format: "json", Level: "debug"}, nil)
	value := "Bearer open-sesame-1"
	secret := egress.Learning(log.With("of", "tools"), func(string) (string, error) { return value, nil })
	for _, value = range []string{value, "open-sesame-2"} { // it may be replaced while the server runs
		if got, err := secret("key"); got != value || err != nil {
			t.Fatal(got, err)
		}
	}
	log.Debug("an answer", "error", errors.New(`malformed "open-sesame-1"`), "text", "b3Blbi1zZXNhbWUtMg then 6f70656e2d736573616d652d31")
	if text := out.String(); strings.Contains(text, "sesame") || strings.Contains(text, "b3Bl") || strings.Contains(text, "6f70") {
		t.Errorf("legible in %s", text)
	}
}
