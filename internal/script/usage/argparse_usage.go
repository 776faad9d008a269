package usage

import (
	"slices"
	"strings"

	"skills/internal/lazyregexp"
)

// usage returns what the parser takes.
func (p *parser) usage(level int) Usage {
	u := Usage{Form: "argparse", Description: p.description, Partial: p.partial}
	keys := map[*action]string{}
	for _, a := range p.actions {
		q := p.finished(a)
		if q.Positional() {
			u.Positionals = append(u.Positionals, q)
			keys[a] = q.Key
			continue
		}
		keys[a] = strings.TrimPrefix(longest(q.Names), "--")
		if !a.version {
			u.Options = append(u.Options, q)
		}
	}
	for _, g := range p.groups {
		e := Group{Required: g.required}
		for _, a := range g.actions {
			e.Keys = append(e.Keys, keys[a])
		}
		if len(e.Keys) > 1 || e.Required && len(e.Keys) == 1 {
			u.Exclusive = append(u.Exclusive, e)
		}
	}
	if p.commands == nil || level > maxLevels {
		u.Partial = u.Partial || p.commands != nil
		return u
	}
	u.CommandKey, u.CommandRequired = p.commands.dest, p.commands.required
	for _, c := range p.commands.list {
		u.Commands = append(u.Commands, Command{Name: c.name, Aliases: c.aliases, Help: oneLine(c.help), Usage: c.parser.usage(level + 1)})
	}
	return u
}

// finished returns the parameter of an action with its default and help.
func (p *parser) finished(a *action) Parameter {
	q := a.parameter
	q.Names = slices.Clone(q.Names)
	q.Uncertain = slices.Clone(q.Uncertain)
	def := a.value
	if v, ok := p.defaults[q.dest]; ok {
		def = v
	}
	known := true
	if !isSuppress(def) {
		q.Default, known = native(def)
	}
	if !known {
		q.Uncertain = append(q.Uncertain, "default")
	}
	help, ok := a.help.(string)
	if !ok && a.help != nil {
		q.Uncertain = append(q.Uncertain, "help")
	}
	q.Help = expand(help, q, def, known)
	return q
}

var (
	fields       = lazyregexp.New(`%\((\w+)\)[sdrif]|%%`)
	defaultNotes = lazyregexp.New(`\s*[(\[][^()\[\]]*%\(default\)[sdrif][^()\[\]]*[)\]]`)
)

// expand fills in the fields of a help text.
func expand(help string, q Parameter, def value, known bool) string {
	if !strings.Contains(help, "%") {
		return oneLine(help)
	}
	if !known {
		help = defaultNotes().ReplaceAllString(help, "")
	}
	return oneLine(fields().ReplaceAllStringFunc(help, func(field string) string {
		switch {
		case field == "%%":
			return "%"
		case strings.HasPrefix(field, "%(default)"):
			if s, ok := printed(def); ok && known {
				return s
			}
			return "…"
		case strings.HasPrefix(field, "%(choices)"):
			var parts []string
			for _, c := range q.Choices {
				s, _ := printed(c)
				parts = append(parts, s)
			}
			return strings.Join(parts, ", ")
		case strings.HasPrefix(field, "%(metavar)"):
			return q.Metavar
		case strings.HasPrefix(field, "%(dest)"):
			return q.dest
		}
		return "…"
	}))
}

// oneLine joins the lines of a text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
