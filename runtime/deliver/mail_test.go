package deliver

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// postOffice is a mail server: it protects connections, checks the login, and keeps what it accepts.
type postOffice struct {
	address  string
	roots    *x509.CertPool
	config   *tls.Config
	implicit bool              // TLS from the first byte on
	answers  map[string]string // instead of the usual answer, by command; "" hangs until the client leaves
	hung     chan struct{}     // has an element when a connection hangs

	mu       sync.Mutex
	envelope []string // guarded by mu: what was said of each mail that was accepted, and the mail
	login    string   // guarded by mu
}

func newPostOffice(t *testing.T, implicit bool, answers map[string]string) *postOffice {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // for its certificate
	certified.Close()
	o := &postOffice{implicit: implicit, answers: answers, roots: x509.NewCertPool(), config: certified.TLS.Clone(), hung: make(chan struct{}, 1)}
	o.config.NextProtos = nil
	o.roots.AddCert(certified.Certificate())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.address = listener.Addr().String()
	var open sync.WaitGroup
	open.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { o.serve(connection) })
		}
	})
	t.Cleanup(func() { listener.Close(); open.Wait() })
	return o
}

func (o *postOffice) serve(connection net.Conn) {
	defer func() { connection.Close() }()
	secure := o.implicit
	if secure {
		connection = tls.Server(connection, o.config)
	}
	lines := textproto.NewReader(bufio.NewReader(connection))
	say := func(text string) { _, _ = io.WriteString(connection, text+"\r\n") }
	say("220 office.test ESMTP")
	from, to := "", ""
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return
		}
		word, rest, _ := strings.Cut(line, " ")
		answer, scripted := o.answers[word]
		switch {
		case scripted && answer == "":
			o.hung <- struct{}{}
			_, _ = lines.ReadLine()
			return
		case scripted:
			say(answer)
		case word == "EHLO" && secure:
			say("250-office.test\r\n250 AUTH PLAIN")
		case word == "EHLO":
			say("250-office.test\r\n250 STARTTLS")
		case word == "STARTTLS":
			say("220 go ahead")
			connection, secure = tls.Server(connection, o.config), true
			lines = textproto.NewReader(bufio.NewReader(connection))
		case word == "AUTH":
			o.note(func() { o.login = strings.TrimPrefix(rest, "PLAIN ") })
			say("235 welcome")
		case word == "MAIL":
			from = rest
			say("250 fine")
		case word == "RCPT":
			to = rest
			say("250 fine")
		case word == "DATA":
			say("354 go on")
			text, err := lines.ReadDotBytes()
			if err != nil {
				return
			}
			o.note(func() { o.envelope = append(o.envelope, fmt.Sprintf("%s %s tls=%v", from, to, secure), string(text)) })
			say("250 queued")
		case word == "QUIT":
			say("221 bye")
			return
		default:
			say("502 what?")
		}
	}
}

