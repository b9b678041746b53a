package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/loop"
	"chatterbox/runtime/config"
)

// cardServer is a double of a CardDAV server with one address book.
type cardServer struct {
	mu    sync.Mutex
	cards map[string]string // guarded by mu
}

func (s *cardServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	user, password, _ := r.BasicAuth()
	body, _ := io.ReadAll(r.Body)
	switch folder, name := path.Split(r.URL.Path); {
	case user+":"+password != bookLogin:
		http.Error(w, "who is there?", http.StatusUnauthorized)
	case r.Method == http.MethodPut && folder == "/book/":
		s.cards[name] = string(body)
		w.WriteHeader(http.StatusCreated)
	case r.Method == "REPORT" && r.URL.Path == "/book/":
		s.query(w, body)
	default:
		http.NotFound(w, r)
	}
}

func (s *cardServer) query(w http.ResponseWriter, body []byte) {
	var query struct {
		XMLName xml.Name `xml:"urn:ietf:params:xml:ns:carddav addressbook-query"`
		Filter  struct {
			Props []struct {
				Name string `xml:"name,attr"`
				Text string `xml:"text-match"`
			} `xml:"prop-filter"`
		} `xml:"filter"`
	}
	if err := xml.Unmarshal(body, &query); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusMultiStatus)
	fmt.Fprint(w, `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav">`)
	for _, name := range slices.Sorted(maps.Keys(s.cards)) {
		fits := true
		for _, p := range query.Filter.Props {
			fits = fits && strings.Contains(strings.ToLower(s.cards[name]), "\n"+strings.ToLower(p.Name+":")) && strings.Contains(strings.ToLower(s.cards[name]), strings.ToLower(p.Text))
		}
		if fits {
			fmt.Fprintf(w, `<d:response><d:href>/book/%s</d:href><d:propstat><d:prop><card:address-data>`, name)
			_ = xml.EscapeText(w, []byte(s.cards[name]))
			fmt.Fprint(w, `</card:address-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`)
		}
	}
	fmt.Fprint(w, `</d:multistatus>`)
}

const bookLogin = "house:front-door-key"

// newBook makes an address book: on the server that -caldav names, or on a double.
func newBook(t testing.TB) config.Customers {
	t.Helper()
	if *caldavServer == "" {
		server := httptest.NewServer(&cardServer{cards: map[string]string{}})
		t.Cleanup(server.Close)
		user, password, _ := strings.Cut(bookLogin, ":")
		return config.Customers{URL: server.URL + "/book/", User: user, Password: password}
	}
	user, password, _ := strings.Cut(*caldavLogin, ":")
	settings := config.Customers{URL: fmt.Sprintf("%sbook-%d/", *caldavServer, time.Now().UnixNano()), User: user, Password: password}
	if status := dav(t, settings, "MKCOL", settings.URL, `<?xml version="1.0"?><mkcol xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><set><prop>`+
		`<resourcetype><collection/><C:addressbook/></resourcetype></prop></set></mkcol>`); status != http.StatusCreated {
		t.Fatalf("make an address book: %d", status)
	}
	return settings
}

