package worker

import (
	"context"
	"errors"
	"log/slog"
)

// Options say how a [Pool] works.
type Options struct {
	// Workers is how many calls run at once, at most 64; more wait within their deadline. 0 is 16.
	Workers int
	// CacheDir is where compiled modules are kept; empty keeps none. It is made when missing.
	CacheDir string
	Log      *slog.Logger // nil is silent
}

// Status is what a [Pool] is made of.
type Status struct {
	Isolation string `json:"isolation"` // "shared process"
	Engine    string `json:"engine"`    // "compiler" or "interpreter"
	Workers   int    `json:"workers"`
	Modules   int    `json:"modules"` // admitted
	Running   int    `json:"running"` // calls that run now
}

// Pool runs guest calls. All methods may be called by several goroutines at once.
type Pool struct{}

// ErrRefused is what an error of [Pool.Add] wraps when the module itself is not fit; the message says why.
var ErrRefused = errors.New("module refused")

// NewPool makes a pool without modules. It starts nothing.
func NewPool(options Options) (*Pool, error) { return &Pool{}, nil }

// Add admits a module.
func (p *Pool) Add(ctx context.Context, wasm []byte) (Module, error) { return Module{}, ErrRefused }

// Remove forgets a module.
func (p *Pool) Remove(digest string) {}

// Call runs one guest call.
func (p *Pool) Call(ctx context.Context, call Call, host Host) Output {
	return Output{Fault: Refused, Message: "unknown module"}
}

// Status says what the pool is made of.
func (p *Pool) Status() Status { return Status{Isolation: "shared process"} }

// Close ends all calls.
func (p *Pool) Close() error { return nil }
