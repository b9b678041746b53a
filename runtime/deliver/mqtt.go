package deliver

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"chatterbox/runtime/internal/addresses"
)

// This file publishes by an MQTT broker. The rules are: one message, one connection, which ends with it; quality of
// service 1 and never retained; sent once, so that it is not there twice; version 5, in which a broker says that it did
// not take a message or that nobody listens, and 3.1.1 only for brokers that know no other; and no password in the
// clear beyond the house's own network.

// The bounds of what is sent.
const (
	mqttTopicBytesMax   = 512
	mqttMessageBytesMax = 64 << 10
	mqttLoginBytesMax   = 1024 // of the user name and of the password
)

// MQTTOptions are what an MQTT needs. Zero values mean the default in brackets.
type MQTTOptions struct {
	URL      string // mqtt://host:port, or mqtts:// with TLS; port [1883, with TLS 8883]
	User     string // [no login]
	Password string
	RootCAs  *x509.CertPool // [the host's]
}

// MQTT publishes by one broker. Its methods may be called by several goroutines at once.
type MQTT struct {
	options MQTTOptions
	host    string
	address string
	secure  bool
}

// NewMQTT checks the options. It does not talk to the broker.
func NewMQTT(options MQTTOptions) (*MQTT, error) {
	u, err := url.Parse(options.URL)
	if err != nil || u.Scheme != "mqtt" && u.Scheme != "mqtts" || u.Hostname() == "" ||
		u.User != nil || strings.Trim(u.Path, "/")+u.RawQuery != "" {
		return nil, errors.New("the MQTT broker must be an address such as mqtt://broker.example.org:1883, " +
			"or mqtts:// for TLS, without a name or a path")
	}
	if len(options.User) > mqttLoginBytesMax || len(options.Password) > mqttLoginBytesMax {
		return nil, fmt.Errorf("user name and password of the MQTT broker may have %d bytes each", mqttLoginBytesMax)
	}
	m := &MQTT{options: options, host: u.Hostname(), secure: u.Scheme == "mqtts"}
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "1883", true: "8883"}[m.secure]
	}
	m.address = net.JoinHostPort(m.host, port)
	return m, nil
}

// Send publishes {"title", "message"} to a topic and returns when the broker has taken it. The error is an *[Error].
func (m *MQTT) Send(ctx context.Context, topic, title, text string) error {
	if wrong := checkTopic(topic); wrong != "" {
		return &Error{wrong, nil}
	}
	message, err := json.Marshal(map[string]string{"title": title, "message": text})
	if err != nil {
		return failed(ctx, err)
	}
	if len(message) > mqttMessageBytesMax {
		return &Error{fmt.Sprintf("the message has more than the %d bytes that one over MQTT may have",
			mqttMessageBytesMax), nil}
	}
	return m.session(ctx, func(ctx context.Context, b *mqttBroker) error { return b.publish(ctx, topic, message) })
}

// Check logs in and leaves. The error is an *[Error].
func (m *MQTT) Check(ctx context.Context) error {
	return m.session(ctx, func(context.Context, *mqttBroker) error { return nil })
}

// checkTopic says what is wrong with a topic that is published to; empty is nothing.
func checkTopic(topic string) string {
	switch {
	case topic == "" || len(topic) > mqttTopicBytesMax:
		return fmt.Sprintf("an MQTT topic must have 1 to %d bytes", mqttTopicBytesMax)
	case strings.ContainsAny(topic, "+#"):
		return "an MQTT topic that is published to cannot have + or #: name one topic"
	case strings.Contains(topic, "\x00") || !utf8.ValidString(topic):
		return "an MQTT topic must be text"
	}
	return ""
}

// errOtherVersion is the cause where a broker may know an older version only.
var errOtherVersion = errors.New("the broker did not take this version of the protocol")

func (m *MQTT) session(ctx context.Context, act func(context.Context, *mqttBroker) error) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	err := m.visit(ctx, mqtt5, act)
	if errors.Is(err, errOtherVersion) {
		err = m.visit(ctx, mqtt311, act)
	}
	return err
}

