package config

import (
	"encoding/json"
	"reflect"
	"time"
)

const (
	durationPattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$|^0$`
	bytesPattern    = `^[0-9]+ ?(KiB|MiB|GiB)?$`
)

type schemaNode = map[string]any

// Schema is the JSON Schema (2020-12) of the configuration file, for editors.
func Schema() []byte {
	root := sectionNode() // an empty file and an empty section are valid
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "The configuration of chatterbox"
	sections := map[string]schemaNode{"": root}
	defaults := Default()
	for _, k := range keys(&defaults) {
		section := schemaSection(sections, k.section())
		section["properties"].(schemaNode)[k.leaf()] = keyNode(k, k.field)
	}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // maps of strings, numbers and maps always have a JSON form
	}
	return append(text, '\n')
}

// schemaSection gives the node of a section and makes it, and those above it, when it is new.
func schemaSection(sections map[string]schemaNode, name string) schemaNode {
	if node, ok := sections[name]; ok {
		return node
	}
	k := key{name: name}
	node := sectionNode()
	schemaSection(sections, k.section())["properties"].(schemaNode)[k.leaf()] = node
	sections[name] = node
	return node
}

func sectionNode() schemaNode {
	return schemaNode{"type": []string{"object", "null"}, "properties": schemaNode{}, "additionalProperties": false}
}

func keyNode(k key, field any) schemaNode {
	node := typeNode(field)
	node["description"] = k.doc
	if len(k.oneOf) > 0 {
		node["enum"] = k.oneOf
	}
	if node["type"] == "integer" || node["type"] == "number" {
		node["minimum"] = k.min
		if k.max > 0 {
			node["maximum"] = k.max
		}
	}
	if _, ok := scalarText(field); ok {
		node["default"] = shown(k.secret, field)
	}
	return node
}

// typeNode says what the file may hold for a field.
func typeNode(field any) schemaNode {
	switch field.(type) {
	case *time.Duration:
		return schemaNode{"type": "string", "pattern": durationPattern}
	case *Bytes:
		return schemaNode{"type": []string{"integer", "string"}, "pattern": bytesPattern, "minimum": 0}
	}
	of := reflect.TypeOf(field).Elem()
	switch of.Kind() {
	case reflect.Bool:
		return schemaNode{"type": "boolean"}
	case reflect.Int:
		return schemaNode{"type": "integer"}
	case reflect.Float64:
		return schemaNode{"type": "number"}
	case reflect.Slice:
		return schemaNode{"type": "array", "items": typeNode(reflect.New(of.Elem()).Interface())}
	case reflect.Map:
		return schemaNode{"type": "object", "additionalProperties": typeNode(reflect.New(of.Elem()).Interface())}
	case reflect.Pointer:
		return itemNode(reflect.New(of.Elem()).Interface())
	case reflect.Struct:
		return itemNode(field)
	}
	return schemaNode{"type": "string"}
}

func itemNode(item any) schemaNode {
	node := sectionNode()
	node["type"] = "object"
	var required []string
	for _, m := range members(item) {
		property := typeNode(m.field)
		property["description"] = m.doc
		node["properties"].(schemaNode)[m.name] = property
		if m.required {
			required = append(required, m.name)
		}
	}
	if required != nil {
		node["required"] = required
	}
	return node
}
