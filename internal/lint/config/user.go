package config

import (
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// UserFile is the path of a person's own configuration, in the folder where the
// system keeps such files.
const UserFile = "skills/config.yaml"

// User is what a person has configured for every run of theirs. Unlike Config
// it may name programs, and so it never comes from a repository.
type User struct {
	Before, After []Hook // programs around tool calls, in order
}

// Hook is the command line of a program, and where it stands.
type Hook struct {
	Command      string
	Line, Column int
}

// userKeys are the settings of a person's own configuration.
var userKeys = []string{"hooks"}

// LoadUser reads a person's own configuration; where there is no file, it is
// empty. Whatever is wrong with it is an *Error.
func LoadUser(path string) (User, error) {
	src, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return User{}, nil
	}
	var u User
	if err == nil {
		u, err = parseUser(path, src)
	}
	var bad *Error
	if errors.As(err, &bad) && (bad.Line == 0 || bad.Err != nil) {
		bad.Help = "mend it, or move it away" // there is no flag to go without it
	}
	return u, err
}

func parseUser(path string, src []byte) (User, error) {
	var u User
	p := &parser{path: path}
	var doc yaml.Node
	if !utf8.Valid(src) {
		return u, &Error{Path: path, Message: "is not valid UTF-8"}
	}
	if err := yaml.Load(src, &doc); err != nil {
		if blank(src) {
			return u, nil
		}
		return u, p.syntax(err)
	}
	if len(doc.Content) == 0 || null(doc.Content[0]) {
		return u, nil
	}
	err := p.mapping(doc.Content[0], "the configuration", func(key, value *yaml.Node) error {
		if key.Value != "hooks" {
			return p.wrong(key, nearest(key.Value, userKeys), "unknown key %q", key.Value)
		}
		if null(value) {
			return nil
		}
		return p.hooks(value, &u)
	})
	return u, err
}

func (p *parser) hooks(n *yaml.Node, u *User) error {
	return p.mapping(n, "hooks", func(key, value *yaml.Node) error {
		var into *[]Hook
		switch key.Value {
		case "before":
			into = &u.Before
		case "after":
			into = &u.After
		default:
			return p.wrong(key, nearest(key.Value, []string{"before", "after"}), "unknown key %q of hooks", key.Value)
		}
		return p.list(value, key.Value, func(item *yaml.Node, text string) error {
			*into = append(*into, Hook{text, item.Line, item.Column})
			return nil
		})
	})
}

// Wrong is an error at a hook of the configuration at path.
func (h Hook) Wrong(path, help string, err error) error {
	return &Error{Path: path, Line: h.Line, Column: h.Column, Message: fmt.Sprintf("the hook %q: %v", h.Command, err), Help: help, Err: err}
}
