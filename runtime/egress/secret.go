package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Secret is a value that the client adds to requests to one host, over what the guest wrote in that header. It goes over
// https, or to a host that a rule allows on private addresses; a redirect elsewhere never carries it. An answer that holds
// the value, as it is or in a usual encoding, is dropped.
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

// addSecrets gives the header to send on this hop, and the values that are in it.
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
	}
	return header, values, nil
}

const (
	secretBytesMax = 8 << 10
	echoBytesMin   = 8 // what is shorter stands in an answer by chance
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

// echoes says whether the answer holds one of the values in a form that a service gives back without meaning to hide it.
func echoes(answer Response, values []string) bool {
	for _, value := range values {
		if len(value) < echoBytesMin {
			continue
		}
		for _, form := range forms(value) {
			if bytes.Contains(answer.Body, []byte(form)) {
				return true
			}
			for _, header := range answer.Headers {
				if strings.Contains(header, form) {
					return true
				}
			}
		}
	}
	return false
}

func echoed(h hop) *Error {
	return refuse("%s answered with the secret that it was sent", h.target.authority())
}

// forms are the value and its usual encodings. Of base64 only what does not depend on what stands around it is compared.
func forms(value string) []string {
	raw := []byte(value)
	all := []string{
		value, url.QueryEscape(value), url.PathEscape(value), hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)),
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
