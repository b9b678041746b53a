package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"chatterbox/runtime/config"
	"chatterbox/runtime/toolbox"
)

const (
	customersTool = "lookup_customer"
	customersHost = "customers.internal"
	customersPath = "/customers.csv"
	// customersBytesMax is what a tool may read at once.
	customersBytesMax = 2 << 20
)

func customersFile(settings config.Config) string {
	return filepath.Join(settings.Data, filepath.Base(customersPath))
}

// customers hands the table of customers to the tool that looks into it. The file is read at each request.
func customers(file string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != customersPath {
			http.NotFound(w, r)
			return
		}
		opened, err := os.Open(file)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer opened.Close()
		text, err := io.ReadAll(io.LimitReader(opened, customersBytesMax+1))
		switch {
		case err != nil:
			http.Error(w, "the file cannot be read", http.StatusInternalServerError)
		case len(text) > customersBytesMax:
			http.Error(w, "the file is too large", http.StatusInsufficientStorage)
		default:
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			w.Write(text)
		}
	})
}

// builtinBlocked says which built-in tools wait for something, and for what.
func builtinBlocked(settings config.Config) map[string]string {
	blocked := homeBlocked(settings.Tools.Home)
	if _, err := os.Stat(customersFile(settings)); err != nil && settings.Tools.Customers.URL == "" {
		blocked[customersTool] = "waits for customers: put a table with the columns name, phone, email and address into " +
			customersFile(settings) + " and start again, or set tools.customers.url to a CardDAV address book"
	}
	return blocked
}

func customersEnv(settings config.Customers) map[string]string {
	if settings.URL == "" {
		return nil
	}
	return map[string]string{"ADDRESS_BOOK_URL": settings.URL}
}

const customersLoginRef = "customers_login"

// customersSecrets lets the configured login go along to the address book's server.
func customersSecrets(settings config.Customers) map[string][]toolbox.Secret {
	u, err := url.Parse(settings.URL)
	if settings.User == "" || err != nil || u.Hostname() == "" {
		return nil
	}
	return map[string][]toolbox.Secret{customersTool: {{Ref: customersLoginRef, Header: "Authorization", OnlyTo: u.Hostname()}}}
}
