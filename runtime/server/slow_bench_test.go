package server_test

import (
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatterbox/runtime/server"
)

// BenchmarkBesideSlowClients times requests while a thousand connections drip theirs, half of them the header and half
// the body, a byte every half second each. One that the server closes is opened again. The target of p99 is 200 ms.
func BenchmarkBesideSlowClients(b *testing.B) {
	const slow, rounds = 1000, 10 // a round is the part of them that drips at once
	address := start(b, server.Options{Service: &service{}})
	header := post("X: "+strings.Repeat("a", 4000)+"\r\nContent-Length: 12\r\n", "")
	body := post("Content-Length: 5000\r\n", strings.Repeat(" ", 5000))
	clients := make([]dripping, slow)
	for i := range clients {
		clients[i].address, clients[i].request, clients[i].sent = address, header, 40
		if i%2 == 1 {
			clients[i].request, clients[i].sent = body, len(body)-5000
		}
		clients[i].drip(b)
	}
	done := make(chan struct{})
	var drips sync.WaitGroup
	drips.Go(func() {
		ticker := time.NewTicker(time.Second / 2 / rounds)
		defer ticker.Stop()
		for round := 0; ; round++ {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			for i := round % rounds; i < slow; i += rounds {
				clients[i].drip(b)
			}
		}
	})
	ask(b, "POST", "http://"+address+"/conversation", `{"text":"x"}`)
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if got := ask(b, "POST", "http://"+address+"/conversation", `{"text":"x"}`); got.StatusCode != 200 {
			b.Fatalf("got %d: %s", got.StatusCode, got.body)
		}
		took = append(took, time.Since(began))
	}
	close(done)
	drips.Wait()
	for _, client := range clients {
		client.conn.Close()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// dripping is a client that sends its request byte by byte, the first sent at once.
type dripping struct {
	address, request string
	sent             int // at once

	conn net.Conn // nil at first
	next int
}

// drip sends one byte more, or begins again where the server has closed the connection.
func (d *dripping) drip(b *testing.B) {
	if d.conn != nil {
		if _, err := d.conn.Write([]byte(d.request[d.next : d.next+1])); err == nil {
			d.next++
			return
		}
		d.conn.Close()
	}
	conn, err := net.Dial("tcp", d.address)
	if err != nil {
		b.Errorf("a slow client: %v", err)
		return
	}
	if _, err := conn.Write([]byte(d.request[:d.sent])); err != nil {
		b.Errorf("a slow client: %v", err)
	}
	d.conn, d.next = conn, d.sent
}
