package config_test

import (
	"strings"
	"testing"

	"chatterbox/runtime/config"
)

func TestCustomersAreChecked(t *testing.T) {
	for want, customers := range map[string]config.Customers{
		"": {URL: "https://dav.example.org/anna/contacts/", User: "anna", Password: "open-sesame"},
		"tools.customers.url: must end in a slash":   {URL: "https://dav.example.org/anna/contacts"},
		"tools.customers.url: must be a URL":         {URL: "carddav://dav.example.org/"},
		"tools.customers.password: and tools.custom": {URL: "https://dav.example.org/", User: "anna"},
	} {
		configured := config.Default()
		configured.Data, configured.Tools.Customers = "x", customers
		err := config.Validate(configured)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %q", customers, err, want)
		}
	}
}
