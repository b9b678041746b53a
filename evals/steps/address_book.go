package steps

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"sync"
)

// What the product is told of the address book.
const (
	bookPath     = "/customers/"
	bookUser     = "office"
	bookPassword = "password-of-the-office"
)

// addressBook is a double of a CardDAV server, which gives all its cards to each query.
type addressBook struct {
	mu     sync.Mutex
	cards  []string // guarded by mu
	status int      // guarded by mu; of all answers, 0 is in order
}

func (b *addressBook) put(card string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cards = append(b.cards, card)
}

func (b *addressBook) fail(status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.status = status
}

func (b *addressBook) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	user, password, _ := in.BasicAuth()
	switch {
	case b.status != 0:
		out.WriteHeader(b.status)
	case user != bookUser || password != bookPassword:
		out.WriteHeader(http.StatusUnauthorized)
	case in.Method != "REPORT" || in.URL.Path != bookPath:
		out.WriteHeader(http.StatusNotFound)
	default:
		out.WriteHeader(http.StatusMultiStatus)
		fmt.Fprint(out, `<multistatus xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav">`)
		for i, card := range b.cards {
			fmt.Fprintf(out, `<response><href>%s%d.vcf</href><propstat><prop><C:address-data>`, bookPath, i)
			_ = xml.EscapeText(out, []byte(card))
			fmt.Fprint(out, `</C:address-data></prop><status>HTTP/1.1 200 OK</status></propstat></response>`)
		}
		fmt.Fprint(out, `</multistatus>`)
	}
}
