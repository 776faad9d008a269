package usage

// One option or argument of click, and the types of its values.

import (
	"strings"

	"skills/internal/script/usage/pyast"
)

// clickType is the type of a click parameter.
type clickType struct {
	kind    Type
	choices []any
	unknown bool // the choices are
	fold    bool // they match in any case
}

// clickType returns a type of click.
func (in clicker) clickType(member string, args arguments) (value, bool) {
	switch member {
	case "Choice":
		t := &clickType{kind: String}
		choices, _ := args.at(0, "choices")
		items, known := collectionsOf(in.interpreter).items(choices)
		t.unknown = !known
		for _, item := range items {
			c, ok := native(item)
			t.unknown = t.unknown || !ok
			t.choices = append(t.choices, c)
		}
		t.fold = args.named["case_sensitive"] == false
		return t, true
	case "IntRange":
		return &clickType{kind: Integer}, true
	case "FloatRange":
		return &clickType{kind: Number}, true
	case "Path", "File", "DateTime":
		return &clickType{kind: String}, true
	}
	return nil, false
}

// setClickType sets the type of a parameter from the argument type.
func (p *Parameter) setClickType(v value) {
	switch t := v.(type) {
	case *clickType:
		p.Type, p.Choices, p.converted = t.kind, t.choices, t.fold
		if t.unknown {
			p.Choices, p.Uncertain = nil, append(p.Uncertain, "choices")
		}
	case dotted:
		switch t {
		case "int", "click.INT":
			p.Type = Integer
		case "float", "click.FLOAT":
			p.Type = Number
		case "bool", "click.BOOL":
			p.Type = Boolean
		case "str", "click.STRING", "pathlib.Path", "Path", "datetime.datetime", "uuid.UUID":
		default:
			p.converted = true
		}
	default:
		p.converted = true
	}
}

// infer sets the type from the default, as click does.
func (p *Parameter) infer(def value) {
	switch def.(type) {
	case int64:
		p.Type = Integer
	case float64:
		p.Type = Number
	case bool:
		p.Type = Boolean
	}
}

// declare reads the names of an option: --on/--off, -n, name.
func (p *Parameter) declare(names []value) bool {
	for _, v := range names {
		s, ok := v.(string)
		if !ok || s == "" {
			return false
		}
		if !strings.HasPrefix(s, "-") {
			p.dest = s
			continue
		}
		on, off, both := strings.Cut(s, "/")
		p.Names = append(p.Names, strings.TrimSpace(on))
		off = strings.TrimSpace(off)
		if both && strings.HasPrefix(off, "-") {
			p.Names, p.off = append(p.Names, off), append(p.off, off)
			p.Kind, p.Type = Flag, Boolean
		}
	}
	return true
}

// clickParameter returns the parameter of an option or an argument.
func (in clicker) clickParameter(option bool, args arguments) (Parameter, bool) {
	p := Parameter{Kind: Value, Type: String, Min: 1, Max: 1, Metavar: args.text("metavar")}
	if !p.declare(args.positional) || option != (len(p.Names) > 0) {
		return p, false
	}
	p.setHelp(args)
	def, hasDefault := args.named["default"]
	if t, ok := args.named["type"]; ok && t != nil {
		p.setClickType(t)
	} else if p.Kind == Value {
		p.infer(def)
	}
	if n, ok := args.named["nargs"].(int64); ok {
		p.Min, p.Max = int(max(n, 0)), int(max(n, -1))
		if n > maxParameters {
			return p, false
		}
	}
	if !option {
		p.Key = strings.ToLower(p.dest)
		p.Required = !hasDefault && p.Max > 0
	}
	if required, ok := args.named["required"]; ok {
		is, known := truth(required)
		p.Required = is && known
		if !known {
			p.Uncertain = append(p.Uncertain, "required")
		}
	}
	if !p.Required && !option && p.Max == 1 {
		p.Min = 0
	}
	if p.Required && p.Max < 0 {
		p.Min = 1
	}
	p.setDefault(def)
	in.clickFlags(&p, args, def, hasDefault)
	return p, true
}

func (p *Parameter) setHelp(args arguments) {
	help, ok := args.named["help"]
	if text, isText := help.(string); isText {
		p.Help = oneLine(text)
	} else if ok && help != nil {
		p.Uncertain = append(p.Uncertain, "help")
	}
	p.Hidden = args.named["hidden"] == true
}

func (p *Parameter) setDefault(def value) {
	if member, ok := def.(*instance); ok { // of an enumeration
		def = member.attrs["value"]
	}
	known := true
	p.Default, known = native(def)
	if !known {
		p.Default, p.Uncertain = nil, append(p.Uncertain, "default")
	}
}

// clickFlags sets what makes an option a flag, counted or repeated.
func (in clicker) clickFlags(p *Parameter, args arguments, def value, hasDefault bool) {
	_, constant := args.named["flag_value"]
	switch {
	case args.named["is_flag"] == true, constant && args.named["is_flag"] == nil:
		p.Kind, p.Type = Flag, Boolean
	case args.named["count"] == true:
		p.Kind, p.Type = Count, Boolean
	case args.named["multiple"] == true:
		p.Kind = List
		if _, ok := def.(*sequence); ok && args.named["type"] == nil {
			p.Type = String
		}
	}
	if p.Kind == Flag || p.Kind == Count {
		p.Min, p.Max = 0, 0
		if p.Kind == Flag && !hasDefault && !constant {
			p.Default = false
		}
	}
	if prompt, ok := args.named["prompt"]; ok && prompt != false && !hasDefault {
		p.Required = true // nobody answers the question
	}
	if _, ok := args.named["envvar"]; ok && p.Required {
		p.Uncertain = append(p.Uncertain, "required")
	}
}

// typerParameter returns the parameter that an annotated parameter of a function is. use
// is false for the context.
func (in clicker) typerParameter(f *frame, q pyast.Param) (p Parameter, use, ok bool) {
	annotation, info, parts := q.Annotation, typerParameter{}, 0
	var def value
	required := q.Default == nil
	if index, isIndex := annotation.(pyast.Index); isIndex && lastName(index.X) == "Annotated" {
		list, _ := index.Key.(pyast.Sequence)
		for i, part := range list.Items {
			if i == 0 {
				annotation = part
			} else if t, ok := in.eval(f, part).(typerParameter); ok {
				info, parts = t, parts+1
			}
		}
		if parts != 1 || len(info.args.positional) > 0 && !allNames(info.args.positional) {
			info.args = nil
		}
	}
	if lastName(annotation) == "Context" {
		return p, false, true
	}
	if q.Default != nil {
		def = in.eval(f, q.Default)
		if call, isCall := q.Default.(pyast.Call); isCall {
			if t, isInfo := def.(typerParameter); isInfo {
				info, def, required = in.splitDefault(t, call)
			}
		}
	}
	if info.args == nil {
		info = typerParameter{option: !required, args: &arguments{}}
	}
	return in.typerDescribe(f, q.Name, annotation, info, def, required)
}
