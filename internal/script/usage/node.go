package usage

// Node scripts are searched for what reads their command line: util.parseArgs, commander,
// yargs, or process.argv by position. Only literals count. What a script computes, or a
// form that is not known, makes it uncertain.

import (
	"path"
	"slices"
	"strings"

	"skills/internal/script/usage/jslit"
)

// The forms of Node scripts.
const (
	parseArgsForm = "parseargs"
	commanderForm = "commander"
	yargsForm     = "yargs"
)

// nodeReader reads the tokens of a script.
type nodeReader struct {
	tokens []jslit.Token
	texts  []string
}

// isNode reports whether a script is JavaScript or TypeScript, by its shebang or else by its
// extension.
func isNode(name, text string) bool {
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") {
		return strings.Contains(first, "node") || strings.Contains(first, "bun") || strings.Contains(first, "deno") || strings.Contains(first, "tsx")
	}
	return slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".mts"}, strings.ToLower(path.Ext(name)))
}

// node returns what a Node script takes. base is its file name.
func node(text, base string) (Usage, bool) {
	r := &nodeReader{tokens: jslit.Lex(text)}
	for _, t := range r.tokens {
		if t.Kind == jslit.String || t.Kind == jslit.Template {
			r.texts = append(r.texts, t.Text)
		}
	}
	r.texts = append(r.texts, comments(text))
	lines := synopses(r.texts, base)
	var u Usage
	ok := false
	switch {
	case r.has("parseArgs"):
		u, ok = r.parseArgs(lines)
	case r.imports("commander"):
		u, ok = r.commander()
	case r.imports("yargs") || r.imports("yargs/yargs"):
		u, ok = r.yargs()
	case !r.importsParser():
		u, ok = r.argv(lines)
	}
	if ok && !u.Partial {
		return u, true
	}
	reads := r.has("argv") || ok
	if len(lines) == 0 || lines[0].text == "" || !reads {
		return Usage{}, false
	}
	return Usage{Form: u.Form, Partial: true, Synopsis: lines[0].text}, true
}

// comments returns the lines of a text that are in block comments, or in those for a line.
func comments(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"/**", "/*", "*", "//"} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				out = append(out, strings.TrimSpace(rest))
				break
			}
		}
	}
	return strings.Join(out, "\n")
}

// has reports whether a name is used.
func (r *nodeReader) has(name string) bool {
	return slices.ContainsFunc(r.tokens, func(t jslit.Token) bool { return t.Kind == jslit.Name && t.Text == name })
}

// follows reports whether tokens from a position on are these names and marks.
func (r *nodeReader) follows(at int, texts ...string) bool {
	for i, text := range texts {
		if at+i >= len(r.tokens) || !r.tokens[at+i].Is(text) {
			return false
		}
	}
	return true
}

// declares reports whether a token is one that begins a declaration of variables.
func (r *nodeReader) declares(at int) bool {
	return slices.ContainsFunc([]string{"const", "let", "var"}, r.tokens[at].Is)
}

// imports reports whether a module is imported or required.
func (r *nodeReader) imports(module string) bool {
	for i, t := range r.tokens {
		isImport := i > 0 && t.Kind == jslit.String && (t.Text == module || strings.TrimPrefix(t.Text, "npm:") == module)
		if isImport && slices.Contains([]string{"from", "(", "import"}, r.tokens[i-1].Text) {
			return true
		}
	}
	return false
}

// importsParser reports whether a library reads the command line that is not known here.
func (r *nodeReader) importsParser() bool {
	return slices.ContainsFunc([]string{"minimist", "arg", "meow", "cac", "citty", "mri", "yargs-parser", "command-line-args", "sade", "clipanion", "oclif"}, r.imports)
}

// variable returns the literal that a variable is initialised with.
func (r *nodeReader) variable(name string) any {
	for i := range r.tokens {
		isDeclared := i > 0 && r.tokens[i].Is(name) && r.declares(i-1)
		if isDeclared && r.tokens[i+1].Is("=") {
			value, _ := jslit.Value(r.tokens, i+2)
			return value
		}
	}
	return jslit.Unknown{}
}

// resolve returns a value, of a variable the one it is initialised with.
func (r *nodeReader) resolve(value any) any {
	if name, ok := value.(jslit.Ident); ok {
		return r.variable(string(name))
	}
	return value
}

