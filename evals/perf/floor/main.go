// Command floor does what one turn of chatterbox does with nothing but the libraries: a fasthttp front, the last twenty
// turns out of SQLite, two streamed go-openai calls, one call of a kept WebAssembly instance, one durable commit. It
// decides nothing and checks nothing; what chatterbox costs beyond it is chatterbox's own.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/valyala/fasthttp"
	_ "modernc.org/sqlite"
)

func main() {
	data := flag.String("data", "", "database file")
	model := flag.String("model", "", "base URL of the model")
	guest := flag.String("guest", "", "reactor module to call")
	flag.Parse()
	if err := serve(*data, *model, *guest); err != nil {
		log.Fatal(err)
	}
}

func serve(data, model, guest string) error {
	store, err := open(data)
	if err != nil {
		return err
	}
	defer store.db.Close()
	wasm, err := os.ReadFile(guest)
	if err != nil {
		return err
	}
	tool, err := instantiate(context.Background(), wasm)
	if err != nil {
		return err
	}
	config := goopenai.DefaultConfig("")
	config.BaseURL = model
	config.HTTPClient = &http.Client{Transport: drained{&http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256}}}
	f := &floor{store: store, tool: tool, model: goopenai.NewClientWithConfig(config)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	return (&fasthttp.Server{Handler: f.turn}).Serve(listener)
}

type floor struct {
	store *store
	tool  *reactor
	model *goopenai.Client
}

type body struct {
	Text           string `json:"text"`
	ConversationID string `json:"conversation_id"`
}

func (f *floor) turn(ctx *fasthttp.RequestCtx) {
	var request body
	if err := json.Unmarshal(ctx.PostBody(), &request); err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadRequest)
		return
	}
	answer, err := f.answer(context.Background(), request)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	encoded, _ := json.Marshal(map[string]any{
		"response_text": answer, "conversation_id": request.ConversationID, "extra": struct{}{},
	})
	ctx.SetContentType("application/json")
	ctx.SetBody(encoded)
}

var offered = []goopenai.Tool{{Type: "function", Function: &goopenai.FunctionDefinition{
	Name: "get_current_datetime", Description: "The current date and time",
	Parameters: json.RawMessage(`{"type":"object","properties":{"timezone":{"type":"string"}}}`),
}}}

type message = goopenai.ChatCompletionMessage

func (f *floor) answer(ctx context.Context, request body) (string, error) {
	messages, err := f.store.load(ctx, request.ConversationID)
	if err != nil {
		return "", err
	}
	messages = append(messages, message{Role: "user", Content: request.Text})
	first, err := f.complete(ctx, messages)
	if err != nil {
		return "", err
	}
	messages = append(messages, first)
	for _, call := range first.ToolCalls {
		input := `{"name":"` + call.Function.Name + `","arguments":` + call.Function.Arguments + `}`
		result, err := f.tool.call(ctx, []byte(input))
		if err != nil {
			return "", err
		}
		messages = append(messages, message{Role: "tool", ToolCallID: call.ID, Content: string(result)})
	}
	last, err := f.complete(ctx, messages)
	if err != nil {
		return "", err
	}
	return last.Content, f.store.append(ctx, request.ConversationID, request.Text, last.Content)
}

func (f *floor) complete(ctx context.Context, messages []message) (message, error) {
	answer := message{Role: "assistant"}
	request := goopenai.ChatCompletionRequest{Model: "mock", Messages: messages, Tools: offered, Stream: true}
	stream, err := f.model.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return answer, err
	}
	defer stream.Close()
	var text strings.Builder
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			answer.Content = text.String()
			return answer, nil
		}
		if err != nil {
			return answer, err
		}
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
			for _, call := range choice.Delta.ToolCalls {
				if call.ID != "" {
					first := goopenai.ToolCall{ID: call.ID, Type: "function"}
					first.Function.Name = call.Function.Name
					answer.ToolCalls = append(answer.ToolCalls, first)
				}
				answer.ToolCalls[len(answer.ToolCalls)-1].Function.Arguments += call.Function.Arguments
			}
		}
	}
}

// drained reads a stream to its end on Close, so that its connection is kept.
type drained struct{ http.RoundTripper }

func (d drained) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := d.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = drainedBody{response.Body}
	}
	return response, err
}

type drainedBody struct{ io.ReadCloser }

func (b drainedBody) Close() error {
	_, _ = io.CopyN(io.Discard, b.ReadCloser, 4096)
	return b.ReadCloser.Close()
}

