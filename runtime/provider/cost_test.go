package provider_test

import (
	"encoding/json"
	"testing"

	"chatterbox/runtime/provider"
)

func TestTotalsDoNotSayThatUnpricedCallsAreFree(t *testing.T) {
	for name, test := range map[string]struct {
		totals provider.Totals
		want   string
	}{
		"nothing was asked yet":    {provider.Totals{}, `{"calls":0,"prompt_tokens":0,"completion_tokens":0,"unpriced_calls":0,"estimated_cost_usd":0}`},
		"no price is known":        {provider.Totals{Calls: 2, Unpriced: 2}, `{"calls":2,"prompt_tokens":0,"completion_tokens":0,"unpriced_calls":2,"estimated_cost_usd":null}`},
		"some prices are known":    {provider.Totals{Calls: 2, CostUSD: .5, Unpriced: 1}, `{"calls":2,"prompt_tokens":0,"completion_tokens":0,"unpriced_calls":1,"estimated_cost_usd":0.5}`},
		"a local model costs zero": {provider.Totals{Calls: 2}, `{"calls":2,"prompt_tokens":0,"completion_tokens":0,"unpriced_calls":0,"estimated_cost_usd":0}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(test.totals)
			if err != nil || string(got) != test.want {
				t.Errorf("%s, %v; want %s", got, err, test.want)
			}
		})
	}
}
