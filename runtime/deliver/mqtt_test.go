package deliver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// broker is an MQTT broker: it answers as a script says and keeps what it was told.
type broker struct {
	url   string
	roots *x509.CertPool
	end   func()
	hung  chan struct{} // has an element when a connection hangs

	mu   sync.Mutex
	seen []string // guarded by mu: packets as people write them
}

// The answers of a broker to the next packet. Any other text is sent as it is.
const (
	leaves  = "leaves" // and says nothing
	hangs   = "hangs"  // until the client leaves
	puback  = "\x40\x02\x00\x01"
	welcome = "\x20\x02\x00\x00"
	// welcome5 is that of version 5, with a property: at most 8 messages at once.
	welcome5 = "\x20\x06\x00\x00\x03\x21\x00\x08"
)

// newBroker starts a broker that answers each connection's packets in turn. Connections beyond the answers have the
// last.
func newBroker(t *testing.T, secure bool, answers ...[]string) *broker {
	t.Helper()
	certified := httptest.NewTLSServer(nil) // for its certificate
	certified.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &broker{url: "mqtt://" + listener.Addr().String(), roots: x509.NewCertPool(), hung: make(chan struct{}, 1)}
	b.roots.AddCert(certified.Certificate())
	if secure {
		config := certified.TLS.Clone()
		config.NextProtos = nil
		listener = tls.NewListener(listener, config)
		b.url = "mqtts://" + listener.Addr().String()
	}
	var open sync.WaitGroup
	open.Go(func() {
		for i := 0; ; i++ {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			open.Go(func() { b.serve(connection, answers[min(i, len(answers)-1)]) })
		}
	})
	b.end = func() { listener.Close(); open.Wait() }
	t.Cleanup(b.end)
	return b
}

func (b *broker) serve(connection net.Conn, answers []string) {
	defer connection.Close()
	in := bufio.NewReader(connection)
	for {
		said, err := b.hear(in)
		if err != nil {
			return
		}
		b.mu.Lock()
		b.seen = append(b.seen, said)
		b.mu.Unlock()
		answer := leaves
		if len(answers) > 0 {
			answer, answers = answers[0], answers[1:]
		}
		switch answer {
		case leaves:
			return
		case hangs:
			select {
			case b.hung <- struct{}{}:
			default:
			}
			_, _ = io.Copy(io.Discard, in)
			return
		}
		_, _ = io.WriteString(connection, answer)
	}
}

// hear reads a packet and writes it out, by the words of the protocol's text and not by the code that is tested.
func (b *broker) hear(in *bufio.Reader) (string, error) {
	kind, err := in.ReadByte()
	if err != nil {
		return "", err
	}
	length, err := binary.ReadUvarint(in)
	if err != nil {
		return "", err
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return "", err
	}
	text := func() string {
		n := int(body[0])<<8 | int(body[1])
		words := string(body[2 : 2+n])
		body = body[2+n:]
		return words
	}
	switch kind {
	case 0x10:
		protocol, version, flags, alive := text(), body[0], body[1], int(body[2])<<8|int(body[3])
		body = body[4:]
		if version == 5 {
			body = body[1:]
		}
		name := text()
		said := fmt.Sprintf("CONNECT %s %d flags=%08b alive=%d name=%d", protocol, version, flags, alive, len(name))
		for len(body) > 0 {
			said += " " + text()
		}
		return said, nil
	case 0x32:
		topic, id := text(), int(body[0])<<8|int(body[1])
		return fmt.Sprintf("PUBLISH %s %d %s", topic, id, strings.TrimPrefix(string(body[2:]), "\x00")), nil
	case 0xe0:
		return "DISCONNECT", nil
	}
	return fmt.Sprintf("%x %x", kind, body), nil
}

// heard ends the broker and gives all that it was told.
func (b *broker) heard() []string {
	b.end()
	return b.seen
}

func TestMQTTArrives(t *testing.T) {
	const message = `PUBLISH house/say 1 {"message":"It is öff.","title":"Oven"}`
	for name, c := range map[string]struct {
		secure         bool
		user, password string
		answers        [][]string
		want           []string
	}{
		"version 5":        {false, "", "", [][]string{{welcome5, puback}}, []string{"CONNECT MQTT 5 flags=00000010 alive=60 name=23", message, "DISCONNECT"}},
		"TLS and a login":  {true, "home", "open-sesame", [][]string{{welcome5, puback}}, []string{"CONNECT MQTT 5 flags=11000010 alive=60 name=23 home open-sesame", message, "DISCONNECT"}},
		"a code of 0":      {false, "", "", [][]string{{welcome5, "\x40\x04\x00\x01\x00\x00"}}, []string{"CONNECT MQTT 5 flags=00000010 alive=60 name=23", message, "DISCONNECT"}},
		"an older broker":  {false, "home", "open-sesame", [][]string{{"\x20\x02\x00\x01"}, {welcome, puback}}, []string{"CONNECT MQTT 5 flags=11000010 alive=60 name=23 home open-sesame", "CONNECT MQTT 4 flags=11000010 alive=60 name=23 home open-sesame", message, "DISCONNECT"}},
		"one that is rude": {false, "", "", [][]string{{leaves}, {welcome, puback}}, []string{"CONNECT MQTT 5 flags=00000010 alive=60 name=23", "CONNECT MQTT 4 flags=00000010 alive=60 name=23", message, "DISCONNECT"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, c.secure, c.answers...)
			sender, err := NewMQTT(MQTTOptions{URL: b.url, User: c.user, Password: c.password, RootCAs: b.roots})
			if err != nil {
				t.Fatal(err)
			}
			if err := sender.Send(t.Context(), "house/say", "Oven", "It is öff."); err != nil {
				t.Fatal(err)
			}
			if got := b.heard(); !slices.Equal(got, c.want) {
				t.Errorf("the broker heard %q, want %q", got, c.want)
			}
		})
	}
}

