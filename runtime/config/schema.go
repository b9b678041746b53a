package config

import (
	"encoding/json"
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
	for _, k := range keys() {
		section := schemaSection(sections, k.section())
		section["properties"].(schemaNode)[k.leaf()] = keyNode(k, k.field(&defaults))
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
		node["default"] = shown(k, field)
	}
	return node
}

// typeNode says what the file may hold for a field.
func typeNode(field any) schemaNode {
	switch field.(type) {
	case *bool:
		return schemaNode{"type": "boolean"}
	case *int:
		return schemaNode{"type": "integer"}
	case *float64:
		return schemaNode{"type": "number"}
	case *time.Duration:
		return schemaNode{"type": "string", "pattern": durationPattern}
	case *Bytes:
		return schemaNode{"type": []string{"integer", "string"}, "pattern": bytesPattern, "minimum": 0}
	case *[]string:
		return schemaNode{"type": "array", "items": schemaNode{"type": "string"}}
	case *[]Model:
		item := fieldsNode(modelFields(&Model{}))
		item["required"] = []string{"base_url", "model"}
		return schemaNode{"type": "array", "items": item}
	case *[]Mode:
		item := fieldsNode(modeFields(&Mode{}))
		item["required"] = []string{"name"}
		return schemaNode{"type": "array", "items": item}
	case *map[string]Price:
		return schemaNode{"type": "object", "additionalProperties": fieldsNode(priceFields(&Price{}))}
	case **Price:
		return fieldsNode(priceFields(&Price{}))
	default:
		return schemaNode{"type": "string"}
	}
}

func fieldsNode(fields []namedField) schemaNode {
	node := sectionNode()
	node["type"] = "object"
	for _, f := range fields {
		property := typeNode(f.field)
		property["description"] = f.doc
		node["properties"].(schemaNode)[f.name] = property
	}
	return node
}
