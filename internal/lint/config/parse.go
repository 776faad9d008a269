package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"skills/internal/loader"
	"skills/internal/spec"
	"skills/internal/suggest"
)

// keys are the settings there are, in the order in which they are listed.
var keys = []string{"profile", "client", "rules", "exclude"}

// Parse reads the text of a configuration; path is only how errors name it.
// Every setting that cannot be meant is an *Error with its place: a key, rule,
// client, profile or level there is not, one given twice, a list where text
// belongs. An empty text is the zero configuration.
func Parse(path string, src []byte) (Config, error) {
	c := Config{Levels: map[string]spec.Level{}}
	p := &parser{path: path}
	var doc yaml.Node
	if !utf8.Valid(src) {
		return c, &Error{Path: path, Message: "is not valid UTF-8", Help: "save it as UTF-8"}
	}
	if err := yaml.Load(src, &doc); err != nil {
		if blank(src) {
			return c, nil
		}
		return c, p.syntax(err)
	}
	if len(doc.Content) == 0 || null(doc.Content[0]) {
		return c, nil
	}
	err := p.mapping(doc.Content[0], "the configuration", func(key, value *yaml.Node) error {
		switch key.Value {
		case "profile":
			return p.profile(value, &c)
		case "client":
			return p.clients(value, &c)
		case "rules":
			return p.rules(value, &c)
		case "exclude":
			return p.exclude(value, &c)
		}
		if key.Value == "hooks" {
			return p.wrong(key, "put them into your own configuration, or name them with skills run --hook", "hooks cannot come from a repository")
		}
		return p.wrong(key, nearest(key.Value, keys), "unknown key %q", key.Value)
	})
	return c, err
}

func (p *parser) profile(value *yaml.Node, c *Config) error {
	text, err := p.text(value, "profile")
	if err != nil || null(value) {
		return err
	}
	known := []string{string(spec.ProfileSpec), string(spec.ProfileReference)}
	for _, name := range known {
		if text == name {
			c.Profile = spec.Profile(name)
			return nil
		}
	}
	return p.wrong(value, nearest(text, known), "unknown profile %q", text)
}

func (p *parser) clients(value *yaml.Node, c *Config) error {
	var known []string
	for _, k := range spec.Clients() {
		known = append(known, k.ID)
	}
	return p.list(value, "client", func(item *yaml.Node, text string) error {
		for _, id := range known {
			if text == id {
				c.Clients = append(c.Clients, id)
				return nil
			}
		}
		return p.wrong(item, nearest(text, known), "unknown client %q", text)
	})
}

func (p *parser) rules(value *yaml.Node, c *Config) error {
	if null(value) {
		return nil
	}
	return p.mapping(value, "rules", func(key, value *yaml.Node) error {
		if spec.FindRule(key.Value) == nil {
			var known []string
			for _, r := range spec.Rules() {
				known = append(known, r.ID)
			}
			return p.wrong(key, nearestRule(key.Value, known), "unknown rule %q", key.Value)
		}
		text, err := p.text(value, key.Value)
		if err != nil {
			return err
		}
		level, ok := spec.ParseLevel(text)
		if !ok {
			return p.wrong(value, nearest(text, []string{"off", "info", "warning", "error"}), "unknown level %q of rule %s", text, key.Value)
		}
		c.Levels[key.Value] = level
		return nil
	})
}

func (p *parser) exclude(value *yaml.Node, c *Config) error {
	return p.list(value, "exclude", func(item *yaml.Node, text string) error {
		var bad *loader.ConfigError
		if err := loader.CheckExclude(text); errors.As(err, &bad) {
			return p.wrong(item, bad.Help, "%s", bad.Message)
		}
		c.Exclude = append(c.Exclude, text)
		return nil
	})
}

// nearest offers the nearest name, or all of them.
func nearest(word string, names []string) string {
	if n := suggest.Nearest(word, names); n != "" {
		return "did you mean " + n + "?"
	}
	return "choose one of " + strings.Join(names, ", ")
}

// nearestRule is nearest for the rules, which are too many to list.
func nearestRule(word string, ids []string) string {
	if n := suggest.Nearest(word, ids); n != "" {
		return "did you mean " + n + "?"
	}
	return "skills rules lists them"
}

// blank reports whether a text holds nothing but comments: some versions of
// the parser take that for an error.
func blank(src []byte) bool {
	for line := range bytes.Lines(bytes.TrimPrefix(src, []byte("\ufeff"))) {
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return false
		}
	}
	return true
}

// syntax explains broken YAML.
func (p *parser) syntax(err error) error {
	out := &Error{Path: p.path, Message: "invalid YAML: " + strings.TrimSpace(err.Error()), Help: "see skills validate --help for what it may hold", Err: err}
	var le *yaml.LoadError
	if !errors.As(err, &le) {
		return out
	}
	mark := le.Mark
	if mark.Line == 0 {
		mark = le.ContextMark
	}
	out.Line, out.Column = mark.Line, max(mark.Column, 1)
	if le.Message != "" {
		out.Message = fmt.Sprintf("invalid YAML: %s", le.Message)
	}
	return out
}
