package config

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// tokenCommand makes a token with what every Linux and macOS has.
const tokenCommand = "head -c 32 /dev/urandom | base64"

// Validate reports everything that is wrong with the values as one *[Error], or nil. It changes nothing and looks
// at nothing but c.
func Validate(c Config) error {
	return asError(findMistakes(c))
}

type validator struct {
	mistakes []Mistake
}

func (v *validator) complain(key, format string, args ...any) {
	v.mistakes = append(v.mistakes, Mistake{Key: key, Message: key + ": " + fmt.Sprintf(format, args...)})
}

func findMistakes(c Config) []Mistake {
	v := &validator{}
	for _, k := range keys(&c) {
		v.ranges(k, k.field)
	}
	v.listening(c)
	v.zone(c.Timezone)
	if c.Country != "" && (len(c.Country) != 2 || strings.ToUpper(c.Country) != c.Country) {
		v.complain("country", "must be two capitals, such as US or DE, not %q", c.Country)
	}
	v.models(c)
	v.modes(c)
	v.services(c.Tools)
	v.deliver(c.Deliver)
	v.web(c.Server)
	if strings.TrimSpace(c.Conversation.Name) == "" || len(c.Conversation.Name) > 100 || hasControl(c.Conversation.Name) {
		v.complain("conversation.name", "must be a name of 1 to 100 bytes")
	}
	return v.mistakes
}

// ranges checks what the table says about a key.
func (v *validator) ranges(k key, field any) {
	if text, ok := field.(*string); ok && len(k.oneOf) > 0 && !slices.Contains(k.oneOf, *text) {
		v.complain(k.name, "must be %s, not %q%s", orList(k.oneOf), *text, didYouMean(*text, k.oneOf))
	}
	value, ok := number(field)
	switch {
	case !ok:
	case k.max > 0 && (value < k.min || value > k.max):
		v.complain(k.name, "must be between %s and %s, not %s",
			numberText(field, k.min), numberText(field, k.max), numberText(field, value))
	case value < k.min:
		v.complain(k.name, "must be at least %s, not %s", numberText(field, k.min), numberText(field, value))
	}
}

func (v *validator) listening(c Config) {
	beyond := v.address("listen", c.Listen)
	if c.Wyoming.Listen != "" {
		v.address("wyoming.listen", c.Wyoming.Listen)
	}
	switch {
	case c.Auth.Token == "" && beyond:
		v.complain("listen", "%s can be reached from other machines, so auth.token must be set; %s makes one", c.Listen,
			tokenCommand)
	case strings.ContainsFunc(c.Auth.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		v.complain("auth.token", "may only have ASCII letters, digits and punctuation, because it travels in a header")
	}
}

// address checks host:port and says whether other machines can reach it.
func (v *validator) address(key, address string) (beyond bool) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		v.complain(key, "must be an address and a port, such as 127.0.0.1:8765, not %q", address)
		return false
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		v.complain(key, "the port must be a number from 0 to 65535, not %q", port)
	}
	if strings.EqualFold(host, "localhost") {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.Unmap().IsLoopback()
}

func (v *validator) zone(name string) {
	if name == "" {
		return
	}
	if _, err := time.LoadLocation(name); err != nil {
		v.complain("timezone", "%q is not the name of a time zone, such as Europe/Berlin", name)
	}
}

func (v *validator) models(c Config) {
	short := c.LLM.BaseURL != "" || c.LLM.Model != "" || c.LLM.APIKey != ""
	switch {
	case short && len(c.Models) > 0:
		v.complain("models", "either models or llm.base_url, llm.model and llm.api_key, not both")
	case short && c.LLM.BaseURL == "":
		v.complain("llm.base_url", "must be set with llm.model or llm.api_key; OpenAI's is https://api.openai.com/v1")
	case short && c.LLM.Model == "":
		v.complain("llm.model", "must be set with llm.base_url")
	}
	if c.LLM.BaseURL != "" {
		v.modelURL("llm.base_url", c.LLM.BaseURL)
	}
	v.header("llm.api_key", c.LLM.APIKey)
	taken := map[string]bool{}
	for i, m := range c.Models {
		name := m.Name
		if name == "" {
			name = m.Model
		}
		v.model(fmt.Sprintf("models[%d]", i), m)
		if name != "" && taken[name] {
			v.complain("models", "two models are called %q; give each its own name", name)
		}
		taken[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.Prices)) {
		v.price("prices", name, c.Prices[name])
	}
}

func (v *validator) model(at string, m Model) {
	if m.Model == "" {
		v.complain("models", "%s needs a model", at)
	}
	if m.BaseURL == "" {
		v.complain("models", "%s needs a base_url", at)
	} else {
		v.modelURL("models", m.BaseURL)
	}
	if m.Context < 0 {
		v.complain("models", "%s.context must not be negative", at)
	}
	if m.Price != nil {
		v.price("models", at, *m.Price)
	}
	v.header("models", m.APIKey)
}

// builtinModes are the modes that exist without being configured.
var builtinModes = []string{"AUTO", "HOME", "RECEPTIONIST", "COMMS", "SECURITY", "CHAT"}

// The bounds of a mode's idle time.
const (
	modeIdleMin = 10 * time.Second
	modeIdleMax = time.Hour
)

