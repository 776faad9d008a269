package usage

// The commands and groups of click: functions with decorators, which add parameters, and
// calls that put commands into groups.

import (
	"strings"

	"skills/internal/script/usage/pyast"
)

// clickCommand is a command of click or typer. A typer application is one too, with the
// functions that are its commands.
type clickCommand struct {
	form     string
	name     string
	help     string
	params   []Parameter
	commands []*clickCommand
	group    bool
	alone    bool // may be run without one of its commands
	partial  bool

	app      bool // a typer application: a single command is the whole
	callback bool // with a function of its own
	below    bool // a command of another one
}

// clickModules are the modules whose names mean the same.
var clickModules = map[string]string{"click": "click", "rich_click": "click", "asyncclick": "click", "typer": "typer"}

// clickName returns the member of click or typer that a dotted name is.
func clickName(name string) (module, member string, ok bool) {
	first, rest, found := strings.Cut(name, ".")
	module, known := clickModules[first]
	return module, rest, found && known
}

// clicker follows the decorators of click and the functions of typer.
type clicker struct{ *interpreter }

func clickerOf(in *interpreter) clicker { return clicker{in} }

// decorate notes what decorators of click and typer say about a function.
func (in clicker) decorate(f *frame, fn function) {
	c := &clickCommand{name: strings.ReplaceAll(strings.ToLower(fn.def.Name), "_", "-"), help: firstParagraph(fn.def.Doc)}
	command, partial := false, false
	for _, d := range fn.def.Decorators {
		var args arguments
		call, called := d.(pyast.Call)
		if called {
			args, _ = in.arguments(f, call.Args)
			d = call.Func
		}
		switch target := in.eval(f, d).(type) {
		case dotted:
			module, member, ok := clickName(string(target))
			if !ok {
				partial = true
				continue
			}
			is, known := in.clickDecorator(c, module, member, args)
			command, partial = command || is, partial || !known
		case method:
			is, known := in.memberDecorator(c, fn, target, args)
			command, partial = command || is, partial || !known
		default:
			partial = true
		}
	}
	if command {
		c.partial = c.partial || partial
		in.commands[fn.def] = c
	}
}

// firstParagraph returns the first paragraph of a documentation string.
func firstParagraph(doc string) string {
	doc, _, _ = strings.Cut(strings.TrimSpace(doc), "\n\n")
	doc, _, _ = strings.Cut(doc, "\f")
	return oneLine(doc)
}

// clickDecorator reads a decorator of click. It reports whether it makes a command, and
// whether it is known.
func (in clicker) clickDecorator(c *clickCommand, module, member string, args arguments) (command, known bool) {
	switch member {
	case "command", "group":
		c.form, c.group = module, member == "group"
		in.nameCommand(c, args)
		if cls, ok := args.named["cls"]; ok && cls != nil {
			c.partial = true
		}
		return true, !args.open
	case "option", "argument":
		p, ok := in.clickParameter(member == "option", args)
		c.params = append(c.params, p)
		return false, ok && !args.open
	case "pass_context", "pass_obj", "version_option", "help_option", "rich_config":
		return false, true
	}
	return false, false
}

func (in clicker) nameCommand(c *clickCommand, args arguments) {
	if name, ok := args.at(0, "name"); ok && name != nil {
		c.name, ok = name.(string)
		c.partial = c.partial || !ok
	}
	if help := args.text("help"); help != "" {
		c.help = firstParagraph(help)
	}
	c.alone = args.named["invoke_without_command"] == true
	if settings, ok := args.named["context_settings"].(*dict); ok {
		if _, given := settings.get("ignore_unknown_options"); given {
			c.partial = true
		}
	}
}

// memberDecorator reads a decorator such as @cli.command or @app.callback.
func (in clicker) memberDecorator(c *clickCommand, fn function, m method, args arguments) (command, known bool) {
	switch self := m.self.(type) {
	case function:
		parent := in.commands[self.def]
		if parent == nil || m.name != "command" && m.name != "group" {
			return false, false
		}
		c.form, c.group, c.below = parent.form, m.name == "group", true
		in.nameCommand(c, args)
		parent.commands = append(parent.commands, c)
		return true, true
	case *clickCommand:
		switch m.name {
		case "command":
			in.nameCommand(c, args)
			in.typerFunction(c, fn)
			c.below = true
			self.commands = append(self.commands, c)
			return true, true
		case "callback":
			in.typerFunction(c, fn)
			self.params, self.callback, self.alone = c.params, true, args.named["invoke_without_command"] == true
			self.partial = self.partial || c.partial
			return false, true
		}
	}
	return false, false
}

