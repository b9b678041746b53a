package doubles

import (
	"encoding/json"
	"net/http"
	"sync"
)

// failing is how a service misbehaves where a test wants it to.
type failing struct {
	lock   sync.Mutex
	status int  // guarded by lock; of every answer, 0 is the ordinary one
	silent bool // guarded by lock
}

// Fail makes every later request answer with an HTTP status; 0 is the ordinary answer again.
func (f *failing) Fail(status int) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.status = status
}

// Silence makes every later request wait until its client gives up.
func (f *failing) Silence() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.silent = true
}

// fails is the status to fail with, 0 for none. A silent service waits until the client leaves, and does not answer.
func (f *failing) fails(r *http.Request) (status int, answers bool) {
	f.lock.Lock()
	status, silent := f.status, f.silent
	f.lock.Unlock()
	if silent {
		<-r.Context().Done()
	}
	return status, !silent
}

func reply(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}
