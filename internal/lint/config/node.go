package config

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// parser walks the YAML nodes of one file.
type parser struct{ path string }

// wrong is an error at a node.
func (p *parser) wrong(n *yaml.Node, help, format string, args ...any) error {
	return &Error{Path: p.path, Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...), Help: help}
}

// null reports whether nothing was written for a setting: a list whose items
// are all commented out is an empty one.
func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// mapping calls each with the keys and values of a mapping, in file order.
// what names it in errors. Aliases are not followed: a file this small has no
// need of them, and without them it cannot blow up.
func (p *parser) mapping(n *yaml.Node, what string, each func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return p.wrong(n, "write keys and values: key: value", "%s must be a mapping, not %s", what, kind(n))
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return p.wrong(key, "write the key as plain text", "a key of %s is %s", what, kind(key))
		}
		if line, ok := seen[key.Value]; ok {
			return p.wrong(key, "keep one of the two", "duplicate key %q: it is on line %d already", key.Value, line)
		}
		seen[key.Value] = key.Line
		if err := each(key, value); err != nil {
			return err
		}
	}
	return nil
}

// list calls each with the items of a list of texts, in order.
func (p *parser) list(n *yaml.Node, key string, each func(item *yaml.Node, text string) error) error {
	if null(n) {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return p.wrong(n, fmt.Sprintf("write %s: [%q]", key, n.Value), "%s must be a list, not %s", key, kind(n))
	}
	if n.Kind != yaml.SequenceNode {
		return p.wrong(n, fmt.Sprintf("write %s: [..], or one item a line after a dash", key), "%s must be a list, not %s", key, kind(n))
	}
	seen := map[string]int{}
	for _, item := range n.Content {
		text, err := p.text(item, "an item of "+key)
		if err != nil {
			return err
		}
		if line, ok := seen[text]; ok {
			return p.wrong(item, "keep one of the two", "%q stands in %s twice: it is on line %d already", text, key, line)
		}
		seen[text] = item.Line
		if err := each(item, text); err != nil {
			return err
		}
	}
	return nil
}

// text returns a scalar as it is written: off is "off" here, not a boolean.
func (p *parser) text(n *yaml.Node, what string) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", p.wrong(n, "write a single word", "%s must be text, not %s", what, kind(n))
	}
	return n.Value, nil
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if null(n) {
		return "empty"
	}
	return "text"
}
