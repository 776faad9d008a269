package usage

// The libraries commander and yargs: chains of calls on a program, whose options and
// commands are literals.

import (
	"slices"
	"strings"

	"skills/internal/script/usage/jslit"
)

// jsCall is a call in a chain.
type jsCall struct {
	name string
	args []any
	at   int // the first token of its arguments
}

// chain reads the calls behind a token: .option('-x').parse().
func (r *nodeReader) chain(at int) (calls []jsCall, next int) {
	for (r.tokens[at].Is(".") || r.tokens[at].Is("?.")) && r.tokens[at+1].Kind == jslit.Name {
		name := r.tokens[at+1].Text
		at += 2
		if !r.tokens[at].Is("(") {
			calls = append(calls, jsCall{name: name, at: -1})
			continue
		}
		c := jsCall{name: name, at: at + 1}
		c.args, at = r.arguments(at)
		calls = append(calls, c)
	}
	return calls, at
}

// arguments reads the arguments of a call from its bracket.
func (r *nodeReader) arguments(at int) (args []any, next int) {
	at++
	for !r.tokens[at].Is(")") {
		value, end := jslit.Value(r.tokens, at)
		args = append(args, value)
		if !r.tokens[end].Is(",") {
			if r.tokens[end].Is(")") {
				at = end
				break
			}
			return args, end
		}
		at = end + 1
	}
	return args, at + 1
}

func (c jsCall) text(i int) string {
	if i >= len(c.args) {
		return ""
	}
	return jsText(c.args[i])
}

// commanderReader builds the usage of a program.
type commanderReader struct {
	*nodeReader
	root     *Usage
	commands map[string]*Usage // by variable
	below    []*Usage          // of root.Commands
	unclear  bool
}

// commander reads a script that uses commander.
func (r *nodeReader) commander() (Usage, bool) {
	c := &commanderReader{nodeReader: r, root: &Usage{Form: commanderForm}, commands: map[string]*Usage{}}
	c.commands["program"] = c.root
	roots, parsed := 0, false
	for i := 0; i < len(r.tokens)-1; i++ {
		t := r.tokens[i]
		at := i + 1
		current := c.commands[t.Text]
		if t.Is("new") && r.tokens[i+1].Is("Command") && r.tokens[i+2].Is("(") {
			_, at = r.arguments(i + 2)
			current = c.root
			roots++
		}
		isMember := i > 0 && r.tokens[i-1].Is(".")
		if t.Kind != jslit.Name || current == nil || isMember {
			continue
		}
		calls, next := r.chain(at)
		last := c.calls(current, calls)
		if i > 1 && r.tokens[i-1].Is("=") && r.tokens[i-2].Kind == jslit.Name {
			c.commands[r.tokens[i-2].Text] = last
		}
		parsed = parsed || slices.ContainsFunc(calls, func(c jsCall) bool { return strings.HasPrefix(c.name, "parse") })
		if len(calls) > 0 {
			i = next - 1
		}
	}
	u := *c.root
	for i, below := range c.below {
		u.Commands[i].Usage, u.Commands[i].Help = *below, below.Description
	}
	u.CommandRequired = len(u.Commands) > 0
	u.open = true // whether more words are refused depends on the version
	return u, parsed && roots < 2 && !c.unclear && len(u.Options)+len(u.Positionals)+len(u.Commands) > 0
}

// calls adds what a chain of calls says to a command, and returns the command it ends with.
func (c *commanderReader) calls(u *Usage, calls []jsCall) *Usage {
	for _, call := range calls {
		switch call.name {
		case "option", "requiredOption":
			c.option(u, call)
		case "addOption":
			c.addOption(u, call)
		case "argument":
			c.argument(u, call.text(0), call.text(1), call.args)
		case "arguments":
			for _, word := range strings.Fields(call.text(0)) {
				c.argument(u, word, "", nil)
			}
		case "description", "summary":
			if u.Description == "" {
				u.Description = call.text(0)
			}
		case "command":
			u = c.command(u, call)
		case "addCommand", "addArgument", "allowUnknownOption", "allowExcessArguments", "executableDir", "passThroughOptions":
			c.unclear = true
		}
		if u == nil {
			c.unclear = true
			return c.root
		}
	}
	return u
}

