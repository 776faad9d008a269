package usage

// Functions of typer: their parameters are options and arguments by their annotations and
// defaults.

import (
	"strings"

	"skills/internal/script/usage/pyast"
)

// typerParameter is what typer.Option and typer.Argument return.
type typerParameter struct {
	option bool
	args   *arguments
}

// typerFunction reads the parameters of a function that is a command.
func (in clicker) typerFunction(c *clickCommand, fn function) {
	c.form = "typer"
	f := &frame{scope: fn.scope}
	for _, q := range fn.def.Params {
		if q.Star > 0 {
			c.partial = true
			continue
		}
		p, use, ok := in.typerParameter(f, q)
		c.partial = c.partial || !ok
		if use && ok {
			c.params = append(c.params, p)
		}
	}
}

// splitDefault takes the default out of the arguments of typer.Option.
func (in clicker) splitDefault(t typerParameter, call pyast.Call) (typerParameter, value, bool) {
	args := *t.args
	def, given := args.at(0, "default")
	ellipsis := false
	for i, a := range call.Args {
		if i == 0 && a.Name == "" || a.Name == "default" {
			other, isOther := a.Value.(pyast.Other)
			ellipsis = isOther && other.Parts == nil
		}
	}
	if len(args.positional) > 0 {
		args.positional = args.positional[1:]
	}
	if ellipsis {
		def = nil
	}
	return typerParameter{t.option, &args}, def, ellipsis || !given
}

func allNames(values []value) bool {
	for _, v := range values {
		if s, ok := v.(string); !ok || !strings.HasPrefix(s, "-") {
			return false
		}
	}
	return true
}

// lastName returns the last part of a dotted expression.
func lastName(x pyast.Expr) string {
	switch x := x.(type) {
	case pyast.Name:
		return string(x)
	case pyast.Attr:
		return x.Name
	case pyast.Const:
		s, _ := x.Value.(string)
		return s
	}
	return ""
}

// typerDescribe fills in the parameter.
func (in clicker) typerDescribe(f *frame, name string, annotation pyast.Expr, info typerParameter, def value, required bool) (p Parameter, use, ok bool) {
	args := *info.args
	p = Parameter{Kind: Value, Type: String, Min: 1, Max: 1, Metavar: args.text("metavar"), Required: required, spelling: spelling{dest: name}}
	p.setHelp(args)
	many := in.annotate(f, &p, annotation)
	if annotation == nil {
		p.infer(def)
	}
	p.setDefault(def)
	long := "--" + strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if !info.option {
		p.Key = name
		p.Min = 1
		if !required {
			p.Min = 0
		}
		if many {
			p.Max = -1
		}
		return p, true, !args.open
	}
	if !p.declare(args.positional) {
		return p, true, false
	}
	if len(p.Names) == 0 {
		p.Names = []string{long}
		if p.Type == Boolean {
			p.off = []string{"--no-" + strings.TrimPrefix(long, "--")}
			p.Names = append(p.Names, p.off...)
		}
	}
	switch {
	case p.Type == Boolean:
		p.Kind, p.Min, p.Max = Flag, 0, 0
	case args.named["count"] == true:
		p.Kind, p.Type, p.Min, p.Max = Count, Boolean, 0, 0
	case many:
		p.Kind = List
	}
	if _, ok := args.named["envvar"]; ok && p.Required {
		p.Uncertain = append(p.Uncertain, "required")
	}
	if prompt := args.named["prompt"]; prompt != nil && prompt != false && def == nil {
		p.Required = true
	}
	if t := args.named["click_type"]; t != nil {
		p.setClickType(t)
	}
	return p, true, !args.open
}

// annotate sets the type from an annotation. It reports whether it is a list.
func (in clicker) annotate(f *frame, p *Parameter, x pyast.Expr) (many bool) {
	switch x := x.(type) {
	case nil:
		return false
	case pyast.Binary: // T | None
		if c, ok := x.Y.(pyast.Const); ok && c.Value == nil && x.Op == "|" {
			return in.annotate(f, p, x.X)
		}
	case pyast.Index:
		switch lastName(x.X) {
		case "Optional":
			return in.annotate(f, p, x.Key)
		case "List", "list", "Sequence":
			in.annotate(f, p, x.Key)
			return true
		case "Literal":
			v := in.eval(f, x.Key)
			items := []value{v}
			if list, ok := v.(*sequence); ok {
				items = list.items
			}
			for _, item := range items {
				if s, ok := item.(string); ok {
					p.Choices = append(p.Choices, s)
				} else {
					p.Uncertain = append(p.Uncertain, "choices")
				}
			}
			return false
		}
	case pyast.Name, pyast.Attr:
		switch v := in.eval(f, x).(type) {
		case dotted:
			p.setClickType(v)
			if p.converted { // a class of another file, perhaps an enumeration
				p.Uncertain = append(p.Uncertain, "choices")
			}
			return false
		case *class:
			members, known := classesOf(in.interpreter).members(v)
			for _, m := range members {
				o, ok := m.(*instance)
				if !ok {
					known = false
					break
				}
				c, isText := o.attrs["value"].(string)
				known = known && isText
				p.Choices = append(p.Choices, c)
			}
			if !known {
				p.Choices, p.Uncertain = nil, append(p.Uncertain, "choices")
			}
			return false
		}
	}
	p.converted = true
	return false
}
