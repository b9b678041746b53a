package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"chatterbox/cmd/chatterbox/cli"
	"chatterbox/loop/toolcall"
)

// decodeLineBytesMax is more than any model's answer with the tools that it was offered.
const decodeLineBytesMax = 32 << 20

func decodeCommand(flags *cli.Flags) *cobra.Command {
	return &cobra.Command{
		Use:   "decode",
		Short: "Say what outputs of models mean: what would run, what goes back to the model, what a person sees",
		Long: "Reads outputs of models from standard input, one JSON object a line with content, tool_calls, " +
			"finish_reason and the tools that were offered, and prints for each which calls would run, which go back " +
			"to the model and why, and the text that a person would see.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			out := bufio.NewWriter(flags.Env.Stdout)
			err := decodeLines(flags.Env.Stdin, out)
			return cmp.Or(err, out.Flush())
		},
	}
}

// writtenOutput is a line of input. Servers give arguments as text, as an object or not at all.
type writtenOutput struct {
	ID        json.RawMessage `json:"id"`
	Content   *string         `json:"content"`
	ToolCalls []struct {
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"tool_calls"`
	FinishReason string          `json:"finish_reason"`
	Tools        []toolcall.Tool `json:"tools"`
}

type decodedOutput struct {
	ID       json.RawMessage `json:"id"`
	Calls    []decodedCall   `json:"calls"`
	Rejected []rejectedCall  `json:"rejected"`
	Text     string          `json:"text"`
}

type decodedCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Repaired  []string        `json:"repaired"`
}

type rejectedCall struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func decodeLines(in io.Reader, to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, decodeLineBytesMax)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var output writtenOutput
		if err := json.Unmarshal(line, &output); err != nil {
			const form = `a line is {"id", "content", "tool_calls", "finish_reason", "tools"}`
			return cli.Usage(form, "line %d: %w", n, err)
		}
		if err := encoder.Encode(output.decode()); err != nil {
			return fmt.Errorf("print the decoded output: %w", err)
		}
	}
	if err := lines.Err(); err != nil {
		return cli.Usage("", "read the outputs: %w", err)
	}
	return nil
}

func (o writtenOutput) decode() decodedOutput {
	answer := toolcall.Answer{Truncated: o.FinishReason == "length"}
	if o.Content != nil {
		answer.Content = *o.Content
	}
	for _, call := range o.ToolCalls {
		written := string(call.Arguments)
		var text string
		if json.Unmarshal(call.Arguments, &text) == nil {
			written = text
		}
		answer.Calls = append(answer.Calls, toolcall.Call{ID: call.ID, Name: call.Name, Arguments: written})
	}
	decoded := toolcall.Decode(answer, o.Tools)
	out := decodedOutput{ID: o.ID, Calls: []decodedCall{}, Rejected: []rejectedCall{}, Text: decoded.Text}
	for _, call := range decoded.Calls {
		reason := call.Rejected
		if reason == "" {
			reason = call.Objection(o.Tools)
		}
		if reason != "" {
			out.Rejected = append(out.Rejected, rejectedCall{call.Name, reason})
			continue
		}
		repaired := append([]string{}, call.Repaired...) // a list, also where it is empty
		out.Calls = append(out.Calls, decodedCall{call.Name, json.RawMessage(call.Arguments), repaired})
	}
	return out
}
