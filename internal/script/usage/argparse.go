package usage

// The parsers of argparse: their arguments, groups and subcommands, as the script builds
// them. A call with arguments that are not known makes its parser partial.

import (
	"slices"
	"strings"
)

// parser is an argparse.ArgumentParser.
type parser struct {
	description string
	actions     []*action
	groups      []*exclusive
	commands    *subparsers
	defaults    map[string]value // by dest
	general     value            // argument_default
	partial     bool             // there may be further arguments
	resolve     bool             // conflict_handler="resolve"
	depth       int

	class *class // a class of the script with methods of its own
	attrs map[string]value
}

// exclusive is a mutually exclusive group.
type exclusive struct {
	required bool
	actions  []*action
}

// group is an argument group; only is set if it is mutually exclusive.
type group struct {
	of   *parser
	only *exclusive
}

// subparsers is what add_subparsers returns.
type subparsers struct {
	of       *parser
	dest     string
	required bool
	list     []*subparser
}

type subparser struct {
	name    string
	aliases []string
	help    string
	parser  *parser
}

// action is an argument of a parser.
type action struct {
	parameter Parameter
	value     value // the default
	given     bool  // the default is given
	help      value
	nargs     value
	version   bool // prints the version or the help
}

// argparser follows the calls of argparse.
type argparser struct{ *interpreter }

func argparserOf(in *interpreter) argparser { return argparser{in} }

// newParser makes a parser with the arguments of its constructor.
func (in argparser) newParser(args arguments) *parser {
	p := &parser{depth: in.depth, defaults: map[string]value{}, attrs: map[string]value{}, partial: args.open}
	if description, ok := args.at(3, "description"); ok {
		p.description, _ = description.(string)
	}
	if prefixes, ok := args.named["prefix_chars"]; ok && prefixes != "-" {
		p.partial = true
	}
	if args.text("fromfile_prefix_chars") != "" {
		p.partial = true
	}
	p.general = args.named["argument_default"]
	p.resolve = args.text("conflict_handler") == "resolve"
	if parents, ok := args.at(5, "parents"); ok {
		in.inherit(p, parents)
	}
	return p
}

// inherit copies the arguments of the parents.
func (in argparser) inherit(p *parser, parents value) {
	items, known := collectionsOf(in.interpreter).items(parents)
	p.partial = p.partial || !known
	for _, item := range items {
		parent, ok := item.(*parser)
		if !ok {
			p.partial = true
			continue
		}
		p.partial = p.partial || parent.partial
		p.actions = append(p.actions, parent.actions...)
		p.groups = append(p.groups, parent.groups...)
		if parent.commands != nil {
			p.partial = true
		}
		for k, v := range parent.defaults {
			p.defaults[k] = v
		}
	}
}

func (p *parser) setAttr(in *interpreter, name string, v value) {
	if name == "description" {
		p.description, _ = v.(string)
	}
	p.attrs[name] = v
}

// setAttr changes an argument after it was added.
func (a *action) setAttr(in *interpreter, name string, v value) {
	switch name {
	case "default":
		a.value, a.given = v, true
	case "help":
		a.help = v
	case "required":
		is, known := truth(v)
		a.parameter.Required = is
		if !known {
			a.uncertain("required")
		}
	case "choices":
		argparserOf(in).setChoices(a, v)
	}
}

func (a *action) uncertain(field string) {
	if !slices.Contains(a.parameter.Uncertain, field) {
		a.parameter.Uncertain = append(a.parameter.Uncertain, field)
	}
}

// parserMethod calls a method of a parser.
func (in argparser) parserMethod(p *parser, name string, args arguments) value {
	switch name {
	case "add_argument":
		return in.addArgument(p, nil, args)
	case "add_argument_group":
		return &group{of: p}
	case "add_mutually_exclusive_group":
		return &group{of: p, only: p.exclude(args)}
	case "add_subparsers":
		return in.addSubparsers(p, args)
	case "set_defaults":
		p.partial = p.partial || args.open
		for _, k := range args.order {
			p.defaults[k] = args.named[k]
		}
		return nil
	case "parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args":
		return in.parse(p, name, args)
	case "error", "exit":
		return ends{}
	case "print_help", "print_usage", "format_help", "format_usage", "get_default":
		return unknown{}
	case "register", "add_argument_from_dataclass", "add_arguments":
		p.partial = true
	}
	if strings.HasPrefix(name, "add_") {
		p.partial = true
	}
	in.escape(args)
	return unknown{}
}

func (p *parser) exclude(args arguments) *exclusive {
	is, _ := truth(args.named["required"])
	e := &exclusive{required: is}
	p.groups = append(p.groups, e)
	return e
}

func (in argparser) groupMethod(g *group, name string, args arguments) value {
	switch name {
	case "add_argument":
		return in.addArgument(g.of, g.only, args)
	case "add_argument_group":
		return g
	case "add_mutually_exclusive_group":
		return &group{of: g.of, only: g.of.exclude(args)}
	case "set_defaults":
		return in.parserMethod(g.of, name, args)
	}
	in.escape(args)
	return unknown{}
}

// parse records that a parser reads the command line. The interpretation ends here if
// nothing else can happen before.
func (in argparser) parse(p *parser, name string, args arguments) value {
	if words, ok := args.at(0, "args"); ok {
		if list, ok := words.(*sequence); ok && !list.open { // not the command line
			return unknown{}
		}
	}
	if strings.Contains(name, "known") {
		p.partial = true
		in.found = append(in.found, p)
		return unknown{}
	}
	in.found = append(in.found, p)
	if in.branches == 0 {
		panic(stop{})
	}
	return unknown{}
}

func (in argparser) addSubparsers(p *parser, args arguments) value {
	s := &subparsers{of: p}
	if in.depth > p.depth || p.commands != nil {
		p.partial = true
	}
	s.dest = args.text("dest")
	is, known := truth(args.named["required"])
	s.required = is && known
	p.commands = s
	return s
}

// addParser adds a subcommand.
func (in argparser) addParser(s *subparsers, args arguments) value {
	q := in.newParser(arguments{named: args.named, order: args.order, open: args.open})
	name, ok := args.at(0, "name")
	text, isText := name.(string)
	outside := in.depth > s.of.depth || len(s.list) >= maxCommands
	if !ok || !isText || outside {
		s.of.partial = true
		return q
	}
	command := &subparser{name: text, help: args.text("help"), parser: q}
	if aliases, ok := args.named["aliases"]; ok {
		items, _ := collectionsOf(in.interpreter).items(aliases)
		for _, item := range items {
			if alias, ok := item.(string); ok {
				command.aliases = append(command.aliases, alias)
			}
		}
	}
	s.list = append(s.list, command)
	return q
}
