// Package deliver sends short messages for tools: by mail, as notifications and over MQTT. Where they go and as whom is
// configured; who may send to whom is decided by its callers.
package deliver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"time"
)

// sendTime bounds one message from the connection to the last answer.
const sendTime = 20 * time.Second

// answerBytesMax bounds what a server may say in one exchange.
const answerBytesMax = 64 << 10

// Error is a message that was not accepted, or of which that is not known. Its text is fit for a tool: it names neither
// server nor account. The cause is for the log.
type Error struct {
	Message string
	Err     error // may be nil
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// failed says in words for a tool what err, met while sending, was.
func failed(ctx context.Context, err error) *Error {
	var typed *Error
	var timeout net.Error
	switch {
	case errors.As(err, &typed):
		return typed
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return &Error{"it is not known whether the message was accepted: there was no answer in time", err}
	}
	return &Error{"the message could not be sent", err}
}

func tlsConfig(host string, roots *x509.CertPool) *tls.Config {
	return &tls.Config{ServerName: host, RootCAs: roots, MinVersion: tls.VersionTLS12}
}
