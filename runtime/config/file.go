package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The file is read from its syntax tree, key by key, so that every mistake is found and has its place. Anchors,
// aliases and tags are refused: nothing here needs them.

const (
	fileMaxBytes  = 64 << 10
	nestingMax    = 32 // the deepest valid file has four levels; the parser's cost grows with the square
	mistakesShown = 50
)

// Parse lays the YAML text over [Default]. Name is what errors call the text. The error is an *[Error] with every
// mistake in the text itself; the values that could be read are in the Config beside it. Parse does not [Validate].
func Parse(name string, text []byte) (Config, error) {
	c := Default()
	_, mistakes := parseInto(&c, name, text)
	return c, asError(mistakes)
}

// parseInto also says where each key that was set stands.
func parseInto(c *Config, name string, text []byte) (map[string]Origin, []Mistake) {
	p := &fileParser{name: name, text: strings.TrimPrefix(string(text), "\ufeff"), config: c, origins: map[string]Origin{}}
	if root := p.root(); root != nil {
		p.section("", root)
	}
	if extra := len(p.mistakes) - mistakesShown; extra > 0 {
		p.mistakes = append(p.mistakes[:mistakesShown],
			Mistake{Source: name, Message: fmt.Sprintf("and %d more mistakes", extra)})
	}
	return p.origins, p.mistakes
}

type fileParser struct {
	name     string
	text     string
	config   *Config
	origins  map[string]Origin
	mistakes []Mistake
}

// root is the document's mapping, or nil when there is none or it cannot be read.
func (p *fileParser) root() ast.Node {
	if problem := unreadable(p.text); problem != "" {
		p.mistakes = append(p.mistakes, Mistake{Source: p.name, Message: problem})
		return nil
	}
	file, err := parser.ParseBytes([]byte(p.text), 0)
	if err != nil {
		p.syntax(err)
		return nil
	}
	var root ast.Node
	for _, document := range file.Docs {
		if document.Body == nil {
			continue
		}
		if root != nil {
			p.add("", document.Body, "only one YAML document is allowed")
			break
		}
		root = document.Body
	}
	return root
}

// unreadable says why the text is not even given to the YAML parser.
func unreadable(text string) string {
	if len(text) > fileMaxBytes {
		return fmt.Sprintf("is larger than %d bytes", fileMaxBytes)
	}
	depth := 0
	for number, line := range strings.Split(text, "\n") {
		if !utf8.ValidString(line) {
			return fmt.Sprintf("line %d is not UTF-8", number+1)
		}
		lists, sections := strings.Count(line, "["), strings.Count(line, "{")
		depth = max(0, depth+lists+sections-strings.Count(line, "]")-strings.Count(line, "}"))
		indented := len(line) - len(strings.TrimLeft(line, " -?\t"))
		if depth > nestingMax || strings.Count(line[:indented], "- ") > nestingMax ||
			lists > 4*nestingMax || sections > 4*nestingMax {
			return fmt.Sprintf("line %d is nested too deeply", number+1)
		}
	}
	return ""
}

// syntax reports what the YAML parser said.
func (p *fileParser) syntax(err error) {
	m := Mistake{Source: p.name, Message: err.Error()}
	var typed yaml.Error
	if errors.As(err, &typed) {
		m.Message = typed.GetMessage()
		if token := typed.GetToken(); token != nil && token.Position != nil {
			m.Line, m.Column = token.Position.Line, token.Position.Column
			m.Excerpt = excerpt(p.text, m.Line, m.Column, true)
		}
	}
	p.mistakes = append(p.mistakes, m)
}

// add reports a mistake at a node.
func (p *fileParser) add(key string, at ast.Node, message string) {
	m := Mistake{Key: key, Source: p.name, Message: message}
	if token := at.GetToken(); token != nil && token.Position != nil {
		m.Line, m.Column = token.Position.Line, token.Position.Column
		m.Excerpt = excerpt(p.text, m.Line, m.Column, key == "" || isSecret(key))
	}
	p.mistakes = append(p.mistakes, m)
}

