package usage

// One call of add_argument: names, kind, number of values, type and choices. What the text
// does not decide is left out of the parameter.

import (
	"math"
	"slices"
	"strings"
)

// addArgument adds an argument to a parser, and to a group of which one excludes the
// others.
func (in argparser) addArgument(p *parser, only *exclusive, args arguments) value {
	a := &action{}
	unclear := in.depth > p.depth || args.open || len(p.actions) >= maxParameters
	nameless := len(args.positional) == 0 && args.text("dest") == ""
	if unclear || nameless {
		p.partial = true
		return a
	}
	if len(args.positional) == 0 {
		args.positional = []value{args.named["dest"]}
	}
	for _, v := range args.positional {
		name, ok := v.(string)
		if !ok || name == "" {
			p.partial = true
			return a
		}
		a.parameter.Names = append(a.parameter.Names, name)
	}
	if !in.describe(a, args) {
		p.partial = true
		return a
	}
	a.given = has(args, "default")
	if a.given {
		a.value = args.named["default"]
	} else if p.general != nil {
		a.value, a.given = p.general, true
	}
	if p.resolve {
		p.remove(a.parameter.Names)
	}
	p.actions = append(p.actions, a)
	if only != nil {
		only.actions = append(only.actions, a)
	}
	return a
}

func has(args arguments, name string) bool {
	_, ok := args.named[name]
	return ok
}

// remove takes names away from earlier options.
func (p *parser) remove(names []string) {
	p.actions = slices.DeleteFunc(p.actions, func(a *action) bool {
		if a.parameter.Positional() {
			return false
		}
		a.parameter.Names = slices.DeleteFunc(a.parameter.Names, func(n string) bool { return slices.Contains(names, n) })
		return len(a.parameter.Names) == 0
	})
}

// describe fills in a parameter. It returns false if what the argument takes is unknown.
func (in argparser) describe(a *action, args arguments) bool {
	q := &a.parameter
	q.dest = args.text("dest")
	if !strings.HasPrefix(q.Names[0], "-") {
		q.Key, q.Names = q.Names[0], nil
		q.Required = true
	} else if required, ok := args.named["required"]; ok {
		is, known := truth(required)
		q.Required = is && known
		if !known {
			a.uncertain("required")
		}
	}
	if q.dest == "" && !q.Positional() {
		q.dest = strings.ReplaceAll(strings.TrimLeft(longest(q.Names), "-"), "-", "_")
	} else if q.dest == "" {
		q.dest = q.Key
	}
	if metavar, ok := args.named["metavar"]; ok {
		q.Metavar = metavarText(metavar)
	}
	a.help = args.named["help"]
	if a.help == dotted("argparse.SUPPRESS") || a.help == "==SUPPRESS==" || isSuppress(a.help) {
		q.Hidden, a.help = true, nil
	}
	q.Type = String
	return in.setAction(a, args) && in.setType(a, args)
}

// isSuppress reports whether a value is argparse.SUPPRESS.
func isSuppress(v value) bool {
	d, ok := v.(dotted)
	return ok && (d == "SUPPRESS" || strings.HasSuffix(string(d), ".SUPPRESS")) || v == "==SUPPRESS=="
}

func metavarText(v value) string {
	switch v := v.(type) {
	case string:
		return v
	case *sequence:
		var parts []string
		for _, item := range v.items {
			s, _ := item.(string)
			parts = append(parts, s)
		}
		return strings.Join(parts, " ")
	}
	return ""
}

