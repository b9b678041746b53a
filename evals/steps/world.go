package steps

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"chatterbox/evals/doubles"
	"chatterbox/evals/mockllm"
	"chatterbox/evals/run"
	"chatterbox/evals/scenario"
)

// modelName is what the product is told the model is called.
const modelName = "scripted"

// defaultConversation is the conversation of a scenario that names none.
const defaultConversation = "conversation"

// world is everything around the product in one scenario. The product starts when it is first needed, so that the
// steps before can still decide its settings. Steps run one after the other; only turns said at the same time
// overlap.
type world struct {
	product  Product
	settings Settings
	client   *http.Client

	weather  *doubles.Weather
	places   map[string]bool // that the scenario has put there
	latitude float64         // of the last of them
	house    *doubles.House
	book     addressBook
	model    *mockllm.Server
	script   scenario.Script // for the next turn

	modelWindow int // tokens that the model's server reads; 0 is all

	modelIsGone  atomic.Bool  // connections to the model are closed without an answer
	modelDropped atomic.Int64 // connections so closed

	calendarElsewhere bool        // the product uses the calendar through a server of the scenario
	calendarIsBroken  atomic.Bool // that server is out of order

	passed time.Duration // by which the product's clock was moved on

	instance Instance
	stops    []func() error // in the order of starting

	turns    map[string]*turn // the last of each conversation
	last     *turn            // of any conversation
	response response         // of the last plain request
}

// turn is one exchange with the product.
type turn struct {
	conversation string
	reply        run.Reply
	events       []streamEvent     // of a streamed answer
	asked        []mockllm.Request // of the model, in the order of their arrival
	dropped      int               // connections that the model closed without an answer
}

// tried is how often the model's server was asked, retries included.
func (t *turn) tried() int { return len(t.asked) + t.dropped }

func newWorld(product Product) *world {
	return &world{
		product: product, client: &http.Client{Transport: &http.Transport{}},
		settings: Settings{Model: modelName},
		weather:  doubles.NewWeather(), places: map[string]bool{},
		house: doubles.NewHouse(doubles.HouseOptions{Token: homeToken, Location: "Home"}),
		model: mockllm.New(nil, mockllm.Options{}),
		turns: map[string]*turn{},
	}
}

func (w *world) started() bool { return w.instance.URL != "" }

// start starts model, weather service and product, where they do not run yet.
func (w *world) start(ctx context.Context) error {
	if w.started() {
		return nil
	}
	if w.settings.Data == "" {
		if err := w.prepare(); err != nil {
			return err
		}
	}
	instance, err := w.product(ctx, w.settings)
	if err != nil {
		return fmt.Errorf("start the product: %w", err)
	}
	w.instance = instance
	return nil
}

// prepare starts what the product needs to run.
func (w *world) prepare() error {
	data, err := os.MkdirTemp("", "scenario-")
	if err != nil {
		return err
	}
	w.stops = append(w.stops, func() error { return os.RemoveAll(data) })
	mux := http.NewServeMux()
	mux.Handle(doubles.SearchPath, w.weather)
	mux.Handle(doubles.ForecastPath, w.weather)
	mux.Handle(doubles.HousePath, w.house)
	mux.Handle(bookPath, &w.book)
	mux.HandleFunc(calendarPath, w.serveCalendar)
	mux.HandleFunc("/", w.serveModel)
	address, stop, err := doubles.Serve(mux)
	if err != nil {
		return err
	}
	w.stops = append(w.stops, stop)
	s, at := &w.settings, "http://"+address
	s.Data, s.GeocodingURL, s.ForecastURL = data, at+doubles.SearchPath, at+doubles.ForecastPath
	if s.HomeToken != "" {
		s.HomeURL = at
	}
	if s.CustomersUser != "" {
		s.CustomersURL = at + bookPath
	}
	if w.calendarElsewhere {
		s.CalendarURL = at + calendarPath
	}
	if s.Model != "" {
		s.ModelURL = at + "/v1"
	}
	return nil
}

