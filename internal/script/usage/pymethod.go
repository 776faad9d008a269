package usage

// Methods of lists, dictionaries and texts. A change at a place that may not run makes the
// value open: there may be more in it.

import (
	"slices"
	"strings"
)

// extend adds items to a list.
func (in builtins) extend(list *sequence, v value) {
	items, known := collectionsOf(in.interpreter).items(v)
	if !known || in.depth > list.depth || len(list.items)+len(items) > maxItems {
		list.open = true
		return
	}
	in.cost(len(items), 16)
	list.items = append(list.items, items...)
}

// method calls a method of a value that is not of the script.
func (in builtins) method(m method, args arguments) value {
	in.cost(size(m.self), 8)
	switch self := m.self.(type) {
	case *parser:
		return argparserOf(in.interpreter).parserMethod(self, m.name, args)
	case *group:
		return argparserOf(in.interpreter).groupMethod(self, m.name, args)
	case *subparsers:
		if m.name == "add_parser" {
			return argparserOf(in.interpreter).addParser(self, args)
		}
	case *sequence:
		return in.listMethod(self, m.name, args)
	case *dict:
		return in.dictMethod(self, m.name, args)
	case string:
		if v, ok := in.textMethod(self, m.name, args); ok {
			return v
		}
	case function:
		return clickerOf(in.interpreter).functionMethod(self, m.name, args)
	case *clickCommand:
		return clickerOf(in.interpreter).appMethod(self, m.name, args)
	}
	in.escape(args)
	return unknown{}
}

func (in builtins) listMethod(list *sequence, name string, args arguments) value {
	switch name {
	case "append", "add":
		if len(args.positional) == 1 {
			in.extend(list, &sequence{items: args.positional})
		}
	case "extend", "update":
		if len(args.positional) == 1 {
			in.extend(list, args.positional[0])
		}
	case "copy":
		return &sequence{kind: list.kind, items: slices.Clone(list.items), open: list.open, depth: in.depth}
	case "index", "count", "__contains__":
	default:
		list.open = true
	}
	return nil
}

func (in builtins) dictMethod(d *dict, name string, args arguments) value {
	switch name {
	case "keys":
		return &sequence{kind: '[', items: slices.Clone(d.keys), open: d.open, depth: in.depth}
	case "values":
		return &sequence{kind: '[', items: slices.Clone(d.values), open: d.open, depth: in.depth}
	case "items":
		out := &sequence{kind: '[', open: d.open, depth: in.depth}
		for i, k := range d.keys {
			out.items = append(out.items, &sequence{kind: '(', items: []value{k, d.values[i]}, depth: in.depth})
		}
		return out
	case "get":
		if len(args.positional) == 0 || d.open || args.positional[0] == (unknown{}) {
			return unknown{}
		}
		if v, ok := d.get(args.positional[0]); ok {
			return v
		}
		v, _ := args.at(1, "default")
		return v
	case "copy":
		return &dict{keys: slices.Clone(d.keys), values: slices.Clone(d.values), open: d.open, depth: in.depth}
	case "update":
		other, ok := args.at(0, "")
		more, isDict := other.(*dict)
		computed := ok && (!isDict || more.open)
		if computed || in.depth > d.depth {
			d.open = true
			return nil
		}
		if ok {
			for i, k := range more.keys {
				in.cost(len(d.keys), 8)
				d.set(k, more.values[i])
			}
		}
		for _, k := range args.order {
			d.set(k, args.named[k])
		}
		return nil
	}
	d.open = true
	return unknown{}
}

// textMethod calls a method of a text.
func (in builtins) textMethod(s, name string, args arguments) (value, bool) {
	texts := make([]string, len(args.positional))
	known := !args.open
	for i, v := range args.positional {
		texts[i], _ = v.(string)
		_, isText := v.(string)
		known = known && isText
	}
	n := len(texts)
	fields := strings.Count(s, "{}")
	simple := len(args.named) == 0 && fields == strings.Count(s, "{")
	switch {
	case name == "join" && n == 1:
		return in.joined(s, args.positional[0]), true
	case name == "format" && simple && fields == len(args.positional):
		for _, v := range args.positional {
			text, ok := printed(v)
			if !ok || len(s)+len(text) > maxText {
				return unknown{}, true
			}
			s = strings.Replace(s, "{}", text, 1)
		}
		return s, true
	case !known:
		return unknown{}, true
	}
	switch {
	case name == "upper" && n == 0:
		return strings.ToUpper(s), true
	case name == "lower" && n == 0:
		return strings.ToLower(s), true
	case name == "strip" && n == 0:
		return strings.TrimSpace(s), true
	case name == "strip" && n == 1:
		return strings.Trim(s, texts[0]), true
	case name == "lstrip" && n == 1:
		return strings.TrimLeft(s, texts[0]), true
	case name == "rstrip" && n == 0:
		return strings.TrimRight(s, " \t\r\n"), true
	case name == "replace" && n == 2 && replaceable(s, texts):
		return strings.ReplaceAll(s, texts[0], texts[1]), true
	case name == "startswith" && n == 1:
		return strings.HasPrefix(s, texts[0]), true
	case name == "endswith" && n == 1:
		return strings.HasSuffix(s, texts[0]), true
	case name == "split" && n <= 1 && splittable(s, args):
		parts := strings.Fields(s)
		if n == 1 && texts[0] != "" {
			parts = strings.Split(s, texts[0])
		}
		out := &sequence{kind: '[', depth: in.depth}
		for _, part := range parts {
			out.items = append(out.items, part)
		}
		return out, true
	}
	return unknown{}, true
}

// replaceable reports whether the result of a replacement is not too long.
func replaceable(s string, texts []string) bool {
	return texts[0] != "" && strings.Count(s, texts[0])*len(texts[1])+len(s) < maxText
}

func splittable(s string, args arguments) bool { return len(args.named) == 0 && len(s) < maxItems }

func (in builtins) joined(separator string, v value) value {
	items, known := collectionsOf(in.interpreter).items(v)
	list, ok := v.(*sequence)
	unordered := ok && list.kind == '{' && len(items) > 1
	if !known || unordered {
		return unknown{}
	}
	var parts []string
	size := 0
	for _, item := range items {
		s, ok := item.(string)
		size += len(s) + len(separator)
		if !ok || size > maxText {
			return unknown{}
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, separator)
}
