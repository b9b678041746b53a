package route

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template/parse"
)

// This file evaluates reply templates. The language is that of text/template as far as a reply needs it: text,
// fields, functions, if, else and with. The parser is the standard library's; its evaluator is not used, because it
// finds methods by name, and a program that does so keeps every method of every type it links: 5 MB of them here.

// reply is a parsed template.
type reply struct {
	root      *parse.ListNode
	functions map[string]function
}

// function is one that templates may call. An argument is what JSON can hold.
type function func(arguments []any) (any, error)

// parseReply parses text and refuses what the evaluator does not know.
func parseReply(text string, functions map[string]function) (*reply, error) {
	names := make(map[string]any, len(functions))
	for name := range functions {
		names[name] = true
	}
	trees, err := parse.Parse("reply", text, "", "", names)
	if err != nil {
		return nil, err
	}
	if len(trees) != 1 {
		return nil, errors.New("a reply cannot define templates")
	}
	r := &reply{root: trees["reply"].Root, functions: functions}
	if err := r.known(r.root); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *reply) known(list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		var pipe *parse.PipeNode
		var branches []*parse.ListNode
		switch node := node.(type) {
		case *parse.TextNode:
			continue
		case *parse.ActionNode:
			pipe = node.Pipe
		case *parse.IfNode:
			pipe, branches = node.Pipe, []*parse.ListNode{node.List, node.ElseList}
		case *parse.WithNode:
			pipe, branches = node.Pipe, []*parse.ListNode{node.List, node.ElseList}
		default:
			return fmt.Errorf("a reply cannot use %s", node)
		}
		if len(pipe.Decl) > 0 {
			return fmt.Errorf("a reply cannot use the variable of %s", pipe)
		}
		for _, branch := range branches {
			if err := r.known(branch); err != nil {
				return err
			}
		}
	}
	return nil
}

// execute writes the reply to data. What the result does not have is an error.
func (r *reply) execute(data any) (string, error) {
	var text strings.Builder
	err := r.list(&text, r.root, data)
	return text.String(), err
}

func (r *reply) list(to *strings.Builder, list *parse.ListNode, dot any) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		if err := r.node(to, node, dot); err != nil {
			return err
		}
		if to.Len() > answerMax {
			return errors.New("the answer is too long")
		}
	}
	return nil
}

func (r *reply) node(to *strings.Builder, node parse.Node, dot any) error {
	switch node := node.(type) {
	case *parse.TextNode:
		to.Write(node.Text)
		return nil
	case *parse.ActionNode:
		value, err := r.pipe(node.Pipe, dot)
		if err != nil {
			return err
		}
		to.WriteString(spoken(value))
		return nil
	case *parse.IfNode:
		return r.branch(to, node.BranchNode, dot, false)
	case *parse.WithNode:
		return r.branch(to, node.BranchNode, dot, true)
	}
	return fmt.Errorf("a reply cannot use %s", node)
}

func (r *reply) branch(to *strings.Builder, node parse.BranchNode, dot any, with bool) error {
	value, err := r.pipe(node.Pipe, dot)
	if err != nil {
		return err
	}
	if !truth(value) {
		return r.list(to, node.ElseList, dot)
	}
	if with {
		dot = value
	}
	return r.list(to, node.List, dot)
}

// pipe evaluates commands from left to right, each with the value before it as its last argument.
func (r *reply) pipe(pipe *parse.PipeNode, dot any) (any, error) {
	var value any
	for i, command := range pipe.Cmds {
		arguments := make([]any, 0, len(command.Args))
		for _, node := range command.Args[1:] {
			argument, err := r.operand(node, dot)
			if err != nil {
				return nil, err
			}
			arguments = append(arguments, argument)
		}
		if i > 0 {
			arguments = append(arguments, value)
		}
		var err error
		if name, ok := command.Args[0].(*parse.IdentifierNode); ok {
			value, err = r.call(name.Ident, arguments)
		} else if len(arguments) > 0 {
			return nil, fmt.Errorf("%s is no function", command.Args[0])
		} else {
			value, err = r.operand(command.Args[0], dot)
		}
		if err != nil {
			return nil, err
		}
	}
	return value, nil
}

func (r *reply) call(name string, arguments []any) (any, error) {
	value, err := r.functions[name](arguments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}

func (r *reply) operand(node parse.Node, dot any) (any, error) {
	switch node := node.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return field(dot, node.Ident)
	case *parse.StringNode:
		return node.Text, nil
	case *parse.BoolNode:
		return node.True, nil
	case *parse.NumberNode:
		return node.Float64, nil
	case *parse.IdentifierNode:
		return r.call(node.Ident, nil)
	case *parse.PipeNode:
		return r.pipe(node, dot)
	case *parse.ChainNode:
		value, err := r.operand(node.Node, dot)
		if err != nil {
			return nil, err
		}
		return field(value, node.Field)
	}
	return nil, fmt.Errorf("a reply cannot use %s", node)
}

func field(value any, path []string) (any, error) {
	for _, name := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("there is no %s in what is no object", name)
		}
		if value, ok = object[name]; !ok {
			return nil, fmt.Errorf("there is no %s", name)
		}
	}
	return value, nil
}

// truth is text/template's: empty, zero, false and null are not.
func truth(value any) bool {
	switch value := value.(type) {
	case nil:
		return false
	case bool:
		return value
	case string:
		return value != ""
	case float64:
		return value != 0
	case []any:
		return len(value) > 0
	case map[string]any:
		return len(value) > 0
	}
	return true
}

// spoken is a value as text.
func spoken(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
