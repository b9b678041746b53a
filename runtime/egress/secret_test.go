package egress

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

const canary = "canary+/7Q=k9 Xw&3vT5"

func giving(value string) func() (string, error) {
	return func() (string, error) { return value, nil }
}

func TestSecretReachesOnlyItsHost(t *testing.T) {
	elsewhere, there := make(chan string, 8), make(chan string, 8)
	other, otherRule := serve(t, func(_ http.ResponseWriter, r *http.Request) { elsewhere <- fmt.Sprint(r.Header, r.URL) })
	base, rule := serve(t, func(w http.ResponseWriter, r *http.Request) {
		there <- r.Header.Get("X-Api-Key")
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other+"/", http.StatusTemporaryRedirect)
		}
	})
	other = strings.Replace(other, "127.0.0.1", "localhost", 1)
	otherRule.Host = "localhost"
	secrets := []Secret{{Header: "X-Api-Key", OnlyTo: "127.0.0.1", Value: giving(canary)}}
	client := newClient(t, Options{})
	for _, target := range []string{base + "/", base + "/away", other + "/"} {
		_, err := client.Do(t.Context(), Request{URL: target, Rules: []Rule{rule, otherRule}, Secrets: secrets,
			Headers: map[string]string{"X-Api-Key": "the guest's own"}})
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(target, base) {
			if sent := <-there; sent != canary {
				t.Errorf("%s was sent %q", target, sent)
			}
		}
	}
	if len(elsewhere) != 2 {
		t.Errorf("the other host was asked %d times, want twice", len(elsewhere))
	}
	for range len(elsewhere) {
		if saw := <-elsewhere; strings.Contains(saw, canary) {
			t.Errorf("the other host saw %q", saw)
		}
	}
}

func TestSecretIsNotSentInTheClear(t *testing.T) {
	h := hop{target: target{scheme: "http", host: "api.example.org"}, header: http.Header{}}
	secrets := []Secret{{Header: "X-Api-Key", OnlyTo: "API.example.org.", Value: giving(canary)}}
	for want, change := range map[string]func(){
		"":     func() {},
		canary: func() { h.target.scheme = "https" },
	} {
		h.target.scheme = "http"
		change()
		header, _, err := addSecrets(h, secrets)
		if err != nil || header.Get("X-Api-Key") != want || h.header.Get("X-Api-Key") != "" {
			t.Errorf("%s: sent %q, want %q, %v", h.target.scheme, header.Get("X-Api-Key"), want, err)
		}
	}
}

// TestAnswerWithTheSecretIsDropped holds for every form; what only looks like one passes.
func TestAnswerWithTheSecretIsDropped(t *testing.T) {
	raw := []byte(canary)
	for name, body := range map[string]string{
		"raw": canary, "query": url.QueryEscape(canary), "path": url.PathEscape(canary), "hex": hex.EncodeToString(raw),
		"HEX":      strings.ToUpper(hex.EncodeToString(raw)),
		"base64":   base64.StdEncoding.EncodeToString(raw),
		"basic":    base64.StdEncoding.EncodeToString([]byte("user:" + canary + ":x")),
		"url64":    base64.URLEncoding.EncodeToString([]byte("ab" + canary)),
		"json":     `"canary\u002b\/7Q\u003Dk9 Xw\u00263vT5"`,
		"escaped":  "canary&#43;/7Q&#x3d;k9 Xw&amp;3vT5",
		"small":    strings.ToLower(url.QueryEscape(canary)),
		"lines":    "canary+/7\tQ=k9 Xw&3vT5",
		"halves":   `{"one":"` + canary[:len(canary)/2] + `","two":"` + canary[len(canary)/2:] + `"}`,
		"backward": "5Tv3&wX 9k=Q7/+yranac",
		"":         "a canary that is none; 7Q, k9 and Xw",
	} {
		for _, at := range []string{"body", "header"} {
			base, rule := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if at == "header" {
					w.Header().Set("X-Seen", body)
					return
				}
				fmt.Fprintf(w, `{"seen":"%s"}`, body)
			})
			answer, err := newClient(t, Options{}).Do(t.Context(), Request{URL: base, Rules: []Rule{rule},
				Secrets: []Secret{{Header: "Authorization", OnlyTo: rule.Host, Value: giving("Bearer " + canary)}}})
			if name == "" {
				if err != nil {
					t.Errorf("an innocent %s: %v", at, err)
				}
			} else if kindOf(err) != Refused || strings.Contains(fmt.Sprint(answer, err), body) {
				t.Errorf("%s in the %s: %+v, %v", name, at, answer, err)
			}
		}
	}
}

func TestSecretThatCannotBeSent(t *testing.T) {
	var asked atomic.Bool
	base, rule := serve(t, func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	for name, value := range map[string]func() (string, error){
		"missing":      func() (string, error) { return "", errors.New("there is none") },
		"empty":        giving(""),
		"two lines":    giving("a\r\nX-Evil: 1"),
		"much too big": giving(strings.Repeat("x", secretBytesMax+1)),
	} {
		_, err := newClient(t, Options{}).Do(t.Context(), Request{URL: base, Rules: []Rule{rule},
			Secrets: []Secret{{Header: "X-Api-Key", OnlyTo: rule.Host, Value: value}}})
		if kindOf(err) != Refused || asked.Load() || strings.Contains(err.Error(), "Evil") {
			t.Errorf("%s: %v, asked %v", name, err, asked.Load())
		}
	}
	for _, wrong := range [][2]string{{"Host", "a.org"}, {"Content-Length", "a.org"}, {"Proxy-Authorization", "a.org"}, {"X Y", "a.org"}, {"X-Y", "*.org"}, {"X-Y", ""}} {
		if ValidateSecret(wrong[0], wrong[1]) == nil {
			t.Errorf("%v is accepted", wrong)
		}
	}
	if err := ValidateSecret("Authorization", "api.example.org"); err != nil {
		t.Error(err)
	}
}
