package toolbox

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEffectiveRights(t *testing.T) {
	api := NetRule{Scheme: "https", Host: "a.example.com", Port: 443, Methods: []string{"GET", "POST"}, Path: "/v1/*", Timeout: 5 * time.Second}
	private := api
	private.Private, private.Path, private.Methods, private.Timeout, private.ResponseBytes = true, "/v1/x/*", []string{"POST", "PUT"}, 2*time.Second, 100
	both := private
	both.Methods = []string{"POST"}
	otherPort := api
	otherPort.Port = 8443
	for name, test := range map[string]struct {
		asks   Rights
		grant  *Grant
		want   Rights
		reason string
	}{
		"nothing asked, nobody asked":   {Rights{Effects: Read, Confirm: Never}, nil, Rights{Effects: Read, Confirm: Never}, ""},
		"caution asked, nobody asked":   {Rights{Effects: Read, Confirm: Always}, nil, Rights{Effects: Read, Confirm: Always}, ""},
		"writing without a grant":       {Rights{Effects: Write}, nil, Rights{Effects: Read}, "waits for a grant of effects write"},
		"the network without a grant":   {Rights{Effects: Read, Net: []NetRule{api}}, nil, Rights{Effects: Read}, "waits for a grant of net to https://a.example.com:443"},
		"several things without one":    {Rights{Effects: Read, KV: Quota{Bytes: 1}, Secrets: []Secret{{Ref: "k"}}, Deliver: []Delivery{{Channel: "mail"}}}, nil, Rights{Effects: Read}, "waits for a grant of secret k, kv, deliver by mail"},
		"an empty grant":                {Rights{Effects: Write, Confirm: First}, &Grant{}, Rights{Effects: Write, Confirm: First}, "waits for a grant of effects write: it is granted"},
		"less granted than asked":       {Rights{Effects: Irreversible}, &Grant{Effects: Write}, Rights{Effects: Irreversible}, "waits for a grant of effects irreversible: it is granted write only"},
		"more granted than asked":       {Rights{Effects: Read, Confirm: Never}, &Grant{Effects: Irreversible, Confirm: Never, KV: Quota{Bytes: 5}, Net: []NetRule{api}}, Rights{Effects: Read, Confirm: Never}, ""},
		"a grant that asks more often":  {Rights{Effects: Read, Confirm: Never}, &Grant{Confirm: Always}, Rights{Effects: Read, Confirm: Always}, ""},
		"a grant that asks less often":  {Rights{Effects: Read, Confirm: First}, &Grant{Confirm: Never}, Rights{Effects: Read, Confirm: First}, ""},
		"rules that meet":               {Rights{Effects: Read, Net: []NetRule{api}}, &Grant{Net: []NetRule{private}}, Rights{Effects: Read, Net: []NetRule{both}}, ""},
		"rules for other ports":         {Rights{Effects: Read, Net: []NetRule{api}}, &Grant{Net: []NetRule{otherPort}}, Rights{Effects: Read}, ""},
		"the smaller quota":             {Rights{Effects: Read, KV: Quota{Bytes: 10}}, &Grant{KV: Quota{Bytes: 5}}, Rights{Effects: Read, KV: Quota{Bytes: 5}}, ""},
		"a secret for another host":     {Rights{Effects: Read, Secrets: []Secret{{"k", "X", "a"}}}, &Grant{Secrets: []Secret{{"k", "X", "b"}}}, Rights{Effects: Read}, ""},
		"recipients that both name":     {Rights{Effects: Read, Deliver: []Delivery{{"mail", []string{"a", "b"}}}}, &Grant{Deliver: []Delivery{{"mail", []string{"b", "c"}}}}, Rights{Effects: Read, Deliver: []Delivery{{"mail", []string{"b"}}}}, ""},
		"recipients of another channel": {Rights{Effects: Read, Deliver: []Delivery{{"mail", []string{"a"}}}}, &Grant{Deliver: []Delivery{{"sms", []string{"a"}}}}, Rights{Effects: Read}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, reason := Effective(test.asks, test.grant)
			if !reflect.DeepEqual(got, test.want) || !strings.HasPrefix(reason, test.reason) || (reason == "") != (test.reason == "") {
				t.Errorf("got  %+v, %q\nwant %+v, %q", got, reason, test.want, test.reason)
			}
		})
	}
}

// TestBothPatterns holds that a path matches the common pattern exactly when it matches both.
func TestBothPatterns(t *testing.T) {
	matches := func(pattern, path string) bool {
		if prefix, open := strings.CutSuffix(pattern, "*"); open {
			return strings.HasPrefix(path, prefix)
		}
		return pattern == path
	}
	path := rapid.StringMatching(`/[ab/]{0,4}`)
	pattern := rapid.OneOf(rapid.StringMatching(`/[ab/]{0,4}\*?`), rapid.Just("*"))
	rapid.Check(t, func(t *rapid.T) {
		a, b, p := pattern.Draw(t, "a"), pattern.Draw(t, "b"), path.Draw(t, "path")
		common, ok := narrower(a, b)
		if got, want := ok && matches(common, p), matches(a, p) && matches(b, p); got != want {
			t.Fatalf("%s and %s are %s (%v): path %s matches: %v, want %v", a, b, common, ok, p, got, want)
		}
	})
}