// visit connects, logs in, acts and leaves.
func (m *MQTT) visit(ctx context.Context, version byte, act func(context.Context, *mqttBroker) error) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", m.address)
	if err != nil {
		return &Error{"the MQTT broker cannot be reached", err}
	}
	defer connection.Close()
	defer context.AfterFunc(ctx, func() { connection.Close() })()
	if !m.secure && m.options.Password != "" && !own(connection.RemoteAddr()) {
		return &Error{"the MQTT broker is not in your own network, and mqtt:// would show its password on the way: " +
			"use mqtts://", nil}
	}
	stream := net.Conn(&brief{connection, answerBytesMax})
	if m.secure {
		protected := tls.Client(stream, tlsConfig(m.host, m.options.RootCAs))
		if err := protected.HandshakeContext(ctx); err != nil {
			return handshakeError(ctx, err)
		}
		stream = protected
	}
	broker := &mqttBroker{version: version, answers: bufio.NewReader(stream), out: stream}
	if err := broker.enter(ctx, m.options.User, m.options.Password); err != nil {
		return err
	}
	if err := act(ctx, broker); err != nil {
		return err
	}
	_, _ = stream.Write(mqttPacket(mqttDisconnect))
	return nil
}

func handshakeError(ctx context.Context, err error) error {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &certificate):
		return &Error{"the MQTT broker's certificate is not one that this host trusts", err}
	case ctx.Err() != nil:
		return &Error{"the MQTT broker does not answer", err}
	}
	return &Error{"the connection to the MQTT broker cannot be protected", err}
}

// own says whether the broker is on this machine or its network.
func own(broker net.Addr) bool {
	tcp, ok := broker.(*net.TCPAddr)
	return ok && addresses.Of(tcp.AddrPort().Addr()) == addresses.Private
}

// mqttBroker is a broker that is connected.
type mqttBroker struct {
	version byte
	answers *bufio.Reader
	out     io.Writer
}

// enter logs in.
func (b *mqttBroker) enter(ctx context.Context, user, password string) error {
	name := ("chatterbox" + rand.Text())[:mqttNameBytesMax]
	_, err := b.out.Write(mqttConnectPacket(b.version, name, user, password))
	var body []byte
	if err == nil {
		_, body, err = readMQTTPacket(b.answers, mqttConnack)
	}
	switch {
	case ctx.Err() != nil:
		return &Error{"the MQTT broker does not answer", errors.Join(ctx.Err(), err)}
	case errors.Is(err, errNotMQTT), err == nil && len(body) < 2:
		return &Error{"the MQTT broker did not answer as one", err}
	case err != nil:
		return &Error{"the MQTT broker closed the connection before it let this host in", errors.Join(errOtherVersion, err)}
	}
	return entryRefused(body[1])
}

// publish returns when the broker has taken the message.
func (b *mqttBroker) publish(ctx context.Context, topic string, message []byte) error {
	_, err := b.out.Write(mqttPublishPacket(b.version, topic, message))
	var kind byte
	var body []byte
	if err == nil {
		kind, body, err = readMQTTPacket(b.answers, mqttPuback, mqttDisconnect)
	}
	const unknown = "it is not known whether the message was accepted: "
	switch {
	case ctx.Err() != nil:
		return &Error{unknown + "there was no answer in time", errors.Join(ctx.Err(), err)}
	case errors.Is(err, errNotMQTT):
		return &Error{unknown + "the MQTT broker's answer makes no sense", err}
	case err != nil:
		return &Error{unknown + "the MQTT broker closed the connection", err}
	case kind == mqttDisconnect && (len(body) == 0 || !slices.Contains(mqttMessageFaults, body[0])):
		return &Error{unknown + "the MQTT broker closed the connection", fmt.Errorf("it said why: %x", body)}
	case kind == mqttDisconnect:
		return messageRefused(body[0])
	case len(body) < 2 || binary.BigEndian.Uint16(body) != mqttPacketID:
		return &Error{unknown + "the MQTT broker's answer makes no sense", fmt.Errorf("it acknowledged %x", body)}
	case len(body) > 2 && b.version == mqtt5:
		return messageRefused(body[2])
	}
	return nil
}