func TestMQTTThatIsNotAccepted(t *testing.T) {
	for name, c := range map[string]struct {
		answers []string
		want    string
		twice   bool // it is tried in both versions
	}{
		"a wrong password":           {[]string{"\x20\x03\x00\x86\x00"}, "does not let this host in", false},
		"a wrong password, 3.1.1":    {[]string{"\x20\x02\x00\x05"}, "does not let this host in", false},
		"a busy broker":              {[]string{"\x20\x03\x00\x89\x00"}, "takes nobody in now", false},
		"a name that it dislikes":    {[]string{"\x20\x03\x00\x85\x00"}, "refuses this host", false},
		"another version":            {[]string{"\x20\x03\x00\x84\x00"}, "neither version 5 nor version 3.1.1", true},
		"gone at once":               {[]string{leaves}, "closed the connection before it let this host in", true},
		"a web server":               {[]string{"HTTP/1.1 400 Bad Request\r\n\r\n"}, "did not answer as one", false},
		"another packet":             {[]string{puback}, "did not answer as one", false},
		"a packet without an end":    {[]string{"\x20\xff\xff\xff\xff\x7f"}, "did not answer as one", false},
		"a packet that is too long":  {[]string{"\x20\x81\x80\x04"}, "did not answer as one", false},
		"a short packet":             {[]string{"\x20\x01\x00"}, "did not answer as one", false},
		"a topic that is forbidden":  {[]string{welcome5, "\x40\x03\x00\x01\x87"}, "does not let this host publish to that topic", false},
		"forbidden, and shown out":   {[]string{welcome5, "\xe0\x01\x87"}, "does not let this host publish to that topic", false},
		"nobody listens":             {[]string{welcome5, "\x40\x04\x00\x01\x10\x00"}, "nobody listens to that topic", false},
		"a quota":                    {[]string{welcome5, "\x40\x03\x00\x01\x97"}, "refused the message", false},
		"too large":                  {[]string{welcome5, "\xe0\x01\x95"}, "refused the message", false},
		"closing down":               {[]string{welcome5, "\xe0\x02\x8b\x00"}, "not known whether the message was accepted: the MQTT broker closed", false},
		"bye":                        {[]string{welcome5, "\xe0\x00"}, "not known whether the message was accepted: the MQTT broker closed", false},
		"gone with the message":      {[]string{welcome5, leaves}, "not known whether the message was accepted: the MQTT broker closed", false},
		"another message's answer":   {[]string{welcome5, "\x40\x02\x00\x02"}, "not known whether the message was accepted: the MQTT broker's answer makes no sense", false},
		"an endless answer":          {[]string{welcome5, "\x40\xff\xff\xff\xff"}, "answer makes no sense", false},
		"an answer without a number": {[]string{welcome5, "\x40\x00"}, "answer makes no sense", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBroker(t, false, c.answers)
			sender, err := NewMQTT(MQTTOptions{URL: b.url, User: "home", Password: "open-sesame"})
			if err != nil {
				t.Fatal(err)
			}
			err = sender.Send(t.Context(), "house/say", "", "Hello.")
			if typed := new(Error); !errors.As(err, &typed) || !strings.Contains(err.Error(), c.want) || strings.Contains(fmt.Sprint(err, errors.Unwrap(err)), "sesame") {
				t.Errorf("%v, want %q", err, c.want)
			}
			connections := 0
			for _, said := range b.heard() {
				if strings.HasPrefix(said, "CONNECT") {
					connections++
				}
			}
			if want := map[bool]int{false: 1, true: 2}[c.twice]; connections != want {
				t.Errorf("%d connections, want %d", connections, want)
			}
		})
	}
}

