package config

// The YAML of a configuration is read node by node, because an error must name its line and
// suggest what was probably meant. Nothing in it is ignored: a misspelled key would switch
// off a check without a word.

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"skills/internal/clients"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/programs"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
	"skills/internal/spec/rules"
	"skills/internal/suggest"
)

// Parse parses a configuration; path is only used in errors. Invalid settings
// are an *fault.Error with a position: an unknown key, rule, client, profile or
// level, a duplicate, or a list instead of text. An empty text is the zero
// configuration.
func Parse(path string, src []byte) (Config, error) {
	c := Config{Levels: map[string]spec.Level{}}
	p := &parser{path: path}
	known := []string{"profile", "client", "strict", "rules", "exclude", "per-file-ignores", "banned", "run"}
	err := p.document(src, func(key, value *yaml.Node) error {
		if slices.Contains(known, key.Value) && null(value) {
			return nil
		}
		switch key.Value {
		case "profile":
			return p.profile(value, &c)
		case "client":
			return p.clients(value, &c)
		case "strict":
			return p.strict(value, &c)
		case "rules":
			return p.rules(value, &c)
		case "exclude":
			return p.exclude(value, &c)
		case "per-file-ignores":
			return p.perFile(value, &c)
		case "banned":
			return p.banned(value, &c)
		case "run":
			return p.run(value, &c.Run)
		case "hooks":
			return p.wrong(key, "move them to your own configuration, or pass them with skills run --hook", "hooks cannot come from a repository")
		case "tools":
			return p.wrong(key, "move it to your own configuration, or use skills run --tools", "tools cannot come from a repository")
		case "mcp":
			return p.wrong(key, "move it to your own configuration, or use skills run --mcp", "MCP servers cannot come from a repository")
		case "servers", "model":
			return p.wrong(key, "move it to your own configuration, or use skills run -m and --base-url", "%s cannot come from a repository", key.Value)
		}
		return p.known(key, "key", known)
	})
	return c, err
}

func (p *parser) profile(value *yaml.Node, c *Config) error {
	text, err := p.text(value, "profile")
	if err != nil {
		return err
	}
	c.Profile = spec.Profile(text)
	return p.known(value, "profile", []string{string(spec.ProfileSpec), string(spec.ProfileReference)})
}

func (p *parser) clients(value *yaml.Node, c *Config) error {
	if value.Kind == yaml.ScalarNode && value.Tag == "!!str" { // one client needs no list
		c.Clients = append(c.Clients, value.Value)
		return p.known(value, "client", clients.IDs())
	}
	return p.list(value, "client", func(item *yaml.Node, text string) error {
		c.Clients = append(c.Clients, text)
		return p.known(item, "client", clients.IDs())
	})
}

func (p *parser) strict(value *yaml.Node, c *Config) error {
	if value.Tag != "!!bool" {
		return p.wrong(value, "write strict: true or strict: false", "strict is not a boolean")
	}
	return value.Decode(&c.Strict)
}

func (p *parser) rules(value *yaml.Node, c *Config) error {
	return p.mapping(value, "rules", func(key, value *yaml.Node) error {
		if err := p.known(key, "rule", ruleIDs()); err != nil {
			return err
		}
		text, err := p.text(value, key.Value)
		if err != nil {
			return err
		}
		c.Levels[key.Value], _ = spec.ParseLevel(text)
		return p.known(value, "level", []string{"off", "info", "warning", "error"})
	})
}

func (p *parser) exclude(value *yaml.Node, c *Config) error {
	return p.list(value, "exclude", func(item *yaml.Node, text string) error {
		c.Exclude = append(c.Exclude, text)
		return p.loaderError(item, loader.CheckExclude(text))
	})
}

func (p *parser) perFile(value *yaml.Node, c *Config) error {
	return p.mapping(value, "per-file-ignores", func(key, value *yaml.Node) error {
		if err := p.loaderError(key, loader.CheckExclude(key.Value)); err != nil {
			return err
		}
		ignored := PerFile{Pattern: key.Value}
		err := p.list(value, "per-file-ignores", func(item *yaml.Node, text string) error {
			ignored.Rules = append(ignored.Rules, text)
			return p.known(item, "rule", ruleIDs())
		})
		c.PerFile = append(c.PerFile, ignored)
		return err
	})
}

// maxBanned is the maximum number of banned words: each is searched for in every skill.
const maxBanned = 500

func (p *parser) banned(value *yaml.Node, c *Config) error {
	return p.mapping(value, "banned", func(key, value *yaml.Node) error {
		word := strings.Join(strings.Fields(key.Value), " ")
		same := func(b spec.BannedWord) bool { return strings.EqualFold(b.Word, word) }
		switch {
		case word == "":
			return p.wrong(key, "write word: reason", "a banned word is empty")
		case len(c.Banned) == maxBanned:
			return p.wrong(key, "keep those that matter", "there are more than %d banned words", maxBanned)
		case slices.ContainsFunc(c.Banned, same):
			return p.wrong(key, "keep one of the two: case does not matter", "the banned word %q is given twice", word)
		}
		banned := spec.BannedWord{Word: word}
		if !null(value) {
			reason, err := p.text(value, "the reason for "+printable.Quoted(word))
			if err != nil {
				return err
			}
			banned.Reason = strings.Join(strings.Fields(reason), " ")
		}
		c.Banned = append(c.Banned, banned)
		return nil
	})
}

