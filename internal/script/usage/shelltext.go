package usage

// Small questions about the syntax tree of a shell script.

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"skills/internal/lazyregexp"
)

// literal returns a word without expansions, as the shell would pass it.
func literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", true
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// plainText returns a word with {} for each expansion, for what a script prints. $0 stays.
func plainText(w *syntax.Word) string {
	var b strings.Builder
	var parts func(list []syntax.WordPart)
	parts = func(list []syntax.WordPart) {
		for _, part := range list {
			switch part := part.(type) {
			case *syntax.Lit:
				b.WriteString(part.Value)
			case *syntax.SglQuoted:
				b.WriteString(part.Value)
			case *syntax.DblQuoted:
				parts(part.Parts)
			default:
				b.WriteString("{}")
			}
		}
	}
	parts(w.Parts)
	return b.String()
}

// printed returns the source of a part of the tree, in the printer's form.
func shellText(nodes ...syntax.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		_ = syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, n)
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// expansion returns the name of the parameter that a word consists of: $1 and "${1:-x}" are
// "1".
func expansion(w *syntax.Word) (string, bool) {
	if w == nil || len(w.Parts) != 1 {
		return "", false
	}
	part := w.Parts[0]
	if quoted, ok := part.(*syntax.DblQuoted); ok && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	e, ok := part.(*syntax.ParamExp)
	if !ok || e.Param == nil {
		return "", false
	}
	computed := e.Length || e.Excl || e.Repl != nil || e.Index != nil
	if computed {
		return "", false
	}
	return e.Param.Value, true
}

// called returns the name of the command of a statement and its arguments.
func called(s *syntax.Stmt) (name string, args []*syntax.Word) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", nil
	}
	name, _ = literal(call.Args[0])
	return name, call.Args[1:]
}

// Tests in the printer's form, each alone or joined by ||.
var (
	countTest    = lazyregexp.New(`^"?\$\{?#\}?"?\s*(-lt|-le|-eq|-ne|-gt|-ge|<=|>=|==|!=|<|>)\s*"?(\d+)"?$`)
	emptyTest    = lazyregexp.New(`^(?:-z\s+"?\$\{?(\w+)(?::?-)?\}?"?|"?\$\{?(\w+)(?::?-)?\}?"?\s*==?\s*"")$`)
	nonEmptyTest = lazyregexp.New(`^(?:-n\s+)?"?\$\{?(\w+)(?::?-)?\}?"?$`)
)

// atoms returns the parts of a condition that are joined by ||, without their brackets. It
// returns nil for a condition of another form.
func atoms(cond []*syntax.Stmt) (out []string) {
	if len(cond) != 1 {
		return nil
	}
	text := shellText(cond[0])
	if strings.Contains(text, "&&") || strings.Contains(text, "\n") || len(text) > 500 {
		return nil
	}
	for _, part := range strings.Split(text, "||") {
		part = strings.TrimSpace(part)
		for _, ends := range [][2]string{{"[[", "]]"}, {"[", "]"}, {"((", "))"}, {"test ", ""}, {"[[", ""}, {"", "]]"}} {
			if strings.HasPrefix(part, ends[0]) && strings.HasSuffix(part, ends[1]) && len(part) >= len(ends[0])+len(ends[1]) {
				part = strings.TrimSpace(part[len(ends[0]) : len(part)-len(ends[1])])
			}
		}
		out = append(out, part)
	}
	return out
}
