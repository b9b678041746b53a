package conversation

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"chatterbox/loop"
)

// idBytesMax bounds a conversation's id and languageBytesMax a language tag.
const (
	idBytesMax       = 128
	languageBytesMax = 35
)

// Emission is what a listener may see of a turn while it runs.
type Emission = loop.Emission

// The errors of Converse that are not a [RequestError]. ErrClientGone and ErrStopping are also the causes that a front
// door gives to a turn's context, with context.WithCancelCause, to say why it ends.
var (
	// ErrClientGone says that whoever asked has left; the turn left nothing behind.
	ErrClientGone = loop.ErrClientGone
	// ErrQueueFull says that too many turns of one conversation already wait for their predecessor.
	ErrQueueFull = errors.New("too many turns of this conversation are waiting")
	// ErrBusy says that the service runs as many turns as it may.
	ErrBusy = errors.New("too many turns at once")
	// ErrStopping says that the service is shutting down; the turn left nothing behind.
	ErrStopping = loop.ErrShutdown
)

// RequestError is a request that only its sender can repair. Message is a sentence that says how.
type RequestError struct {
	Field   string // the field's name in requests
	Message string
}

func (e *RequestError) Error() string { return e.Field + ": " + e.Message }

// Request is what a person said.
type Request struct {
	Text           string
	ConversationID string // empty: stateless, or a new id where the service makes one
	Language       string // BCP 47; empty is "en"
	Mode           string // empty: the conversation's
	Trace          bool   // the reply carries the turn's trace
}

// Validate returns a *[RequestError] when r can never be answered. It does not know which modes there are.
func (r Request) Validate() error {
	if !utf8.ValidString(r.Text) {
		return &RequestError{"text", "must be valid UTF-8"}
	}
	if strings.TrimSpace(r.Text) == "" {
		return &RequestError{"text", "must not be empty: send what the person said"}
	}
	if r.ConversationID != "" {
		if err := ValidateID(r.ConversationID); err != nil {
			return err
		}
	}
	if len(r.Language) > languageBytesMax || !only(r.Language, "-") {
		return &RequestError{"language", `must be a language tag such as "en" or "de-AT"`}
	}
	return nil
}

// country is that of the person's language, else the configured one.
func (r Request) country(configured string) string {
	parts := strings.Split(r.Language, "-")
	if region := parts[len(parts)-1]; len(parts) > 1 && len(region) == 2 {
		return strings.ToUpper(region)
	}
	return configured
}

// ValidateID returns a *[RequestError] when id cannot be a conversation's: 1 to 128 letters, digits and any of "._:-".
func ValidateID(id string) error {
	if id == "" || len(id) > idBytesMax || !only(id, "._:-") {
		return &RequestError{
			"conversation_id",
			fmt.Sprintf("must be 1 to %d characters, each a letter, a digit or one of . _ : -", idBytesMax),
		}
	}
	return nil
}

// only reports whether text has nothing but ASCII letters, digits and what extra lists.
func only(text, extra string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune(extra, r)
	})
}