// click calls a function of click or typer.
func (in clicker) click(name string, args arguments) (value, bool) {
	module, member, ok := clickName(name)
	if !ok {
		return nil, false
	}
	switch member {
	case "Typer":
		c := &clickCommand{form: "typer", app: true, group: true, partial: args.open, help: firstParagraph(args.text("help")), name: args.text("name")}
		in.apps = append(in.apps, c)
		return c, true
	case "run":
		if len(args.positional) == 1 && module == "typer" {
			fn, ok := args.positional[0].(function)
			if !ok {
				return unknown{}, true
			}
			c := &clickCommand{form: "typer", help: firstParagraph(fn.def.Doc)}
			in.typerFunction(c, fn)
			in.clicked = append(in.clicked, c)
			return ends{}, true
		}
	case "Option", "Argument":
		return typerParameter{member == "Option", &args}, true
	case "Exit", "Abort", "exceptions.Exit":
		return ends{}, true
	}
	return in.clickType(member, args)
}

// functionMethod calls a method of a function that is a command of click.
func (in clicker) functionMethod(fn function, name string, args arguments) value {
	c := in.commands[fn.def]
	if c == nil {
		in.escape(args)
		return unknown{}
	}
	switch name {
	case "main":
		in.clicked = append(in.clicked, c)
		return ends{}
	case "add_command":
		added, ok := args.at(0, "cmd")
		sub, isFunction := added.(function)
		if !ok || !isFunction || in.commands[sub.def] == nil {
			c.partial = true
			return nil
		}
		one := *in.commands[sub.def]
		if renamed, ok := args.at(1, "name"); ok {
			one.name, _ = renamed.(string)
		}
		in.commands[sub.def].below = true
		c.commands = append(c.commands, &one)
		return nil
	}
	return unknown{}
}

// appMethod calls a method of a typer application.
func (in clicker) appMethod(c *clickCommand, name string, args arguments) value {
	if name != "add_typer" {
		c.partial = true
		return unknown{}
	}
	added, _ := args.at(0, "typer_instance")
	sub, ok := added.(*clickCommand)
	label, named := args.at(1, "name")
	text, isText := label.(string)
	nameless := named && !isText || !named && sub != nil && sub.name == ""
	if !ok || sub == c || nameless {
		c.partial = true
		return nil
	}
	sub.below, sub.callback = true, true // a group even with one command
	if named {
		sub.name = text
	}
	if help := args.text("help"); help != "" {
		sub.help = firstParagraph(help)
	}
	c.commands = append(c.commands, sub)
	return nil
}

// clickUsage returns the usage of the command that the script runs. If it runs none, the
// script may be started by the name of its only command.
func (in clicker) clickUsage() (Usage, bool) {
	roots := in.clicked
	if len(roots) == 0 {
		for _, s := range sortedKeys(in.module.vars) {
			switch v := in.module.vars[s].(type) {
			case function:
				if c := in.commands[v.def]; c != nil && !c.below {
					roots = append(roots, c)
				}
			case *clickCommand:
				if !v.below {
					roots = append(roots, v)
				}
			}
		}
	}
	if len(roots) == 0 {
		return Usage{}, false
	}
	for _, c := range roots {
		if c != roots[0] {
			return Usage{}, false
		}
	}
	return roots[0].usage(0), true
}

func (c *clickCommand) usage(level int) Usage {
	if c.app && !c.callback && len(c.commands) == 1 {
		only := c.commands[0].usage(level)
		only.Partial = only.Partial || c.partial
		return only
	}
	u := Usage{Form: c.form, Description: c.help, Partial: c.partial || level > maxLevels}
	for _, p := range c.params {
		if p.Positional() {
			u.Positionals = append(u.Positionals, p)
		} else {
			u.Options = append(u.Options, p)
		}
	}
	if u.Partial {
		return u
	}
	for _, sub := range c.commands {
		u.Commands = append(u.Commands, Command{Name: sub.name, Help: sub.help, Usage: sub.usage(level + 1)})
	}
	u.CommandRequired = len(u.Commands) > 0 && !c.alone
	return u
}