func dav(t testing.TB, settings config.Customers, method, url, body string) (status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(settings.User, settings.Password)
	if method == http.MethodPut {
		request.Header.Set("Content-Type", "text/vcard; charset=utf-8")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// writeCard puts a card into the book, as a telephone would.
func writeCard(t testing.TB, settings config.Customers, name string, lines ...string) {
	t.Helper()
	card := "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:" + name + "\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VCARD\r\n"
	if status := dav(t, settings, http.MethodPut, settings.URL+name+".vcf", card); status != http.StatusCreated {
		t.Fatalf("write %s: %d", name, status)
	}
}

// openBook opens the tool over a configured address book, as the program does.
func openBook(t testing.TB, settings config.Customers, timeout time.Duration) func(t testing.TB, arguments string) string {
	t.Helper()
	box := openConfigured(t, config.Tools{Customers: settings}, timeout)
	return func(t testing.TB, arguments string) string {
		t.Helper()
		call := loop.Call{ID: "1", Name: "lookup_customer", Arguments: arguments}
		return box.Call(t.Context(), call, box.Check(t.Context(), call)).Content
	}
}

func TestCarddavCustomers(t *testing.T) {
	settings := newBook(t)
	writeCard(t, settings, "sarah", "FN:Sarah Johnson", "N:Johnson;Sarah;;;", "TEL;TYPE=CELL:+1 (816) 555-0142", "TEL;TYPE=WORK:+1 816 555 0199",
		"EMAIL:sarah@example.com", "EMAIL;TYPE=WORK:office@example.com", `ADR;TYPE=HOME:;Apt. 4;789 Main Street\; rear;Springfield;IL;62701;USA`, `NOTE:Has a dog\, Rex.\nRing twice.`)
	writeCard(t, settings, "jürgen", "FN:Jürgen Müller", "N:Müller;Jürgen;;;", "item1.TEL:0171 5550199", "item1.X-ABLabel:Garten",
		"NOTE:"+strings.Repeat("Sehr lange Bemerkung", 2)+"\r\n  mit einer gefalteten Zeile & <Zeichen>.")
	writeCard(t, settings, "miller", "FN:Sarah Miller", "N:Miller;Sarah;;;", "EMAIL:miller@example.com")
	writeCard(t, settings, "works", "FN:", "N:;;;;", "ORG:Spring Works;Service", "TEL:555 0177")
	writeCard(t, settings, "ben", "FN:", "N:Johnson;Ben;;;")
	writeCard(t, settings, "family", "FN:Johnsons", "N:Johnsons;;;;", "X-ADDRESSBOOKSERVER-KIND:group", "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:sarah")
	look := openBook(t, settings, 0)
	const sarah = `{"name":"Sarah Johnson","phone":"+1 (816) 555-0142, +1 816 555 0199","email":"sarah@example.com, office@example.com",` +
		`"address":"Apt. 4, 789 Main Street; rear, Springfield, IL, 62701, USA","notes":"Has a dog, Rex. Ring twice."}`
	for arguments, want := range map[string]string{
		`{"name":"sarah johnson"}`:        `{"count":1,"customers":[` + sarah + `]}`,
		`{"phone":"8165550199"}`:          `{"count":1,"customers":[` + sarah + `]}`,
		`{"phone":"+1 816 555 0142"}`:     `"Sarah Johnson"`,
		`{"email":"Office@example.com"}`:  `"Sarah Johnson"`,
		`{"name":"Mueller"}`:              `{"count":1,"customers":[{"name":"Jürgen Müller","phone":"0171 5550199","notes":"Sehr lange BemerkungSehr lange Bemerkung mit einer gefalteten Zeile & <Zeichen>."}]}`,
		`{"name":"Sarah"}`:                `{"count":2,`,
		`{"name":"Spring Works"}`:         `{"count":1,"customers":[{"name":"Spring Works, Service","phone":"555 0177"}]}`,
		`{"name":"Ben"}`:                  `{"count":1,"customers":[{"name":"Ben Johnson"}]}`,
		`{"name":"Johnsons"}`:             `Sarah Johnson`, // not their group
		`{"name":"Sarah","phone":"0142"}`: `There is no such customer`,
		`{"name":"Narnia"}`:               `{"error":"There is no such customer"}`,
	} {
		if got := look(t, arguments); !strings.Contains(got, want) || strings.Contains(got, `"name":"Johnsons"`) {
			t.Errorf("%s: %s, want %s", arguments, got, want)
		}
	}
}

func TestCarddavThatGivesNothing(t *testing.T) {
	settings := newBook(t)
	stranger, elsewhere, down := settings, settings, settings
	stranger.Password = "open-barley"
	elsewhere.URL = strings.TrimSuffix(settings.URL, "/") + "-that-is-not/"
	down.URL = "http://127.0.0.1:1/book/"
	for want, settings := range map[string]config.Customers{
		`{"error":"The address book refused the user name or the password: look at tools.customers.user and tools.customers.password"}`: stranger,
		`{"error":"There is no address book where tools.customers.url says"}`:                                                           elsewhere,
		`{"error":"The address book cannot be reached: `:                                                                                down,
		`{"error":"There is no such customer"}`:                                                                                         settings,
	} {
		if got := openBook(t, settings, 0)(t, `{"name":"Ann"}`); !strings.HasPrefix(got, want) || strings.Contains(got, "open-") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestCarddavServersThatErr holds that each way to answer badly has a sentence.
func TestCarddavServersThatErr(t *testing.T) {
	t.Parallel()
	const late = "The address book did not answer in time"
	for want, answer := range map[string]http.HandlerFunc{
		"The address book answered with 500. Is tools.customers.url one of CardDAV?": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"The address book answered with 200. Is tools.customers.url one of CardDAV?": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>Welcome</html>") },
		"The address book sent an answer that cannot be read":                        func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(207); fmt.Fprint(w, "\xff\xfe") },
		"There is no such customer":                                                  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(207); fmt.Fprint(w, "<response><href>x") },
		late: func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or the server does not see the client leave
			<-r.Context().Done()
		},
	} {
		server := httptest.NewServer(answer)
		timeout := time.Duration(0)
		if want == late {
			timeout = 5 * time.Second
		}
		look := openBook(t, config.Customers{URL: server.URL + "/"}, timeout)
		if got := look(t, `{"name":"Ann"}`); got != `{"error":"`+want+`"}` {
			t.Errorf("%s, want %s", got, want)
		}
		server.Close()
	}
}

// FuzzAddressBook looks for customers in whatever a server sends for an address book.
func FuzzAddressBook(f *testing.F) {
	const begin, end = "<a:response xmlns:a='DAV:'><a:href>/1</a:href><b:address-data>", "</b:address-data></a:response>"
	f.Add(begin+"BEGIN:VCARD\r\nFN:Ann\r\nTEL:tel:+1-816-555-0142\r\nADR:;;a\\;b;;\r\nNOTE:"+strings.Repeat("\\n&#x1;ß", 1000)+end, "ann")
	f.Add(begin+"<![CDATA[N:;;\nitem.ORG:a;b\n FN:\\"+end, "a b")
	f.Add(begin+"KIND:GROUP\nFN:x"+end+begin+":\n.:\n;:\nFN;X=\":\":y"+end, "y")
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(w, body)
	}))
	f.Cleanup(server.Close)
	look := openBook(f, config.Customers{URL: server.URL + "/"}, 0)
	f.Fuzz(func(t *testing.T, given, name string) {
		body = given
		arguments, err := json.Marshal(map[string]string{"name": name, "phone": "0142 555"})
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{string(arguments), `{"name":"ann"}`} {
			ownResult(t, "lookup_customer", look(t, call), "customers")
		}
	})
}