// command adds a command: 'name <argument>'.
func (c *commanderReader) command(u *Usage, call jsCall) *Usage {
	words := strings.Fields(call.text(0))
	isCommand := len(words) > 0 && call.text(1) == ""
	if !isCommand || u != c.root || len(u.Commands) >= maxCommands {
		return nil
	}
	u.Commands = append(u.Commands, Command{Name: words[0]})
	below := &Usage{Form: commanderForm, open: true}
	c.below = append(c.below, below)
	for _, word := range words[1:] {
		c.argument(below, word, "", nil)
	}
	return below
}

// option adds an option: '-p, --port <number>', help, parser, default.
func (c *commanderReader) option(u *Usage, call jsCall) {
	p, ok := commanderOption(call.text(0))
	if !ok || len(u.Options) >= maxParameters {
		c.unclear = true
		return
	}
	p.Help = call.text(1)
	rest := call.args[min(2, len(call.args)):]
	if len(rest) > 0 {
		switch rest[0] {
		case jslit.Ident("parseInt"):
			p.Type = Integer
		case jslit.Ident("parseFloat"), jslit.Ident("Number"):
			p.Type = Number
		}
		_, isName := rest[0].(jslit.Ident)
		if _, unknown := rest[0].(jslit.Unknown); isName && c.resolve(rest[0]) == (jslit.Unknown{}) || unknown {
			rest = rest[1:] // a function
		}
	}
	if len(rest) > 0 {
		p.Default = c.jsDefault(rest[0])
	}
	p.Required = call.name == "requiredOption" && len(rest) == 0
	c.add(u, p)
}

// addOption adds new Option('--x <y>', help).choices([…]).default(…).
func (c *commanderReader) addOption(u *Usage, call jsCall) {
	at := call.at
	if !c.tokens[at].Is("new") || !c.tokens[at+2].Is("(") {
		c.unclear = true
		return
	}
	args, next := c.arguments(at + 2)
	p, ok := commanderOption(jsCall{args: args}.text(0))
	if !ok {
		c.unclear = true
		return
	}
	p.Help = jsCall{args: args}.text(1)
	calls, _ := c.chain(next)
	for _, m := range calls {
		var value any = jslit.Unknown{}
		if len(m.args) > 0 {
			value = c.resolve(m.args[0])
		}
		switch m.name {
		case "choices":
			list, isList := c.jsDefault(value).([]any)
			if isList && !slices.Contains(list, nil) {
				p.Choices = list
			}
		case "default":
			p.Default = c.jsDefault(value)
		case "makeOptionMandatory":
			p.Required = true
		case "hideHelp":
			p.Hidden = true
		}
	}
	p.Required = p.Required && p.Default == nil
	c.add(u, p)
}

// add adds an option, or joins --no-x with --x.
func (c *commanderReader) add(u *Usage, p Parameter) {
	long, negative := strings.CutPrefix(longest(p.Names), "--no-")
	for i, o := range u.Options {
		switch other := longest(o.Names); {
		case negative && other == "--"+long, !negative && other == "--no-"+strings.TrimPrefix(longest(p.Names), "--"):
			u.Options[i].Names = append(o.Names, p.Names...)
			u.Options[i].off = append(o.off, "--no-"+strings.TrimPrefix(strings.TrimPrefix(other, "--no-"), "--"))
			c.unclear = c.unclear || !negative || o.Kind != Flag
			return
		}
	}
	if longest(p.Names) != "--help" {
		u.Options = append(u.Options, p)
	}
}

// commanderOption parses the names of an option with its value.
func commanderOption(text string) (Parameter, bool) {
	p := Parameter{Kind: Flag, Type: Boolean}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '|' }) {
		switch {
		case strings.HasPrefix(word, "-"):
			p.Names = append(p.Names, word)
		case strings.HasPrefix(word, "<") || strings.HasPrefix(word, "["):
			p.Kind, p.Type, p.Min, p.Max = Value, String, 1, 1
			p.Metavar = strings.Trim(word, "<>[].")
			if strings.Contains(word, "...") {
				p.Kind = List
			} else if word[0] == '[' {
				p.Min = 0
			}
		default:
			return p, false
		}
	}
	return p, len(p.Names) > 0 && len(p.Names) < 3
}

