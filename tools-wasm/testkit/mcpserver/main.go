//go:build wasip1

// Command mcpserver is an MCP server as anybody would write it with the public SDK. The tests compile it with
//
//	GOOS=wasip1 GOARCH=wasm go build -ldflags=-s
package main

import (
	"context"
	"errors"
	"log"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type pair struct {
	A int `json:"a"`
	B int `json:"b"`
}

type sum struct {
	Sum int `json:"sum"`
}

func add(_ context.Context, _ *mcp.CallToolRequest, in pair) (*mcp.CallToolResult, sum, error) {
	return nil, sum{in.A + in.B}, nil
}

func divide(_ context.Context, _ *mcp.CallToolRequest, in pair) (*mcp.CallToolResult, any, error) {
	if in.B == 0 {
		return nil, nil, errors.New("division by zero")
	}
	text := &mcp.TextContent{Text: strconv.Itoa(in.A / in.B)}
	return &mcp.CallToolResult{Content: []mcp.Content{text}}, nil, nil
}

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "numbers", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Description: "Adds two numbers."}, add)
	mcp.AddTool(server, &mcp.Tool{Name: "divide", Description: "Divides a number by another."}, divide)
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