// section reads the keys of a mapping; prefix is its dotted name with a dot behind it, or "".
func (p *fileParser) section(prefix string, node ast.Node) {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		name := "the file"
		if prefix != "" {
			name = strings.TrimSuffix(prefix, ".")
		}
		p.add("", node, name+" must be a section: keys with their values, one per line")
		return
	}
	for entries := mapping.MapRange(); entries.Next(); {
		keyNode, value := entries.Key(), entries.Value()
		name := prefix + keyNode.GetToken().Value
		if strings.Contains(keyNode.GetToken().Value, ".") {
			p.unknown(name, keyNode)
		} else if k, ok := keyNamed(p.config, name); ok {
			if p.value(name, keyNode, value, k.field) {
				at := keyNode.GetToken().Position
				p.origins[name] = Origin{Kind: FromFile, Name: p.name, Line: at.Line, Column: at.Column}
			}
		} else if isSection(name) {
			if value.Type() != ast.NullType {
				p.section(name+".", value)
			}
		} else {
			p.unknown(name, keyNode)
		}
	}
}

func (p *fileParser) unknown(name string, at ast.Node) {
	message := fmt.Sprintf("unknown key %q", name)
	leaf := name[strings.LastIndexByte(name, '.')+1:]
	if k, ok := keyNamed(&Config{}, at.GetToken().Value); ok && k.section() != "" {
		p.add("", at, fmt.Sprintf("%s; write %s indented below %s:", message, k.leaf(), k.section()))
		return
	}
	candidates := names()
	suggestion := didYouMean(name, candidates)
	for _, candidate := range candidates {
		if suggestion == "" && strings.HasSuffix(candidate, "."+leaf) {
			suggestion = fmt.Sprintf("; did you mean %q?", candidate)
		}
	}
	p.add("", at, message+suggestion)
}

// value reads one value into the field and says whether it could.
func (p *fileParser) value(name string, keyNode, node ast.Node, field any) bool {
	before := len(p.mistakes)
	switch node.Type() {
	case ast.AnchorType, ast.AliasType, ast.TagType:
		p.add(name, node, name+": anchors, aliases and tags are not supported")
		return false
	case ast.NullType:
		p.add(name, keyNode, name+": has no value; write one or remove the line")
		return false
	}
	value := reflect.ValueOf(field).Elem()
	switch value.Kind() {
	case reflect.Slice:
		p.list(name, keyNode, node, value)
	case reflect.Map:
		p.entries(name, keyNode, node, value)
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		p.item(name, keyNode, node, value.Interface())
	case reflect.Struct:
		p.item(name, keyNode, node, field)
	default:
		p.scalar(name, keyNode, node, field)
	}
	return len(p.mistakes) == before
}

func (p *fileParser) scalar(name string, keyNode, node ast.Node, field any) {
	var text string
	switch node := node.(type) {
	case *ast.LiteralNode:
		text = node.Value.Value
	case ast.ScalarNode:
		text = node.GetToken().Value
	default:
		p.add(name, keyNode, name+": must be "+shape(field))
		return
	}
	if err := setScalar(field, text); err != nil {
		p.add(name, node, name+": "+err.Error())
	}
}

func (p *fileParser) list(name string, keyNode, node ast.Node, list reflect.Value) {
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		p.add(name, keyNode, name+": must be "+shape(list.Addr().Interface()))
		return
	}
	n := len(sequence.Values)
	read := reflect.MakeSlice(list.Type(), n, n) // an empty list is not the same as none
	for i, item := range sequence.Values {
		p.value(fmt.Sprintf("%s[%d]", name, i), item, item, read.Index(i).Addr().Interface())
	}
	list.Set(read)
}

// entries adds to a map.
func (p *fileParser) entries(name string, keyNode, node ast.Node, entries reflect.Value) {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		p.add(name, keyNode, name+": must be "+shape(entries.Addr().Interface()))
		return
	}
	for given := mapping.MapRange(); given.Next(); {
		key, entry := given.Key().GetToken().Value, reflect.New(entries.Type().Elem())
		p.value(name+"."+key, given.Key(), given.Value(), entry.Interface())
		entries.SetMapIndex(reflect.ValueOf(key), entry.Elem())
	}
}

// item reads a mapping whose keys are the members of a struct.
func (p *fileParser) item(name string, keyNode, node ast.Node, item any) {
	mapping, ok := node.(ast.MapNode)
	if !ok {
		p.add(name, keyNode, name+": must be "+shape(item))
		return
	}
	var known []string
	fields := map[string]any{}
	for _, m := range members(item) {
		known, fields[m.name] = append(known, m.name), m.field
	}
	for entries := mapping.MapRange(); entries.Next(); {
		given := entries.Key().GetToken().Value
		if field, ok := fields[given]; ok {
			p.value(name+"."+given, entries.Key(), entries.Value(), field)
			continue
		}
		p.add("", entries.Key(), fmt.Sprintf("unknown key %q in %s%s", given, name, didYouMean(given, known)))
	}
}
