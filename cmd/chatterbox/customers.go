package main

import (
	"io"
	"net/http"
	"os"
)

const (
	customersHost = "customers.internal"
	customersPath = "/" + customersTable
	// customersBytesMax is what a tool may read at once.
	customersBytesMax = 2 << 20
)

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
