//go:build wasip1

// Command mcpserver is an MCP server as anybody would write it with the public SDK, compiled to WebAssembly by the tests:
//
//	GOOS=wasip1 GOARCH=wasm go build -ldflags=-s ./tools-wasm/testkit/mcpserver
package main

import (
	"context"
	"errors"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type pair struct {
	A int `json:"a"`
	B int `json:"b"`
}

type sum struct {
	Sum int `json:"sum"`
}

func main() {
	s := mcp.NewServer(&mcp.Implementation{Name: "numbers", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "add", Description: "Adds two numbers."},
		func(_ context.Context, _ *mcp.CallToolRequest, in pair) (*mcp.CallToolResult, sum, error) {
			return nil, sum{in.A + in.B}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "divide", Description: "Divides."},
		func(_ context.Context, _ *mcp.CallToolRequest, in pair) (*mcp.CallToolResult, any, error) {
			if in.B == 0 {
				return nil, nil, errors.New("division by zero")
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ok"}}}, nil, nil
		})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
