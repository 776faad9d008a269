package pyast

// Statements on one line: assignments, imports, and those that begin with a keyword. Those
// without an effect on what a script takes are kept as Pass.

import (
	"strings"
)

// simpleLine parses the statements of one line.
func (p *parser) simpleLine() []Stmt {
	var out []Stmt
	for {
		out = append(out, p.simple())
		if p.accept(";") && p.peek().kind != newline {
			continue
		}
		if t := p.take(); t.kind != newline && t.kind != end {
			p.fail()
		}
		return out
	}
}

func (p *parser) simple() Stmt {
	if t := p.peek(); t.kind == name {
		switch t.text {
		case "import", "from":
			return p.imports()
		case "return":
			p.at++
			if !p.startsExpression() {
				return Return{}
			}
			return Return{p.expressions()}
		case "break":
			p.at++
			return Break{}
		case "continue":
			p.at++
			return Continue{}
		case "raise":
			p.at++
			p.rest()
			return Raise{}
		case "pass", "del", "assert":
			p.at++
			p.rest()
			return Pass{}
		case "global", "nonlocal":
			p.at++
			var g Global
			for _, t := range p.rest() {
				if t.kind == name {
					g.Names = append(g.Names, t.text)
				}
			}
			return g
		}
	}
	return p.assignment()
}

// rest takes the tokens up to the end of the statement.
func (p *parser) rest() []token {
	start := p.at
	for p.peek().kind != newline && p.peek().kind != end && !p.is(";") {
		p.at++
	}
	return p.tokens[start:p.at]
}

func (p *parser) assignment() Stmt {
	if p.is("type") && p.tokens[p.at+1].kind == name { // type X = …
		p.rest()
		return Pass{}
	}
	x := p.expressions()
	s := Assign{Op: "=", Targets: []Expr{x}}
	if p.accept(":") {
		s.Annotation = p.expression()
		if p.accept("=") {
			s.Value = p.expressions()
		}
		return s
	}
	t := p.peek()
	augmented := len(t.text) > 1 && strings.HasSuffix(t.text, "=") && precedences[t.text] == 0
	if t.kind == operator && augmented {
		p.at++
		s.Op, s.Value = strings.TrimSuffix(t.text, "="), p.expressions()
		return s
	}
	for p.accept("=") {
		s.Value = p.expressions()
		s.Targets = append(s.Targets, s.Value)
	}
	if s.Value == nil {
		return ExprStmt{x}
	}
	s.Targets = s.Targets[:len(s.Targets)-1]
	return s
}

// imports parses an import statement.
func (p *parser) imports() Stmt {
	var s Import
	from, module := p.take().text == "from", ""
	if from {
		for !p.is("import") {
			t := p.take()
			if t.kind != name && t.kind != operator {
				p.fail()
			}
			module += t.text
		}
		p.at++
	}
	for _, part := range split(p.rest(), ",") {
		path, as := "", ""
		for i, t := range part {
			switch {
			case t.text == "(" || t.text == ")":
			case t.text == "as" && i+1 < len(part):
				as = part[i+1].text
			case as == "":
				path += t.text
			}
		}
		switch {
		case path == "" || path == "*":
			continue
		case from:
			if as == "" {
				as = path
			}
			path = module + "." + path
		case as == "": // import a.b binds a
			path, _, _ = strings.Cut(path, ".")
			as = path
		}
		s.Names, s.Paths = append(s.Names, as), append(s.Paths, path)
	}
	return s
}

func split(tokens []token, separator string) [][]token {
	out := [][]token{nil}
	for _, t := range tokens {
		if t == (token{operator, separator}) {
			out = append(out, nil)
			continue
		}
		out[len(out)-1] = append(out[len(out)-1], t)
	}
	return out
}
