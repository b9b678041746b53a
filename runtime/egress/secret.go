package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Secret is a value that the client adds to requests to one host, over what the guest wrote in that header. It goes
// over https, or to a host that a rule allows on private addresses; a redirect elsewhere never carries it. An answer
// that holds the value in a usual form is dropped.
type Secret struct {
	Header string
	OnlyTo string // a host as in a Rule
	// Value gives the value at the moment of the request; an error is one without the value in it.
	Value func() (string, error)
}

// ValidateSecret says what is wrong with where a secret should go.
func ValidateSecret(header, onlyTo string) error {
	lower := strings.ToLower(header)
	if !isToken(header) || reserved[lower] || strings.HasPrefix(lower, "proxy-") {
		return fmt.Errorf("header %q cannot carry a secret", header)
	}
	if _, err := canonicalHost(onlyTo); err != nil {
		return fmt.Errorf("only_to %q: %w", onlyTo, err)
	}
	return nil
}

// addSecrets gives the header to send on this hop, and what in it must not come back.
func addSecrets(h hop, secrets []Secret) (http.Header, []string, error) {
	header, cloned := h.header, false
	var values []string
	for _, secret := range secrets {
		host, err := canonicalHost(secret.OnlyTo)
		if err != nil || host != h.target.host || h.target.scheme != "https" && !h.rule.Private {
			continue
		}
		value, err := secret.Value()
		if err == nil {
			err = checkValue(value)
		}
		if err != nil {
			return nil, nil, &Error{Kind: Refused, Message: fmt.Sprintf("the secret for %s cannot be used: %v", host, err)}
		}
		if !cloned {
			header, cloned = header.Clone(), true
		}
		header.Set(secret.Header, value)
		values = append(values, value)
		if _, token, ok := strings.Cut(value, " "); ok { // as in "Bearer TOKEN"
			values = append(values, token)
		}
	}
	return header, values, nil
}

const (
	secretBytesMax = 8 << 10
	echoBytesMin   = 8 // letters and digits; what has fewer stands in an answer by chance
)

func checkValue(value string) error {
	switch {
	case value == "":
		return errors.New("it is empty")
	case len(value) > secretBytesMax:
		return fmt.Errorf("it has more than %d bytes", secretBytesMax)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("it has control characters")
	}
	return nil
}

// escapes are how JSON, URLs and HTML write a sign that is neither a letter nor a digit.
var escapes = regexp.MustCompile(`(?i)\\u00[0-9a-f]{2}|%[2-7][0-9a-f]|&#?[0-9a-z]{2,6};`)

// echoes says whether the answer holds one of the values in a form that a service gives back without meaning to hide
// it: in a usual encoding, backwards, or in two halves. Only letters and digits are compared, and without regard to
// case, so that neither escapes nor what stands between two parts hides it.
func echoes(answer Response, values []string) bool {
	if len(values) == 0 {
		return false
	}
	whole := bytes.Clone(answer.Body)
	for _, header := range answer.Headers {
		whole = append(whole, header...)
	}
	plain, text := folded(escapes.ReplaceAll(whole, nil)), folded(bytes.Clone(whole))
	holds := func(form string) bool {
		wanted := folded([]byte(form))
		return len(form) >= echoBytesMin && bytes.Contains(whole, []byte(form)) ||
			len(wanted) >= echoBytesMin && (bytes.Contains(text, wanted) || bytes.Contains(plain, wanted))
	}
	return slices.ContainsFunc(values, func(value string) bool {
		half := len(value) / 2
		return slices.ContainsFunc(Forms(value), holds) || holds(value[:half]) && holds(value[half:])
	})
}

// folded keeps the letters, in lower case, the digits, and what is not ASCII. It changes text.
func folded(text []byte) []byte {
	kept := text[:0]
	for _, b := range text {
		switch {
		case 'A' <= b && b <= 'Z':
			kept = append(kept, b|0x20)
		case 'a' <= b && b <= 'z', '0' <= b && b <= '9', b >= 0x80:
			kept = append(kept, b)
		}
	}
	return kept
}

func echoed(h hop) *Error {
	return refuse("%s answered with the secret that it was sent", h.target.authority())
}

// Forms are the value as it is, in the URL's encoding, in hexadecimal, in base64 and backwards. Of base64 there is what
// does not depend on what stands around the value.
func Forms(value string) []string {
	raw := []byte(value)
	backwards := slices.Clone(raw)
	slices.Reverse(backwards)
	all := []string{
		value, url.QueryEscape(value), url.PathEscape(value),
		hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)),
		string(backwards),
	}
	for lead := range 3 {
		padded := append(make([]byte, lead), raw...)
		from, to := (lead*8+5)/6, len(padded)/3*4
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if text := encoding.EncodeToString(padded); to-from >= 8 {
				all = append(all, text[from:to])
			}
		}
	}
	return all
}
