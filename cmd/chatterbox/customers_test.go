package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatterbox/loop"
	"chatterbox/runtime/config"
	"chatterbox/runtime/egress"
	"chatterbox/runtime/toolbox"
)

const customerTable = "\ufeffName;Phone Number;E-Mail;Address;Rating\r\n" +
	"Sarah Johnson;+1 (816) 555-0142;sarah@example.com;\"789 Main Street; Apt. 4\";5\r\n" +
	"\r\n" +
	"\"Jürgen \"\"Jay\"\" Müller\";0171 5550199;;\"Ring 3\n1010 Wien\";\r\n" +
	"Sarah Miller;;miller@example.com;;\n" +
	"Ben Johnson;555-0177"

// TestCustomersAreLookedUp runs the real tool over a table as spreadsheets write it.
func TestCustomersAreLookedUp(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, config.CustomersFile)
	waits := func() string {
		tools := openBuiltin(t, nil, configured(config.Config{Data: data})).Tools()
		return tools[slices.IndexFunc(tools, func(tool toolbox.Info) bool { return tool.Name == "lookup_customer" })].Reason
	}
	if reason := waits(); !strings.Contains(reason, file) || !strings.Contains(reason, "or tools.customers.url") {
		t.Errorf("without a table it %q", reason)
	}
	look := openCustomers(t, file)
	call := func(arguments string) string { return look(t, arguments) }
	if got := call(`{"name":"x"}`); got != `{"error":"There is no file customers.csv in the data folder"}` {
		t.Errorf("without a table: %s", got)
	}
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(customerTable)
	if reason := waits(); reason != "" {
		t.Errorf("with a table it %q", reason)
	}
	for arguments, want := range map[string]string{
		`{"name":"sarah johnson"}`:                 `{"count":1,"customers":[{"name":"Sarah Johnson","phone":"+1 (816) 555-0142","email":"sarah@example.com","address":"789 Main Street; Apt. 4"}]}`,
		`{"name":"Muller"}`:                        `{"error":"There is no such customer"}`,
		`{"name":"Mueller"}`:                       `{"count":1,"customers":[{"name":"Jürgen \"Jay\" Müller","phone":"0171 5550199","address":"Ring 3\u000A1010 Wien"}]}`,
		`{"name":"Sarah"}`:                         `{"count":2,"customers":[{"name":"Sarah Johnson","phone":"+1 (816) 555-0142","email":"sarah@example.com","address":"789 Main Street; Apt. 4"},{"name":"Sarah Miller","email":"miller@example.com"}]}`,
		`{"phone":"8165550142"}`:                   `"Sarah Johnson"`,
		`{"phone":"+43 171 5550199"}`:              `Müller`,
		`{"phone":"0142"}`:                         `There is no such customer`,
		`{"email":"MILLER@example.com"}`:           `"Sarah Miller"`,
		`{"name":"Johnson","phone":"555 0177"}`:    `"Ben Johnson"`,
		`{"name":"Johnson","phone":"555 017 999"}`: `There is no such customer`,
		`{}`: `Say who is meant: name, phone or email`,
	} {
		if got := call(arguments); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
	many := "name,phone\n"
	for i := range 9 {
		many += fmt.Sprintf("Ann Lee %d,\n", i)
	}
	for text, want := range map[string]string{
		many:                 `"error":"Many customers fit. Say more of the name, or the phone number","candidates":[{"name":"Ann Lee 0"},`,
		"phone,email\n1,2\n": "The first line of customers.csv must name the columns",
		"":                   "The first line of customers.csv must name the columns",
		"name\n\"Ann":        `{"count":1,"customers":[{"name":"Ann"}]}`,
		strings.Repeat("Ann\n", egress.FileBytesMax/4+1): "not too large",
	} {
		write(text)
		if got := call(`{"name":"Ann"}`); !strings.Contains(got, want) {
			t.Errorf("%.20q: %.200s, want %s", text, got, want)
		}
	}
}

func openCustomers(t testing.TB, file string) func(t testing.TB, arguments string) string {
	t.Helper()
	box := openBuiltin(t, map[string]http.Handler{customersHost: egress.File("/"+config.CustomersFile, file)}, toolbox.Options{
		Setting: func(name string) ([]string, string) {
			if name != config.CustomersFile {
				return nil, name
			}
			return []string{file}, name
		},
	})
	return func(t testing.TB, arguments string) string {
		t.Helper()
		call := loop.Call{ID: "1", Name: "lookup_customer", Arguments: arguments}
		result := box.Call(t.Context(), call, box.Check(t.Context(), call))
		if !json.Valid([]byte(result.Content)) {
			t.Errorf("%s: %s", arguments, result.Content)
		}
		return result.Content
	}
}