// setAction sets the kind and the number of values.
func (in argparser) setAction(a *action, args arguments) bool {
	q := &a.parameter
	kind, given := args.named["action"]
	if !given {
		kind = "store"
	}
	var name string
	switch kind := kind.(type) {
	case string:
		name = kind
	case dotted:
		name = string(kind[strings.LastIndexByte(string(kind), '.')+1:])
	case *class:
		if _, ok := kind.lookup("__init__"); ok || !strings.HasSuffix(string(kind.root()), "Action") {
			return false
		}
		name = "store"
	}
	switch name {
	case "store":
		q.Kind = Value
	case "append", "extend":
		q.Kind = List
	case "store_true", "store_false", "store_const", "append_const", "version", "help", "BooleanOptionalAction":
		q.Kind, q.Type = Flag, Boolean
		a.version = name == "version" || name == "help"
		if name == "BooleanOptionalAction" {
			for _, n := range slices.Clone(q.Names) {
				if long, ok := strings.CutPrefix(n, "--"); ok {
					q.Names = append(q.Names, "--no-"+long)
					q.off = append(q.off, "--no-"+long)
				}
			}
		}
		if name == "store_true" || name == "store_false" {
			a.value = name == "store_false"
		}
		return true
	case "count":
		q.Kind, q.Type = Count, Boolean
		return true
	default:
		return false
	}
	return a.setValues(args)
}

// setValues sets how many values an argument takes.
func (a *action) setValues(args arguments) bool {
	q := &a.parameter
	q.Min, q.Max = 1, 1
	nargs := args.named["nargs"]
	a.nargs = nargs
	if d, ok := nargs.(dotted); ok {
		nargs = map[string]value{"REMAINDER": "...", "OPTIONAL": "?", "ZERO_OR_MORE": "*", "ONE_OR_MORE": "+"}[string(d[strings.LastIndexByte(string(d), '.')+1:])]
		if nargs == nil {
			return false
		}
		a.nargs = nargs
	}
	switch n := nargs.(type) {
	case nil:
	case int64:
		if n < 0 || n > maxParameters {
			return false
		}
		q.Min, q.Max = int(n), int(n)
	case string:
		bounds, ok := map[string][2]int{"?": {0, 1}, "*": {0, -1}, "+": {1, -1}, "...": {0, -1}}[n]
		if !ok {
			return false
		}
		q.Min, q.Max = bounds[0], bounds[1]
		q.Rest = n == "..." && q.Positional()
	default:
		return false
	}
	if q.Positional() && q.Min == 0 {
		q.Required = false
	}
	return true
}

// setType sets the type and the choices.
func (in argparser) setType(a *action, args arguments) bool {
	q := &a.parameter
	if q.Kind == Flag || q.Kind == Count {
		return true
	}
	switch t := args.named["type"].(type) {
	case nil:
	case dotted:
		switch name := string(t); {
		case name == "int":
			q.Type = Integer
		case name == "float":
			q.Type = Number
		case name == "str" || strings.HasSuffix(name, "Path"):
		default:
			q.converted = true
		}
	default:
		q.converted = true
	}
	if choices, ok := args.named["choices"]; ok {
		in.setChoices(a, choices)
	}
	return true
}

func (in argparser) setChoices(a *action, v value) {
	if v == nil {
		a.parameter.Choices = nil
		return
	}
	items, known := collectionsOf(in.interpreter).items(v)
	choices := make([]any, 0, len(items))
	for _, item := range items {
		c, ok := native(item)
		if o, isMember := item.(*instance); isMember {
			c, ok = native(o.attrs["value"])
			a.parameter.converted = true
		}
		known = known && ok && c != nil
		choices = append(choices, c)
	}
	if !known || len(choices) == 0 {
		a.uncertain("choices")
		return
	}
	a.parameter.Choices = choices
}

// maxNative is how many values a default can have.
const maxNative = 200

// native returns a known value as JSON has it.
func native(v value) (any, bool) {
	left := maxNative
	return nativeWithin(v, &left)
}

// nativeWithin is [native] with a limit of values.
func nativeWithin(v value, left *int) (any, bool) {
	*left--
	if *left < 0 {
		return nil, false
	}
	switch v := v.(type) {
	case nil, bool, int64, string:
		return v, true
	case float64:
		return v, !math.IsInf(v, 0) && !math.IsNaN(v)
	case filePath:
		return string(v), true
	case *sequence:
		if v.open {
			return nil, false
		}
		out := make([]any, 0, min(len(v.items), maxNative))
		for _, item := range v.items {
			n, ok := nativeWithin(item, left)
			if !ok {
				return nil, false
			}
			out = append(out, n)
		}
		return out, true
	}
	return nil, false
}
