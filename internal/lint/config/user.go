package config

import (
	"bytes"
	"encoding/json"
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
	Hooks, MCP []Entry       // in the order of the file
	Model      Entry         // the default model, as SERVER/MODEL or a name; its text is "" for none
	Servers    []ModelServer // in the order of the file
	Tools      []Entry       // groups of workspace tools that every run offers
	// TrustedHooks are command lines of hooks that may approve calls.
	TrustedHooks []Entry
}

// Entry is a hook, an MCP server, a header or the default model, and its place in the file.
type Entry struct {
	Name         string // when the hook runs, such as before or after; or the name of the server or header
	Text         string // a command line, the URL of a server, a value or a name
	Line, Column int
	// Value is an MCP server that has fields, as a JSON value with numbers as json.Number;
	// nil for one with a text.
	Value any
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
		if err := p.known(key, "key", []string{"hooks", "mcp", "model", "servers", "tools", "trusted-hooks"}); err != nil || null(value) {
			return err
		}
		switch key.Value {
		case "mcp":
			return p.mapping(value, "mcp", func(key, value *yaml.Node) error {
				entry, err := p.mcpServer(key, value)
				u.MCP = append(u.MCP, entry)
				return err
			})
		case "model":
			text, err := p.text(value, "model")
			u.Model = Entry{Name: "model", Text: text, Line: value.Line, Column: value.Column}
			return err
		case "tools":
			return p.list(value, "tools", func(item *yaml.Node, text string) error {
				u.Tools = append(u.Tools, Entry{Name: "tools", Text: text, Line: item.Line, Column: item.Column})
				return nil
			})
		case "trusted-hooks":
			return p.list(value, "trusted-hooks", func(item *yaml.Node, text string) error {
				u.TrustedHooks = append(u.TrustedHooks, Entry{Name: "trusted-hooks", Text: text, Line: item.Line, Column: item.Column})
				return nil
			})
		case "servers":
			return p.mapping(value, "servers", func(key, value *yaml.Node) error {
				s, err := p.server(key, value)
				u.Servers = append(u.Servers, s)
				return err
			})
		}
		return p.hooks(value, &u)
	})
	return u, err
}

// ServerForm is the hint for an MCP server that cannot be read.
const ServerForm = "write a command line, a URL, or a mapping with command or url"

// mcpServer reads an MCP server: a command line, a URL, or a mapping of fields.
func (p *parser) mcpServer(key, value *yaml.Node) (Entry, error) {
	e := Entry{Name: key.Value, Line: key.Line, Column: key.Column}
	var err error
	if value.Kind != yaml.MappingNode {
		e.Text, err = p.text(value, key.Value)
		return e, err
	}
	known := []string{"type", "command", "args", "env", "cwd", "url", "headers", "oauth", "disabled"}
	err = p.mapping(value, key.Value, func(key, _ *yaml.Node) error { return p.known(key, "key", known) })
	if err != nil {
		return e, err
	}
	var decoded any
	err = value.Decode(&decoded)
	if err != nil {
		return e, p.wrong(value, ServerForm, "%v", err)
	}
	raw, err := json.Marshal(decoded)
	if err != nil {
		return e, p.wrong(value, ServerForm, "%v", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return e, dec.Decode(&e.Value)
}

func (p *parser) hooks(value *yaml.Node, u *User) error {
	return p.mapping(value, "hooks", func(key, value *yaml.Node) error {
		if err := p.known(key, "key", []string{"before", "after", "before-model", "after-model", "output", "before-run", "after-run", "every"}); err != nil {
			return err
		}
		return p.list(value, key.Value, func(item *yaml.Node, text string) error {
			u.Hooks = append(u.Hooks, Entry{Name: key.Value, Text: text, Line: item.Line, Column: item.Column})
			return nil
		})
	})
}

// Wrong returns an error about an entry of the configuration at path.
func (e Entry) Wrong(path, help string, err error) error {
	return &fault.Error{Path: path, Line: e.Line, Column: e.Column, Message: err.Error(), Hint: help, Err: err}
}
