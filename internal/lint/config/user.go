package config

import (
	"errors"
	"io/fs"

	"go.yaml.in/yaml/v4"

	"skills/internal/fault"
)

// UserFile is the path of the user's own configuration, relative to the
// system's configuration folder.
const UserFile = "skills/config.yaml"

// User is the user's own configuration for all runs. It may name programs, so
// it never comes from a repository.
type User struct {
	Hooks, MCP []Entry // in the order of the file
}

// Entry is a hook or an MCP server, and its place in the file.
type Entry struct {
	Name         string // when the hook runs: before, after, before-run or after-run; or the server's name
	Text         string // a command line, or the URL of a server
	Line, Column int
}

// LoadUser reads the user's own configuration, which is empty if the file is
// missing. Errors are *fault.Error.
func LoadUser(path string) (User, error) {
	src, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return User{}, nil
	}
	var u User
	if err == nil {
		u, err = parseUser(path, src)
	}
	if bad, ok := errors.AsType[*fault.Error](err); ok && (bad.Line == 0 || bad.Err != nil) {
		bad.Hint = "fix it, or move it away" // no flag disables the file
	}
	return u, err
}

func parseUser(path string, src []byte) (User, error) {
	var u User
	p := &parser{path: path}
	err := p.document(src, func(key, value *yaml.Node) error {
		if err := p.known(key, "key", []string{"hooks", "mcp"}); err != nil || null(value) {
			return err
		}
		if key.Value == "mcp" {
			return p.mapping(value, "mcp", func(key, value *yaml.Node) error {
				text, err := p.text(value, key.Value)
				u.MCP = append(u.MCP, Entry{Name: key.Value, Text: text, Line: key.Line, Column: key.Column})
				return err
			})
		}
		return p.mapping(value, "hooks", func(key, value *yaml.Node) error {
			if err := p.known(key, "key", []string{"before", "after", "before-run", "after-run"}); err != nil {
				return err
			}
			return p.list(value, key.Value, func(item *yaml.Node, text string) error {
				u.Hooks = append(u.Hooks, Entry{Name: key.Value, Text: text, Line: item.Line, Column: item.Column})
				return nil
			})
		})
	})
	return u, err
}

// Wrong returns an error about an entry of the configuration at path.
func (e Entry) Wrong(path, help string, err error) error {
	return &fault.Error{Path: path, Line: e.Line, Column: e.Column, Message: err.Error(), Hint: help, Err: err}
}