// parseArgs reads the one call of util.parseArgs.
func (r *nodeReader) parseArgs(lines []synopsis) (Usage, bool) {
	u := Usage{Form: parseArgsForm}
	var config jslit.Object
	calls := 0
	for i := range r.tokens {
		isCall := r.tokens[i].Is("parseArgs") && r.tokens[i+1].Is("(")
		if isCall && (i == 0 || !r.tokens[i-1].Is("function")) {
			value, _ := jslit.Value(r.tokens, i+2)
			config, _ = r.resolve(value).(jslit.Object)
			calls++
		}
	}
	given, _ := config.Get("options")
	options, ok := r.resolve(given).(jslit.Object)
	strict, isSet := config.Get("strict")
	loose := isSet && strict != true || options.Open || config.Open
	if calls != 1 || !ok || loose {
		return u, false
	}
	help, required := optionHelp(r.texts), r.required()
	for i, name := range options.Keys {
		o, ok := r.resolve(options.Values[i]).(jslit.Object)
		if !ok || o.Open {
			return u, false
		}
		p := Parameter{Names: []string{"--" + name}, Kind: Value, Type: String, Min: 1, Max: 1, Help: help["--"+name]}
		if short, _ := o.Get("short"); short != (jslit.Unknown{}) {
			p.Names = append([]string{"-" + jsText(short)}, p.Names...)
		}
		kind, _ := o.Get("type")
		multiple, _ := o.Get("multiple")
		switch {
		case kind == "boolean":
			p.Kind, p.Type, p.Min, p.Max = Flag, Boolean, 0, 0
		case kind != "string":
			return u, false
		case multiple == true:
			p.Kind = List
		}
		if value, ok := o.Get("default"); ok {
			p.Default = r.jsDefault(value)
		} else {
			p.Required = p.Kind != Flag && required[name]
		}
		if name != "help" {
			u.Options = append(u.Options, p)
		}
	}
	if allow, _ := config.Get("allowPositionals"); allow == true {
		u.Positionals = r.parseArgsWords(lines)
	} else if allow != (jslit.Unknown{}) && allow != false {
		return u, false
	}
	return u, true
}

// parseArgsWords returns the positionals: by name if a usage line or the code has them.
func (r *nodeReader) parseArgsWords(lines []synopsis) []Parameter {
	var slots []slot
	if len(lines) > 0 && !lines[0].options {
		slots = lines[0].slots
	}
	p := Parameter{Key: "positionals", Kind: Value, Type: String, Max: -1}
	if len(slots) == 1 && slots[0].name != "" {
		p.Key = slots[0].name
	}
	return []Parameter{p}
}

// required returns the options whose absence ends the script: if (!values.x) … exit or throw.
func (r *nodeReader) required() map[string]bool {
	out := map[string]bool{}
	for i := range r.tokens {
		if !r.tokens[i].Is("if") || !r.tokens[i+1].Is("(") {
			continue
		}
		var names []string
		at := i + 2
		for r.tokens[at].Is("!") && r.tokens[at+1].Kind == jslit.Name {
			name := r.tokens[at+1].Text
			at += 2
			if r.tokens[at].Is(".") {
				name, at = r.tokens[at+1].Text, at+2
			}
			names = append(names, name)
			if !r.tokens[at].Is("||") {
				break
			}
			at++
		}
		if r.tokens[at].Is(")") && r.fails(at+1) {
			for _, name := range names {
				out[name] = true
			}
		}
	}
	return out
}

// fails reports whether a statement or block throws or ends the script.
func (r *nodeReader) fails(at int) bool {
	const most = 200 // tokens; what is longer is no error message
	depth, isBlock := 0, r.tokens[at].Is("{")
	for end := min(at+most, len(r.tokens)-1); at < end; at++ {
		t := r.tokens[at]
		switch {
		case t.Is("{"):
			depth++
		case t.Is("}"):
			depth--
			if depth <= 0 {
				return false
			}
		case t.Is(";") && !isBlock:
			return false
		case t.Is("throw"):
			return true
		case at > 0 && r.follows(at-1, ".", "exit", "("):
			return !(r.tokens[at+2].Kind == jslit.Number && r.tokens[at+2].Text == "0")
		}
	}
	return false
}

// jsText returns a string value.
func jsText(value any) string {
	s, _ := value.(string)
	return s
}

// jsDefault returns a default as a value of a parameter.
func (r *nodeReader) jsDefault(value any) any {
	switch v := r.resolve(value).(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
		return v
	case string, bool:
		return v
	case jslit.Array:
		var out []any
		for _, item := range v {
			out = append(out, r.jsDefault(item))
		}
		return out
	}
	return nil
}