// calendarPath is where the product's own calendar is.
const calendarPath = "/dav/calendars/home/"

// serveCalendar is another server with the calendar of the product itself behind it, unless it is out of order.
func (w *world) serveCalendar(out http.ResponseWriter, in *http.Request) {
	product, err := url.Parse(w.instance.URL)
	if err != nil || w.calendarIsBroken.Load() {
		http.Error(out, "out of order", http.StatusServiceUnavailable)
		return
	}
	proxy := httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(product) }}
	proxy.ServeHTTP(out, in)
}

// serveModel leads to the model, unless it cannot be reached.
func (w *world) serveModel(out http.ResponseWriter, in *http.Request) {
	if w.modelIsGone.Load() {
		w.modelDropped.Add(1)
		panic(http.ErrAbortHandler)
	}
	w.model.ServeHTTP(out, in)
}

// restart ends the product and starts it again with the same settings, so with the same data.
func (w *world) restart(ctx context.Context) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	if err := w.end(); err != nil {
		return err
	}
	return w.start(ctx)
}

// pass moves the clock of the product on.
func (w *world) pass(ctx context.Context, n int, unit string) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	if w.instance.Pass == nil {
		return errors.New("the clock of this product cannot be moved")
	}
	by := time.Duration(n) * map[string]time.Duration{"seconds": time.Second, "minutes": time.Minute}[unit]
	if err := w.instance.Pass(by); err != nil {
		return err
	}
	w.passed += by
	return nil
}

// now is the time by which conversations go.
func (w *world) now() time.Time { return time.Now().Add(w.passed) }

// end stops the product.
func (w *world) end() error {
	w.client.CloseIdleConnections()
	err := w.instance.Stop()
	w.instance = Instance{}
	if err != nil {
		return fmt.Errorf("stop the product: %w", err)
	}
	return nil
}

// close ends the scenario: what still runs is stopped, and replies of the model that no turn asked for are an error.
func (w *world) close() error {
	var problems []error
	if len(w.script.Replies) > 0 {
		left := len(w.script.Replies)
		problems = append(problems, fmt.Errorf("%d replies of the model are left that no turn came for", left))
	}
	if w.started() {
		problems = append(problems, w.end())
	}
	w.model.Close()
	for i := len(w.stops) - 1; i >= 0; i-- {
		problems = append(problems, w.stops[i]())
	}
	return errors.Join(problems...)
}

// say has one turn: the script so far is what the model replies in it, all of it and nothing else.
func (w *world) say(ctx context.Context, text, conversation string) error {
	return w.exchange(ctx, spoken{conversation: conversation, text: text})
}

// exchange has turns, all at once. What the model was asked is that of all of them.
func (w *world) exchange(ctx context.Context, said ...spoken) error {
	if err := w.start(ctx); err != nil {
		return err
	}
	w.giveScript()
	turns, problems := make([]turn, len(said)), make([]error, len(said))
	var group sync.WaitGroup
	for i, s := range said {
		group.Go(func() { turns[i], problems[i] = w.converse(ctx, s) })
	}
	group.Wait()
	for i := range turns {
		current := &turns[i]
		current.asked, current.dropped = w.model.Requests(), int(w.modelDropped.Load())
		w.turns[current.conversation], w.last = current, current
	}
	return errors.Join(append(problems, w.model.Err())...)
}

func (w *world) giveScript() {
	for i := range w.script.Replies {
		w.script.Replies[i].Window = w.modelWindow
	}
	w.model.SetScript(&mockllm.Script{Name: "the model's script", Replies: w.script.Replies})
	w.script = scenario.Script{}
	w.modelDropped.Store(0)
}

// spoken fails where there is no turn that the steps after it can speak of.
func (w *world) spoken() error { return unless(w.last != nil, "nobody has said anything yet") }

// answer is what the person heard last.
func (w *world) answer() string { return w.last.reply.ResponseText }

// trace is what the product says it did in the last turn.
func (w *world) trace() *run.Trace { return w.last.reply.Trace }