// argument adds a positional: <name>, [name], <names...>.
func (c *commanderReader) argument(u *Usage, text, help string, args []any) {
	name := strings.Trim(text, "<>[].")
	if name == "" {
		c.unclear = true
		return
	}
	p := Parameter{Key: name, Kind: Value, Type: String, Max: 1, Help: help, Required: !strings.HasPrefix(text, "[")}
	if strings.Contains(text, "...") {
		p.Max = -1
	}
	if len(args) > 2 {
		p.Default = c.jsDefault(args[len(args)-1])
		p.Required = p.Required && p.Default == nil
	}
	if p.Required {
		p.Min = 1
	}
	u.Positionals = append(u.Positionals, p)
}

// yargs reads a script that uses yargs without commands.
func (r *nodeReader) yargs() (Usage, bool) {
	u := Usage{Form: yargsForm, open: true, lax: true}
	ok := true
	for i := 0; i < len(r.tokens)-1; i++ {
		at := i + 1
		if !r.tokens[i].Is("yargs") || i > 0 && r.tokens[i-1].Is(".") {
			continue
		}
		for r.tokens[at].Is("(") {
			_, at = r.arguments(at)
		}
		calls, next := r.chain(at)
		for _, call := range calls {
			ok = r.yargsCall(&u, call) && ok
		}
		if len(calls) > 0 {
			i = next - 1
		}
	}
	return u, ok && len(u.Options) > 0 && !r.has("_")
}

// yargsCall adds what one call says. It returns false for a form that is not known.
func (r *nodeReader) yargsCall(u *Usage, call jsCall) bool {
	var value any
	if len(call.args) > 0 {
		value = r.resolve(call.args[0])
	}
	switch call.name {
	case "option", "options":
		if all, ok := value.(jslit.Object); ok {
			for i, name := range all.Keys {
				if !r.yargsOption(u, name, r.resolve(all.Values[i])) {
					return false
				}
			}
			return !all.Open
		}
		return len(call.args) > 1 && call.text(0) != "" && r.yargsOption(u, call.text(0), r.resolve(call.args[1]))
	case "command", "positional", "commandDir", "config", "env", "parserConfiguration", "middleware", "coerce", "default", "alias", "boolean", "string", "number", "array", "demandOption", "choices", "count", "nargs":
		return call.name == "alias" && (call.text(0) == "help" || call.text(0) == "h" || call.text(0) == "version" || call.text(0) == "v")
	case "strict", "strictOptions":
		u.lax = false
	}
	return true
}

// yargsOption adds an option.
func (r *nodeReader) yargsOption(u *Usage, name string, value any) bool {
	o, ok := value.(jslit.Object)
	if !ok || o.Open || len(u.Options) >= maxParameters {
		return false
	}
	p := Parameter{Names: []string{dashed(name)}, Kind: Value, Type: String, Min: 1, Max: 1}
	get := func(keys ...string) any {
		for _, key := range keys {
			if v, ok := o.Get(key); ok {
				return r.resolve(v)
			}
		}
		return nil
	}
	switch alias := get("alias").(type) {
	case string:
		p.Names = append(p.Names, dashed(alias))
	case jslit.Array:
		for _, item := range alias {
			p.Names = append(p.Names, dashed(jsText(item)))
		}
	}
	switch kind := get("type"); {
	case kind == "boolean" || get("boolean") == true:
		p.Kind, p.Type, p.Min, p.Max = Flag, Boolean, 0, 0
	case kind == "count" || get("count") == true:
		p.Kind, p.Type, p.Min, p.Max = Count, Boolean, 0, 0
	case kind == "number" || get("number") == true:
		p.Type = Number
	case kind == "array" || get("array") == true:
		p.Kind = List
	case kind != nil && kind != "string":
		return false
	}
	p.Help = jsText(get("describe", "description", "desc"))
	p.Default = r.jsDefault(get("default"))
	if list, ok := r.jsDefault(get("choices")).([]any); ok && !slices.Contains(list, nil) {
		p.Choices = list
	}
	demand := get("demandOption", "demand", "required", "require")
	p.Required = demand != nil && demand != false && p.Default == nil
	p.Hidden = get("hidden") == true
	u.Options = append(u.Options, p)
	return true
}

// dashed returns the name of an option with its dashes.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