// ruleIDs returns the ids of all rules.
func ruleIDs() []string {
	return printable.Map(rules.All(), func(r *spec.Rule) string { return r.ID })
}

// run reads the settings of a repository for its skills in a run. They can only exclude
// skills and files: extensions of scripts must be some of the usual ones.
func (p *parser) run(value *yaml.Node, r *Run) error {
	return p.mapping(value, "run", func(key, value *yaml.Node) error {
		into := map[string]*[]string{
			"only": &r.Only, "without": &r.Without, "hide": &r.Hide, "resource-extensions": &r.ResourceExtensions, "script-extensions": &r.ScriptExtensions,
		}[key.Value]
		if into == nil {
			return p.known(key, "key", []string{"only", "without", "hide", "resource-extensions", "script-extensions"})
		}
		return p.list(value, key.Value, func(item *yaml.Node, text string) error {
			switch key.Value {
			case "only", "without":
				*into = append(*into, text)
				return p.loaderError(item, loader.CheckPattern(text))
			case "hide":
				*into = append(*into, text)
				return p.loaderError(item, loader.CheckHide(text))
			}
			ext, err := loader.ParseExtension(text)
			*into = append(*into, ext)
			if err == nil && key.Value == "script-extensions" && !slices.Contains(programs.ScriptExtensions(), ext) {
				return p.wrong(item, "choose some of "+strings.Join(programs.ScriptExtensions(), ", ")+"; pass others with --script-ext", "%s is not among the extensions of scripts", ext)
			}
			return p.loaderError(item, err)
		})
	})
}

// loaderError returns an error of the loader with the position of a node, nil for none.
func (p *parser) loaderError(n *yaml.Node, err error) error {
	if bad, ok := errors.AsType[*fault.Error](err); ok {
		return p.wrong(n, bad.Hint, "%s", bad.Message)
	}
	return err
}

// parser reads the YAML nodes of one file.
type parser struct{ path string }

// document calls each with the keys and values of a file, in order.
func (p *parser) document(src []byte, each func(key, value *yaml.Node) error) error {
	if !utf8.Valid(src) {
		return &fault.Error{Path: p.path, Message: "is not valid UTF-8", Hint: "save it as UTF-8"}
	}
	root, bad := frontmatter.ParseYAML(src)
	if bad != nil {
		return &fault.Error{Path: p.path, Line: bad.Line, Column: max(bad.Column, 1), Message: "invalid YAML: " + bad.Message, Hint: "fix the YAML syntax", Err: bad}
	}
	if root == nil || null(root) {
		return nil
	}
	return p.mapping(root, "the configuration", each)
}

// wrong returns an error at a node.
func (p *parser) wrong(n *yaml.Node, help, format string, args ...any) error {
	return &fault.Error{Path: p.path, Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...), Hint: help}
}

// known returns an error for a word that is not one of the known ones.
func (p *parser) known(n *yaml.Node, what string, known []string) error {
	if slices.Contains(known, n.Value) {
		return nil
	}
	otherwise := ""
	if what == "rule" {
		otherwise = "list the rules with: skills rules"
	}
	return p.wrong(n, suggest.Hint(n.Value, known, otherwise), "unknown %s %q", what, n.Value)
}

// null reports whether a value is empty: a list may consist of comments.
func null(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// mapping calls each with the keys and values of a mapping; what is its name in
// errors. Aliases are not followed, so that a file cannot expand.
func (p *parser) mapping(n *yaml.Node, what string, each func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return p.wrong(n, "write keys and values: key: value", "%s must be a mapping", what)
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if line, ok := seen[key.Value]; ok {
			return p.wrong(key, "keep one of the two", "duplicate key %q, first on line %d", key.Value, line)
		}
		seen[key.Value] = key.Line
		if err := each(key, value); err != nil {
			return err
		}
	}
	return nil
}

// list calls each with the items of a list of strings, in order.
func (p *parser) list(n *yaml.Node, key string, each func(item *yaml.Node, text string) error) error {
	if null(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return p.wrong(n, fmt.Sprintf("write %s: [..], or one item a line after a dash", key), "%s must be a list", key)
	}
	for _, item := range n.Content {
		text, err := p.text(item, "an item of "+key)
		if err == nil {
			err = each(item, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text returns a scalar as written: off is "off" here, not a boolean.
func (p *parser) text(n *yaml.Node, what string) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", p.wrong(n, "write a single word", "%s must be text", what)
	}
	return n.Value, nil
}
