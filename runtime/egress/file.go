package egress

import (
	"io"
	"net/http"
	"os"
)

// FileBytesMax is what a file may have that [File] serves.
const FileBytesMax = 2 << 20

// File serves a file under one path, for a name that means a part of this process. It is read at each request.
func File(path, file string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		opened, err := os.Open(file)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer opened.Close()
		text, err := io.ReadAll(io.LimitReader(opened, FileBytesMax+1))
		switch {
		case err != nil:
			http.Error(w, "the file cannot be read", http.StatusInternalServerError)
		case len(text) > FileBytesMax:
			http.Error(w, "the file is too large", http.StatusInsufficientStorage)
		default:
			w.Write(text)
		}
	})
}