func (v *validator) modes(c Config) {
	known := slices.Clone(builtinModes)
	taken := map[string]bool{}
	for i, m := range c.Modes {
		name := strings.ToUpper(m.Name)
		switch {
		case !isWord(name):
			v.complain("modes", "modes[%d].name must be one word of 1 to 30 letters and digits", i)
		case taken[name]:
			v.complain("modes", "two entries are called %s; make them one", name)
		case !slices.Contains(known, name):
			known = append(known, name)
		}
		taken[name] = true
		for _, alias := range m.Aliases {
			if !isWord(alias) {
				v.complain("modes", "modes[%d].aliases: %q must be one word of 1 to 30 letters and digits", i, alias)
			}
		}
		if m.Idle != 0 && (m.Idle < modeIdleMin || m.Idle > modeIdleMax) {
			v.complain("modes", "modes[%d].idle must be between %s and %s, not %s", i,
				durationText(modeIdleMin), durationText(modeIdleMax), durationText(m.Idle))
		}
	}
	if mode := c.Conversation.Mode; !slices.Contains(known, mode) {
		v.complain("conversation.mode", "must be %s, not %q%s", orList(known), mode, didYouMean(strings.ToUpper(mode), known))
	}
}

// isWord says whether people can say text as one word of a sentence.
func isWord(text string) bool {
	return text != "" && len(text) <= 30 && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
}

func (v *validator) price(key, name string, price Price) {
	if price.Input < 0 || price.Output < 0 {
		v.complain(key, "the price of %s must not be negative", name)
	}
}

func (v *validator) header(key, secret string) {
	if hasControl(secret) {
		v.complain(key, "an API key may not have line breaks or control characters, because it travels in a header")
	}
}

func (v *validator) modelURL(key, text string) {
	u := v.endpoint(key, text)
	if u != nil && strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions") {
		v.complain(key, "leave out /chat/completions; the URL usually ends in /v1")
	}
}

// endpoint checks an HTTP URL; an empty one is allowed. It returns nil when the URL is not usable.
func (v *validator) endpoint(key, text string) *url.URL {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		v.complain(key, "must be a URL that begins with http:// or https:// and a host")
		return nil
	case u.Fragment != "":
		v.complain(key, "must not have a fragment (#…)")
	}
	return u
}

func (v *validator) web(s Server) {
	for _, host := range s.Hosts {
		if host == "" || strings.ContainsAny(host, "/ *@") || hasControl(host) || strings.Contains(host, ":") {
			v.complain("server.hosts", "%q must be a host name without port, such as box.home.example", host)
		}
	}
	for _, origin := range s.Origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != origin {
			v.complain("server.origins", "%q must be an origin, such as https://home.example or http://box.local:8123", origin)
		}
	}
	for _, proxy := range s.TrustedProxies {
		prefix, ok := proxyPrefix(proxy)
		switch {
		case !ok:
			v.complain("server.trusted_proxies", "%q must be an address or a network, such as 192.168.1.2 or 172.30.32.0/23",
				proxy)
		case prefix.Bits() == 0:
			v.complain("server.trusted_proxies", "%q would believe everybody; name the proxies in front", proxy)
		}
	}
}

// proxyPrefix reads an address or a network; one IPv4 form in IPv6 is not read, because it would match nobody.
func proxyPrefix(text string) (netip.Prefix, bool) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		addr, err := netip.ParseAddr(text)
		if err != nil || addr.Zone() != "" {
			return netip.Prefix{}, false
		}
		prefix = netip.PrefixFrom(addr, addr.BitLen())
	}
	return prefix.Masked(), !prefix.Addr().Is4In6()
}

// Proxies are the networks of TrustedProxies.
func (s Server) Proxies() []netip.Prefix {
	var all []netip.Prefix
	for _, proxy := range s.TrustedProxies {
		if prefix, ok := proxyPrefix(proxy); ok {
			all = append(all, prefix)
		}
	}
	return all
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// orList joins words for a sentence: a, b or c.
func orList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// folder checks the address of a folder, below which objects stand; an empty one is allowed.
func (v *validator) folder(key, address, what string) {
	if v.endpoint(key, address) != nil && !strings.HasSuffix(address, "/") {
		v.complain(key, "must end in a slash: it is a folder of %s", what)
	}
}

// together checks that a secret and what it belongs to are both set, or none.
func (v *validator) together(secret, other, secretValue, otherValue string) {
	if (secretValue == "") != (otherValue == "") {
		v.complain(secret, "and %s belong together: set both or none", other)
	}
}

// services checks where built-in tools ask, and with which login.
func (v *validator) services(t Tools) {
	v.endpoint("tools.weather.geocoding_url", t.Weather.GeocodingURL)
	v.endpoint("tools.weather.forecast_url", t.Weather.ForecastURL)
	v.folder("tools.calendar.url", t.Calendar.URL, "events or calendars")
	v.folder("tools.calendar.people_url", t.Calendar.PeopleURL, "events or calendars")
	v.together("tools.calendar.password", "tools.calendar.user", t.Calendar.Password, t.Calendar.User)
	v.folder("tools.customers.url", t.Customers.URL, "cards")
	v.together("tools.customers.password", "tools.customers.user", t.Customers.Password, t.Customers.User)
	v.endpoint("tools.home.url", t.Home.URL)
	v.together("tools.home.token", "tools.home.url", t.Home.Token, t.Home.URL)
	if len(t.Home.Location) > homeLocationMax || hasControl(t.Home.Location) {
		v.complain("tools.home.location", "must be a place of at most %d bytes", homeLocationMax)
	}
}

// homeLocationMax bounds tools.home.location, in bytes.
const homeLocationMax = 200