func TestMQTTThatCannotBeReached(t *testing.T) {
	plain, secure := newBroker(t, false, []string{leaves}), newBroker(t, true, []string{welcome5, puback})
	for want, url := range map[string]string{
		"cannot be reached":                                 "mqtt://127.0.0.1:1",
		"certificate is not one":                            secure.url,
		"connection to the MQTT broker cannot be protected": strings.Replace(plain.url, "mqtt:", "mqtts:", 1),
		"before it let this host in":                        strings.Replace(secure.url, "mqtts:", "mqtt:", 1),
	} {
		sender, err := NewMQTT(MQTTOptions{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if err := sender.Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
	if got := secure.heard(); len(got) > 0 {
		t.Errorf("a broker that nobody trusts was told %q", got)
	}
}

func TestMQTTIsGivenUpWithItsContext(t *testing.T) {
	for want, answers := range map[string][]string{
		"the MQTT broker does not answer":                                         {hangs},
		"not known whether the message was accepted: there was no answer in time": {welcome5, hangs},
	} {
		b := newBroker(t, false, answers)
		sender, err := NewMQTT(MQTTOptions{URL: b.url})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-b.hung
			cancel()
		}()
		err = sender.Send(ctx, "house/say", "", "Hello.")
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestMQTTTopicsAndMessagesAreBounded(t *testing.T) {
	b := newBroker(t, false, []string{welcome5, puback})
	sender, err := NewMQTT(MQTTOptions{URL: b.url})
	if err != nil {
		t.Fatal(err)
	}
	for topic, want := range map[string]string{
		"":                                       "must have 1 to 512 bytes",
		"house/#":                                "cannot have + or #",
		"house/+/say":                            "cannot have + or #",
		"house\x00say":                           "must be text",
		"house/\xff":                             "must be text",
		strings.Repeat("h", mqttTopicBytesMax+1): "must have 1 to 512 bytes",
	} {
		if err := sender.Send(t.Context(), topic, "", "Hello."); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", topic, err, want)
		}
	}
	long := strings.Repeat("x", mqttMessageBytesMax-len(`{"message":"","title":""}`))
	if err := sender.Send(t.Context(), "house/say", "", long+"x"); err == nil || !strings.Contains(err.Error(), "more than the 65536 bytes") {
		t.Error(err)
	}
	if err := sender.Send(t.Context(), strings.Repeat("h", mqttTopicBytesMax), "", long); err != nil {
		t.Error(err)
	}
	if got := b.heard(); len(got) != 3 {
		t.Errorf("the broker heard %d packets, not the three of the message that is within its bounds", len(got))
	}
}

func TestMQTTOptionsAreChecked(t *testing.T) {
	for _, url := range []string{"", "broker.example.org", "http://broker.example.org", "mqtt://", "mqtt://home:open-sesame@broker.example.org", "mqtt://broker.example.org/house"} {
		if _, err := NewMQTT(MQTTOptions{URL: url}); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := NewMQTT(MQTTOptions{URL: "mqtt://broker", User: "home", Password: strings.Repeat("x", mqttLoginBytesMax+1)}); err == nil {
		t.Error("a password of any length is accepted")
	}
	for url, want := range map[string]string{
		"mqtt://broker": "broker:1883", "mqtts://broker/": "broker:8883", "mqtt://[fd00::1]": "[fd00::1]:1883", "mqtts://broker:443": "broker:443",
	} {
		if m, err := NewMQTT(MQTTOptions{URL: url}); err != nil || m.address != want {
			t.Errorf("%s: %+v, %v", url, m, err)
		}
	}
}

func TestPasswordsStayInTheHouse(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1": true, "::1": true, "192.168.1.4": true, "::ffff:10.0.0.1": true, "fd00::1": true, "fe80::1": false, "100.100.1.1": true,
		"203.0.113.7": false, "2001:db8::1": false, "100.128.0.1": false,
	} {
		if got := own(&net.TCPAddr{IP: net.ParseIP(address), Port: 1883}); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// FuzzMQTTAnswers holds that whatever a broker says ends the exchange, within its bounds and without a doubt about what
// was said.
func FuzzMQTTAnswers(f *testing.F) {
	for _, answer := range []string{welcome5 + puback, welcome + "\x40\x03\x00\x01\x10", welcome + "\xe0\x01\x8b", "\x20\x02\x00\x05", "\x20\xff\xff\xff\x7f", "HTTP/1.1 400"} {
		f.Add([]byte(answer))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		for _, version := range []byte{mqtt311, mqtt5} {
			b := &mqttBroker{version: version, answers: bufio.NewReader(bytes.NewReader(said)), out: io.Discard}
			err := b.enter(t.Context(), "home", "open-sesame")
			if err == nil {
				err = b.publish(t.Context(), "house/say", []byte("{}"))
			}
			if typed := new(Error); err != nil && (!errors.As(err, &typed) || typed.Message == "") {
				t.Errorf("%v", err)
			}
			if err == nil && !bytes.Contains(said, []byte{0x40}) {
				t.Errorf("%x counts as an acknowledgement", said)
			}
		}
	})
}
