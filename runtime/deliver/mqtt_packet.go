package deliver

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// This file is the few packets of MQTT that a sender needs, in versions 3.1.1 and 5. Properties of version 5 are not
// sent, and not read.

const (
	mqtt311 byte = 4
	mqtt5   byte = 5
)

// The first bytes of packets.
const (
	mqttConnect    byte = 0x10
	mqttConnack    byte = 0x20
	mqttPublish    byte = 0x32 // quality of service 1, not retained, not a duplicate
	mqttPuback     byte = 0x40
	mqttDisconnect byte = 0xe0
)

const (
	mqttPacketID     = 1
	mqttNameBytesMax = 23 // that every broker takes
	mqttKeepAlive    = 60 // seconds; a connection lives shorter
)

// mqttPacket writes a packet of parts.
func mqttPacket(kind byte, parts ...[]byte) []byte {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	packet := binary.AppendUvarint([]byte{kind}, uint64(length))
	for _, part := range parts {
		packet = append(packet, part...)
	}
	return packet
}

// mqttText writes text, of which there are fewer than 64 KiB, with its length in front.
func mqttText(text string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(text))), text...)
}

// noProperties stands where version 5 has properties.
func noProperties(version byte) []byte {
	if version == mqtt5 {
		return []byte{0}
	}
	return nil
}

func mqttConnectPacket(version byte, name, user, password string) []byte {
	const cleanStart, withPassword, withUser = 0x02, 0x40, 0x80
	flags, login := byte(cleanStart), []byte(nil)
	if user != "" {
		flags |= withUser | withPassword
		login = append(mqttText(user), mqttText(password)...)
	}
	header := []byte{version, flags, 0, mqttKeepAlive}
	return mqttPacket(mqttConnect, mqttText("MQTT"), header, noProperties(version), mqttText(name), login)
}

func mqttPublishPacket(version byte, topic string, message []byte) []byte {
	return mqttPacket(mqttPublish, mqttText(topic), []byte{0, mqttPacketID}, noProperties(version), message)
}

// errNotMQTT is the cause where what a broker says cannot be a packet.
var errNotMQTT = errors.New("no MQTT packet")

// readMQTTPacket reads the packet that comes next: its first byte, which must be an expected one, and what follows its
// length. Of a longer one than answerBytesMax nothing is read.
func readMQTTPacket(r *bufio.Reader, expected ...byte) (kind byte, body []byte, err error) {
	if kind, err = r.ReadByte(); err != nil {
		return 0, nil, err
	}
	if !slices.Contains(expected, kind) {
		return 0, nil, fmt.Errorf("%w that is expected: it begins with %#02x", errNotMQTT, kind)
	}
	length := 0
	for shift := 0; ; shift += 7 {
		digit, err := r.ReadByte()
		if err != nil {
			return 0, nil, err
		}
		length |= int(digit&0x7f) << shift
		if length > answerBytesMax || shift > 21 {
			return 0, nil, fmt.Errorf("%w: it would have more than %d bytes", errNotMQTT, answerBytesMax)
		}
		if digit < 0x80 {
			break
		}
	}
	body = make([]byte, length)
	_, err = io.ReadFull(r, body)
	return kind, body, err
}

// entryRefused says what the answer to a login means, in either version; nil is welcome.
func entryRefused(code byte) error {
	cause := fmt.Errorf("the broker answered the login with code %#02x", code)
	switch code {
	case 0x00:
		return nil
	case 0x01, 0x84:
		return &Error{"the MQTT broker speaks neither version 5 nor version 3.1.1", errors.Join(errOtherVersion, cause)}
	case 0x04, 0x05, 0x86, 0x87, 0x8a:
		return &Error{"the MQTT broker does not let this host in", cause}
	case 0x03, 0x88, 0x89:
		return &Error{"the MQTT broker takes nobody in now", cause}
	}
	return &Error{"the MQTT broker refuses this host", cause}
}

// mqttMessageFaults are the codes with which a broker closes the connection over a message that it did not take: not
// allowed, a bad topic, too large, beyond a quota, in a bad format, or of a quality that it does not offer.
var mqttMessageFaults = []byte{0x87, 0x90, 0x95, 0x97, 0x99, 0x9b}

// messageRefused says what the answer to a message means; nil is that it was taken, and that somebody may hear it.
func messageRefused(code byte) error {
	cause := fmt.Errorf("the broker answered the message with code %#02x", code)
	switch {
	case code == 0x10:
		return &Error{"nobody listens to that topic at the MQTT broker", cause}
	case code == 0x87:
		return &Error{"the MQTT broker does not let this host publish to that topic", cause}
	case code >= 0x80:
		return &Error{"the MQTT broker refused the message", cause}
	}
	return nil
}
