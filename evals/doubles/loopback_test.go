package doubles_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"chatterbox/evals/doubles"
)

func TestServe(t *testing.T) {
	address, stop, err := doubles.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "at "+r.URL.Path)
	}))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("others reach it at %s", address)
	}
	response, err := http.Get("http://" + address + "/door")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "at /door" {
		t.Errorf("%q, %v", body, err)
	}
	// A connection that says nothing is no reason to wait.
	idle, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if again, err := net.Dial("tcp", address); err == nil {
		again.Close()
		t.Error("somebody still listens")
	}
}
