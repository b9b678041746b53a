package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/internal/texts"
)

// retryAfterMax bounds what a server may tell us to wait; beyond it the figure says nothing.
const retryAfterMax = 24 * time.Hour

// The words by which servers tell what a status leaves open. They are looked for in code, type and message, in lower
// case with "-" and "_" as spaces.
var (
	quotaWords = []string{
		"insufficient quota", "exceeded your current quota", "credit balance", "insufficient credit", "insufficient balance",
		"spend limit exceeded", "usage limit exceeded", "billing hard limit", "billing not active",
	}
	contextWords = []string{
		"context length", "context window", "context size", "context limit", "maximum context", "prompt is too long", "too many tokens",
		"string above max length",
	}
	rateWords = []string{"rate limit", "slow down", "too many requests"}
	keyWords  = []string{"invalid api key", "incorrect api key", "authentication error", "invalid authentication"}
)

// errorFromBody is what the body of a failed response says.
func errorFromBody(status int, body []byte) *loop.Error {
	message, words, code := readError(body)
	if status == http.StatusOK && code >= 400 && code < 600 {
		status = code // gateways put the status of the server behind them into the body
	}
	message = cmp.Or(message, strings.ToLower(http.StatusText(status)))
	return &loop.Error{
		Kind: kindOf(status, words), Status: status, Message: fmt.Sprintf("the model server answered %d: %s", status, message),
	}
}

func errorFromResponse(response *http.Response, body []byte) *loop.Error {
	e := errorFromBody(response.StatusCode, body)
	e.RetryAfter = retryAfter(response.Header, time.Now())
	return e
}

func kindOf(status int, words string) loop.Kind {
	has := func(list []string) bool {
		return slices.ContainsFunc(list, func(word string) bool { return strings.Contains(words, word) })
	}
	switch {
	case status == http.StatusPaymentRequired || has(quotaWords):
		return loop.KindQuota
	case status == http.StatusTooManyRequests:
		return loop.KindRateLimit
	case status == http.StatusUnauthorized || status == http.StatusForbidden || has(keyWords):
		return loop.KindAuthentication
	case status == http.StatusRequestEntityTooLarge, status < 500 && has(contextWords):
		return loop.KindContextLength
	case status < 500 && status != http.StatusNotFound && has(rateWords):
		return loop.KindRateLimit
	}
	return loop.KindAPI
}

// readError finds the message in the forms that error bodies have: {"error": {"message", "type", "code"}} and lists of
// it, {"error": "…"}, {"message"|"detail": "…"}, a page of HTML, plain text. words is everything in it that may name
// a cause; code is a numeric code, 0 without one.
func readError(body []byte) (message, words string, code int) {
	body = bytes.TrimSpace(body)
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) != nil {
		plain := excerpt(body)
		return plain, plainWords(plain), 0
	}
	members := outer
	if inner := outer["error"]; len(inner) > 0 {
		var object map[string]json.RawMessage
		if json.Unmarshal(inner, &object) == nil && object != nil {
			members = object
		} else {
			members = map[string]json.RawMessage{"message": inner, "code": outer["code"], "type": outer["type"]}
		}
	}
	message = cmp.Or(plainText(members["message"]), plainText(members["detail"]), plainText(members["reason"]), excerpt(body))
	codeText := plainText(members["code"])
	code, _ = strconv.Atoi(codeText)
	return message, plainWords(message + " " + codeText + " " + plainText(members["type"])), code
}

func plainWords(s string) string {
	return strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(s))
}

// plainText is a JSON string's text, and any other JSON but null as it stands.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil || len(raw) == 0 {
		return clip(s)
	}
	return clip(string(raw))
}

var (
	htmlTitle   = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	htmlTag     = regexp.MustCompile(`(?s)<[^>]*>`)
	unprintable = regexp.MustCompile(`[\s\pC]+`) // a server's words must not steer a terminal
)

// excerpt is a body in a few words: of a page its title.
func excerpt(body []byte) string {
	if len(body) > 4096 {
		body = body[:4096]
	}
	s := string(body)
	if isHTML(body) {
		if title := htmlTitle.FindStringSubmatch(s); title != nil {
			s = title[1]
		}
		s = htmlTag.ReplaceAllString(s, " ")
	}
	return clip(s)
}

func isHTML(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n\uFEFF"), []byte("<"))
}

// clip makes one line of text that fits into a log.
func clip(s string) string {
	s = strings.TrimSpace(unprintable.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), " "))
	const most = 300
	if len(s) <= most {
		return s
	}
	return texts.Cut(s, most) + "…"
}

// retryAfter reads how long a server wants to be left alone: milliseconds, seconds, or a date. A date is compared with
// the server's own clock where it sends one. Times in the past are 0.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, ok := number(header.Get("Retry-After-Ms")); ok {
		return bounded(ms / 1000)
	}
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, ok := number(value); ok {
		return bounded(seconds)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return bounded(until.Sub(now).Seconds())
}

func number(s string) (float64, bool) {
	value, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return value, (err == nil || math.IsInf(value, 0)) && !math.IsNaN(value)
}

func bounded(seconds float64) time.Duration {
	switch {
	case seconds <= 0:
		return 0
	case seconds >= retryAfterMax.Seconds():
		return retryAfterMax
	}
	return time.Duration(math.Ceil(seconds*1000)) * time.Millisecond
}
