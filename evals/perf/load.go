package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// client sends requests over one kept connection, with as little work of its own as will do: what it costs is the same
// for everybody who is measured.
type client struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
}

func dial(address string) (*client, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{address: address, conn: conn, reader: bufio.NewReaderSize(conn, 16<<10)}, nil
}

func (c *client) close() { c.conn.Close() }

// post sends body and returns the whole answer.
func (c *client) post(path string, body []byte) ([]byte, error) {
	const head = "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
	request := fmt.Appendf(nil, head, path, c.address, len(body))
	if _, err := c.conn.Write(append(request, body...)); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, answer)
	}
	return answer, err
}

// work is one measured unit: worker is the number of its connection.
type work func(c *client, worker int) error

// result is what a load came to.
type result struct {
	took      time.Duration
	latencies []time.Duration // sorted
}

func (r result) percentile(p float64) time.Duration {
	if len(r.latencies) == 0 {
		return 0
	}
	return r.latencies[min(len(r.latencies)-1, int(p*float64(len(r.latencies))))]
}

func (r result) perSecond() float64 { return float64(len(r.latencies)) / r.took.Seconds() }

// run does total units on so many connections at once. One that fails makes the figures worthless: its error is
// returned.
func run(address string, connections, total int, do work) (result, error) {
	clients := make([]*client, connections)
	for i := range clients {
		c, err := dial(address)
		if err != nil {
			return result{}, err
		}
		defer c.close()
		clients[i] = c
	}
	var (
		mu     sync.Mutex
		all    result // guarded by mu
		failed error  // guarded by mu
		wait   sync.WaitGroup
	)
	began := time.Now()
	for i, c := range clients {
		wait.Go(func() {
			n := total / connections
			own := make([]time.Duration, 0, n)
			var err error
			for range n {
				start := time.Now()
				if err = do(c, i); err != nil {
					break
				}
				own = append(own, time.Since(start))
			}
			mu.Lock()
			defer mu.Unlock()
			all.latencies = append(all.latencies, own...)
			failed = cmp.Or(failed, err)
		})
	}
	wait.Wait()
	all.took = time.Since(began)
	slices.Sort(all.latencies)
	return all, failed
}

// turn asks for one turn of the worker's own conversation and looks that the answer is the model's last one. No rule
// takes the question.
func turn(c *client, worker int) error {
	body := fmt.Appendf(nil, `{"text":"How late is it getting over in Tokyo?","conversation_id":"perf-%d"}`, worker)
	answer, err := c.post("/conversation", body)
	if err == nil && !bytes.Contains(answer, []byte(lastWords)) {
		err = fmt.Errorf("unexpected answer: %s", answer)
	}
	return err
}

// direct2 calls the model twice and does nothing between.
func direct2(c *client, _ int) error {
	for _, body := range []string{askFirst, askLast} {
		answer, err := c.post("/v1/chat/completions", []byte(body))
		if err != nil {
			return err
		}
		if !bytes.Contains(answer, []byte("[DONE]")) {
			return fmt.Errorf("unexpected answer: %s", answer)
		}
	}
	return nil
}