// TestALargeAddressBookIsNarrowed is about a book whose cards, with pictures, are too many bytes for one answer.
func TestALargeAddressBookIsNarrowed(t *testing.T) {
	server := httptest.NewServer(&cardServer{cards: map[string]string{}})
	defer server.Close()
	user, password, _ := strings.Cut(bookLogin, ":")
	settings := config.Customers{URL: server.URL + "/book/", User: user, Password: password}
	for i := range 30 {
		writeCard(t, settings, fmt.Sprint(i), fmt.Sprintf("FN:Person %d O'Neill", i), "N:;;;;", "EMAIL:"+fmt.Sprintf("p%d@example.com", i), "PHOTO;ENCODING=b:"+strings.Repeat("A", 100_000))
	}
	look := openBook(t, settings, 0)
	for arguments, want := range map[string]string{
		`{"name":"Person"}`:           `Too many in the address book fit. Say more of the name`,
		`{"name":"person 17"}`:        `{"count":1,"customers":[{"name":"Person 17 O'Neill","email":"p17@example.com"}]}`,
		`{"email":"p21@example.com"}`: `{"count":1,"customers":[{"name":"Person 21 O'Neill","email":"p21@example.com"}]}`,
		`{"phone":"5550142"}`:         `too large to be searched by telephone number. Say the name, too`,
		`{"name":"Person 1 & <b>"}`:   `There is no such customer`,
	} {
		if got := look(t, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: %.300s, want %s", arguments, got, want)
		}
	}
}
