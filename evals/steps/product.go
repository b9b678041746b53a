package steps

import (
	"context"
	"time"
)

// Product starts what is judged with settings and returns when it listens. It is called by several goroutines at
// once.
type Product func(ctx context.Context, settings Settings) (Instance, error)

// Instance is a product that runs.
type Instance struct {
	URL  string        // of its HTTP API, without a slash at the end
	Stop func() error  // ends it in order and waits; an error when it did not end well
	Log  func() string // what it logged so far
	// Pass moves the clock on by which conversations tell the time, for this start and those after it; nil where a
	// product's clock cannot be moved.
	Pass func(time.Duration) error
}

// Settings are what a scenario decides about the product. A zero value leaves a setting at the product's default.
type Settings struct {
	Data         string // folder that keeps the conversations; given, and empty at the first start
	ModelURL     string // base URL of the OpenAI-compatible model; empty is no model at all
	Model        string // its name
	GeocodingURL string
	ForecastURL  string

	CalendarURL string // of a CalDAV calendar; empty is the product's own

	HomeURL, HomeToken string // of Home Assistant; empty is none
	HomeLocation       string // where the house is

	CustomersURL                     string // of a CardDAV address book; empty is none
	CustomersUser, CustomersPassword string

	HistoryTurns    int
	ModelCalls      int // of one turn
	ToolCalls       int // of one turn
	ToolsOffered    int // at once
	ToolTimeout     time.Duration
	NoConversations bool   // an id is not made for who gives none
	NoReuse         bool   // results of tools are not cached
	ModelWords      bool   // what workflows say is worded by the model
	ModelAnswers    bool   // and so is what commands gave that ran by rule
	Strategy        string // which parts take a turn; empty is all
	Timezone        string // of the house
	Mode            string // where conversations begin
}
