package toolbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// This file sends for tools. The rules are: only over a channel and to a recipient that the tool asked for and was
// granted, word for word; only so many in a minute, whatever version of the tool it is; and never again by itself.

const (
	deliveryTitleBytesMax = 200
	deliveryTextBytesMax  = 16 << 10
)

// deliveries count what each tool sent. The zero value is ready.
type deliveries struct {
	mu    sync.Mutex
	gates map[string]*gate // guarded by mu, by tool
}

// book counts a message of tool that is sent now, unless perMinute were in the last minute; then wait says for how
// long.
func (d *deliveries) book(tool string, perMinute int, now time.Time) (wait time.Duration) {
	d.mu.Lock()
	if d.gates == nil {
		d.gates = map[string]*gate{}
	}
	g := d.gates[tool]
	if g == nil {
		g = newGate(1, perMinute)
		d.gates[tool] = g
	}
	d.mu.Unlock()
	return g.book(now)
}

func (h *host) deliver(ctx context.Context, input []byte) any {
	if len(h.tool.rights.Deliver) == 0 {
		return failure{Error: "this tool has no grant to deliver"}
	}
	var asked struct {
		Channel string `json:"channel"`
		To      string `json:"to"`
		Title   string `json:"title"`
		Text    string `json:"text"`
	}
	if wrong := read(input, &asked); wrong != nil {
		return *wrong
	}
	name, log := h.tool.manifest.Name, h.box.log
	switch wrong := checkDelivery(asked.Title, asked.Text); {
	case wrong != "":
		return failure{Error: wrong}
	case !h.tool.rights.delivers(asked.Channel, asked.To):
		log.WarnContext(ctx, "delivery refused",
			"tool", name, "channel", oneLine(asked.Channel, 64), "to", oneLine(asked.To, 256))
		return failure{"this tool has no grant to send to that recipient over that channel", "refused"}
	}
	sender := h.box.options.Deliver[asked.Channel]
	if sender == nil {
		return failure{Error: fmt.Sprintf("the channel %s is not set up on this host", asked.Channel)}
	}
	most := h.box.options.DeliverPerMinute
	if wait := h.box.sent.book(name, most, time.Now()); wait > 0 {
		refusal := "this tool may send %d messages a minute; try again in %d seconds"
		return failure{fmt.Sprintf(refusal, most, seconds(wait)), "limit"}
	}
	sending, cancel := early(ctx)
	defer cancel()
	if err := sender.Send(sending, asked.To, asked.Title, asked.Text); err != nil {
		log.WarnContext(ctx, "delivery failed",
			"tool", name, "channel", asked.Channel, "error", err, "cause", errors.Unwrap(err))
		return failure{Error: err.Error()}
	}
	log.InfoContext(ctx, "delivered", "tool", name, "channel", asked.Channel, "to", asked.To)
	return map[string]bool{"accepted": true}
}

// checkDelivery says what is wrong with the words of a message; empty is nothing.
func checkDelivery(title, text string) string {
	switch {
	case len(title) > deliveryTitleBytesMax || strings.ContainsFunc(title, unicode.IsControl):
		return fmt.Sprintf("member title must be one line of at most %d bytes", deliveryTitleBytesMax)
	case strings.TrimSpace(text) == "" || len(text) > deliveryTextBytesMax || !utf8.ValidString(text):
		return fmt.Sprintf("member text must have 1 to %d bytes", deliveryTextBytesMax)
	}
	return ""
}

// delivers says whether the rights let something be sent to the recipient.
func (r Rights) delivers(channel, to string) bool {
	return slices.ContainsFunc(r.Deliver, func(d Delivery) bool {
		return d.Channel == channel && slices.Contains(d.Recipients, to)
	})
}
