package deliver

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"strings"
	"time"
)

// Security is how a connection to a mail server is protected.
type Security string

// The kinds. None is for a server on this machine, which alone is given a password without TLS.
const (
	StartTLS Security = "starttls" // begins in the clear and goes no further without TLS; usual on port 587
	TLS      Security = "tls"      // from the first byte on; usual on port 465
	None     Security = "none"
)

// MailOptions are what a Mail needs. Zero values mean the default in brackets.
type MailOptions struct {
	Server   string   // host:port
	Security Security // [StartTLS]
	User     string   // [no login]
	Password string
	From     string         // an address, as in "Home <home@example.org>"
	RootCAs  *x509.CertPool // [the host's]
}

// Mail sends by one mail server. Its methods may be called by several goroutines at once.
type Mail struct {
	options MailOptions
	host    string
	from    *mail.Address
}

// NewMail checks the options. It does not talk to the server.
func NewMail(options MailOptions) (*Mail, error) {
	if options.Security == "" {
		options.Security = StartTLS
	}
	host, _, err := net.SplitHostPort(options.Server)
	if err != nil || host == "" {
		return nil, fmt.Errorf("the mail server must be a host and a port, such as smtp.example.org:587, not %q",
			options.Server)
	}
	from, err := mail.ParseAddress(options.From)
	if err != nil || !plainAddress(from.Address) {
		return nil, fmt.Errorf("mail must come from an address such as home@example.org, not %q", options.From)
	}
	return &Mail{options, host, from}, nil
}

// plainAddress says whether every mail server can take the address.
func plainAddress(address string) bool {
	return !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '<' || r == '>' })
}

// Send gives the message to the server and returns when it has accepted it. The error is an *[Error].
func (m *Mail) Send(ctx context.Context, to, title, text string) error {
	recipient, err := mail.ParseAddress(to)
	if err != nil || !plainAddress(recipient.Address) {
		return &Error{"the recipient is not a mail address", err}
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if err := m.send(ctx, recipient.Address, compose(m.from, recipient.Address, title, text, time.Now())); err != nil {
		return failed(ctx, err)
	}
	return nil
}

func (m *Mail) send(ctx context.Context, to string, message []byte) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.options.Server)
	if err != nil {
		return &Error{"the mail server cannot be reached", err}
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { connection.Close() })()
	stream := net.Conn(&brief{connection, answerBytesMax})
	if m.options.Security == TLS {
		stream = tls.Client(stream, tlsConfig(m.host, m.options.RootCAs))
	}
	client, err := smtp.NewClient(stream, m.host)
	if err != nil {
		return &Error{"the mail server did not answer as one", err}
	}
	defer client.Close()
	if err := m.enter(client); err != nil {
		return err
	}
	if err = client.Mail(m.from.Address); err == nil {
		err = client.Rcpt(to)
	}
	if err != nil {
		return refusal(err)
	}
	body, err := client.Data()
	if err == nil {
		_, err = body.Write(message)
	}
	if err == nil {
		err = body.Close() // the server's answer: from here on the message is its own
	}
	if err != nil {
		return refusal(err)
	}
	_ = client.Quit()
	return nil
}

// enter protects the connection and logs in.
func (m *Mail) enter(client *smtp.Client) error {
	if m.options.Security == StartTLS {
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return &Error{"the mail server offers no protected connection", nil}
		}
		if err := client.StartTLS(tlsConfig(m.host, m.options.RootCAs)); err != nil {
			return &Error{"the connection to the mail server cannot be protected", err}
		}
	}
	if m.options.User == "" {
		return nil
	}
	if err := client.Auth(smtp.PlainAuth("", m.options.User, m.options.Password, m.host)); err != nil {
		return &Error{"the mail server does not let this host in", err}
	}
	return nil
}

// refusal says what the server's answer means.
func refusal(err error) error {
	var answer *textproto.Error
	if errors.As(err, &answer) && answer.Code >= 500 {
		return &Error{"the mail server refused the message or its recipient", err}
	} else if errors.As(err, &answer) {
		return &Error{"the mail server does not take the message now", err}
	}
	return err
}

// compose writes the message as it travels.
func compose(from *mail.Address, to, title, text string, now time.Time) []byte {
	var out bytes.Buffer
	_, domain, _ := strings.Cut(from.Address, "@")
	fmt.Fprintf(&out, "From: %s\r\nTo: <%s>\r\nSubject: %s\r\nDate: %s\r\nMessage-ID: <%s@%s>\r\n",
		from, to, mime.QEncoding.Encode("utf-8", title), now.Format(time.RFC1123Z), rand.Text(), domain)
	io.WriteString(&out, "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"+
		"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n")
	body := quotedprintable.NewWriter(&out)
	_, _ = io.WriteString(body, text)
	_ = body.Close()
	return out.Bytes()
}

// brief is a connection that gives at most so many bytes.
type brief struct {
	net.Conn
	left int
}

func (b *brief) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the server says too much")
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