// reactor keeps instances of one module.
type reactor struct {
	engine   wazero.Runtime
	compiled wazero.CompiledModule
	idle     sync.Pool
}

func instantiate(ctx context.Context, wasm []byte) (*reactor, error) {
	engine := wazero.NewRuntime(ctx)
	host := engine.NewHostModuleBuilder("chatterbox")
	for _, name := range []string{"http_request", "kv_get", "kv_set", "log", "now", "secret_exists", "deliver"} {
		length := func(context.Context, api.Module, uint32, uint32) int32 { return int32(len(clock)) }
		host.NewFunctionBuilder().WithFunc(length).Export(name)
	}
	host.NewFunctionBuilder().WithFunc(func(_ context.Context, module api.Module, at uint32) int32 {
		module.Memory().Write(at, []byte(clock))
		return int32(len(clock))
	}).Export("read")
	if _, err := host.Instantiate(ctx); err != nil {
		return nil, err
	}
	compiled, err := engine.CompileModule(ctx, wasm)
	if err != nil {
		return nil, err
	}
	return &reactor{engine: engine, compiled: compiled}, nil
}

// clock is what the host function now answers.
const clock = `{"zone":"Asia/Tokyo","known":true,"datetime_iso":"2026-02-20T23:35:00+09:00","date":"2026-02-20","time":"23:35:00","day_of_week":"Friday","unix":1771598100}`

func (r *reactor) call(ctx context.Context, input []byte) ([]byte, error) {
	module, _ := r.idle.Get().(api.Module)
	if module == nil {
		var err error
		config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
		if module, err = r.engine.InstantiateModule(ctx, r.compiled, config); err != nil {
			return nil, err
		}
	}
	at, err := module.ExportedFunction("alloc").Call(ctx, uint64(len(input)))
	if err != nil {
		return nil, err
	}
	module.Memory().Write(uint32(at[0]), input)
	packed, err := module.ExportedFunction("execute").Call(ctx, at[0], uint64(len(input)))
	if err != nil {
		return nil, err
	}
	result, ok := module.Memory().Read(uint32(packed[0]>>32), uint32(packed[0]))
	if !ok {
		return nil, errors.New("result outside memory")
	}
	result = append([]byte(nil), result...)
	r.idle.Put(module)
	return result, nil
}

// store is the history: one row a turn.
type store struct {
	db      *sql.DB
	pending chan commit
}

type commit struct {
	id, user, assistant string
	done                chan error
}

func open(path string) (*store, error) {
	const settings = "?_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=busy_timeout(5000)"
	db, err := sql.Open("sqlite", "file:"+path+settings)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(`CREATE TABLE IF NOT EXISTS turn (n INTEGER PRIMARY KEY, id TEXT, user TEXT, assistant TEXT);
		CREATE INDEX IF NOT EXISTS of ON turn (id, n)`); err != nil {
		return nil, err
	}
	s := &store{db: db, pending: make(chan commit, 256)}
	go s.write()
	return s, nil
}

func (s *store) load(ctx context.Context, id string) ([]message, error) {
	messages := []message{{Role: "system", Content: "You are a helpful voice assistant."}}
	rows, err := s.db.QueryContext(ctx,
		`SELECT user, assistant FROM (SELECT * FROM turn WHERE id = ? ORDER BY n DESC LIMIT 20) ORDER BY n`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var user, assistant string
		if err := rows.Scan(&user, &assistant); err != nil {
			return nil, err
		}
		messages = append(messages, message{Role: "user", Content: user}, message{Role: "assistant", Content: assistant})
	}
	return messages, rows.Err()
}

func (s *store) append(_ context.Context, id, user, assistant string) error {
	c := commit{id, user, assistant, make(chan error, 1)}
	s.pending <- c
	return <-c.done
}

// write commits all turns that wait as one.
func (s *store) write() {
	for first := range s.pending {
		batch := []commit{first}
		for len(s.pending) > 0 && len(batch) < 64 {
			batch = append(batch, <-s.pending)
		}
		err := s.commit(batch)
		for _, c := range batch {
			c.done <- err
		}
	}
}

func (s *store) commit(batch []commit) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, c := range batch {
		const insert = `INSERT INTO turn (id, user, assistant) VALUES (?, ?, ?)`
		if _, err := tx.Exec(insert, c.id, c.user, c.assistant); err != nil {
			return err
		}
	}
	return tx.Commit()
}