func (o *postOffice) note(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

func (o *postOffice) mailbox() ([]string, string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.envelope, o.login
}

func TestMailArrives(t *testing.T) {
	const text = "Dear Ann,\n.the oven is öff. It was on for " + "a very long time, which is why this line is far longer than seventy-six characters.\n"
	for name, implicit := range map[string]bool{"starttls": false, "tls": true} {
		t.Run(name, func(t *testing.T) {
			office := newPostOffice(t, implicit, nil)
			sender, err := NewMail(MailOptions{Server: office.address, Security: Security(name), User: "home", Password: "open-sesame",
				From: "Home <home@example.org>", RootCAs: office.roots})
			if err != nil {
				t.Fatal(err)
			}
			if err := sender.Send(t.Context(), "Ann <ann@example.org>", "Küche: off?", text); err != nil {
				t.Fatal(err)
			}
			got, login := office.mailbox()
			if len(got) != 2 || got[0] != "FROM:<home@example.org> TO:<ann@example.org> tls=true" {
				t.Fatalf("the office has %q", got)
			}
			if decoded, _ := base64.StdEncoding.DecodeString(login); string(decoded) != "\x00home\x00open-sesame" {
				t.Errorf("the login is %q", decoded)
			}
			read(t, got[1], "Küche: off?", text)
		})
	}
}

// read holds a mail, as it arrived, to title and text.
func read(t *testing.T, arrived, title, text string) {
	t.Helper()
	message, err := mail.ReadMessage(strings.NewReader(arrived))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	if err != nil || subject != title {
		t.Errorf("the subject is %q, %v", subject, err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(message.Body))
	if got := strings.ReplaceAll(string(body), "\r\n", "\n"); err != nil || got != text {
		t.Errorf("the text is %q, %v", got, err)
	}
	if from, err := message.Header.AddressList("From"); err != nil || from[0].Address != "home@example.org" {
		t.Errorf("it is from %v, %v", from, err)
	}
	if _, err := message.Header.Date(); err != nil || message.Header.Get("Message-Id") == "" || len(message.Header) != 9 {
		t.Errorf("the header is %v, %v", message.Header, err)
	}
}

func TestMailThatIsNotAccepted(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]string
		user    string
		want    string
	}{
		"no STARTTLS":           {map[string]string{"EHLO": "250 office.test"}, "", "offers no protected connection"},
		"STARTTLS refused":      {map[string]string{"STARTTLS": "454 not now"}, "", "cannot be protected"},
		"a wrong password":      {map[string]string{"AUTH": "535 no: open-sesame is wrong"}, "home", "does not let this host in"},
		"an unknown recipient":  {map[string]string{"RCPT": "550 nobody here"}, "", "refused the message or its recipient"},
		"a full office":         {map[string]string{"MAIL": "452 later"}, "", "does not take the message now"},
		"a server that rambles": {map[string]string{"RCPT": "550-" + strings.Repeat("x", answerBytesMax)}, "", "could not be sent"},
	} {
		t.Run(name, func(t *testing.T) {
			office := newPostOffice(t, false, c.answers)
			sender, err := NewMail(MailOptions{Server: office.address, User: c.user, Password: "open-sesame", From: "home@example.org", RootCAs: office.roots})
			if err != nil {
				t.Fatal(err)
			}
			err = sender.Send(t.Context(), "ann@example.org", "", "Hello.")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("%v, want %q", err, c.want)
			}
			if got, login := office.mailbox(); len(got) != 0 || login != "" {
				t.Errorf("the office has %q, login %q", got, login)
			}
		})
	}
	office := newPostOffice(t, false, nil)
	for want, options := range map[string]MailOptions{
		"cannot be protected":   {Server: office.address, From: "home@example.org"}, // by nobody who is trusted
		"cannot be reached":     {Server: "127.0.0.1:1", From: "home@example.org"},
		"not a mail address":    {Server: office.address, From: "home@example.org", Password: "bad recipient"},
		"did not answer as one": {Server: office.address, From: "home@example.org", Security: TLS, RootCAs: office.roots},
	} {
		to := "ann@example.org"
		if options.Password != "" {
			to = "ann@example.org>\r\nRCPT TO:<eve@example.org"
		}
		sender, err := NewMail(options)
		if err != nil {
			t.Fatal(err)
		}
		if err := sender.Send(t.Context(), to, "", "Hello."); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestMailIsGivenUpWithItsContext(t *testing.T) {
	office := newPostOffice(t, false, map[string]string{"DATA": ""})
	sender, err := NewMail(MailOptions{Server: office.address, From: "home@example.org", RootCAs: office.roots})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-office.hung
		cancel()
	}()
	if err := sender.Send(ctx, "ann@example.org", "", "Hello."); err == nil || !strings.Contains(err.Error(), "not known whether") {
		t.Errorf("%v", err)
	}
}

func TestMailOptionsAreChecked(t *testing.T) {
	for want, options := range map[string]MailOptions{
		`a host and a port`:      {Server: "smtp.example.org", From: "home@example.org"},
		`must come from`:         {Server: "smtp.example.org:587", From: "home"},
		`not ":587"`:             {Server: ":587", From: "home@example.org"},
		`not "höme@example.org"`: {Server: "smtp.example.org:587", From: "höme@example.org"},
	} {
		if _, err := NewMail(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", options, err, want)
		}
	}
}

// FuzzMail holds that a title and a text are just that, whatever is in them.
func FuzzMail(f *testing.F) {
	f.Add("Hello", "World.\n")
	f.Add("a\r\nBcc: eve@example.org", "\r\n.\r\nMAIL FROM:<x>")
	from := &mail.Address{Address: "home@example.org"}
	f.Fuzz(func(t *testing.T, title, text string) {
		message, err := mail.ReadMessage(strings.NewReader(string(compose(from, "ann@example.org", title, text, time.Unix(0, 0)))))
		if err != nil {
			t.Fatal(err)
		}
		if len(message.Header) != 9 || message.Header.Get("To") != "<ann@example.org>" {
			t.Errorf("the header is %v", message.Header)
		}
	})
}
