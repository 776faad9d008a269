package pyast

import (
	"strings"
)

// match parses a match statement; match may be a variable too.
func (p *parser) match() Stmt {
	start := p.at
	p.at++
	if !p.startsExpression() {
		p.at = start
		return nil
	}
	x, err := p.catch(func() Expr { return p.expressions() })
	if err != nil || !p.is(":") || p.tokens[p.at+1].kind != newline {
		p.at = start
		return nil
	}
	p.at += 2
	if p.peek().kind != indent {
		p.fail()
	}
	p.at++
	s := Match{X: x}
	for p.accept("case") {
		depth := 0
		for depth > 0 || !p.is(":") { // the pattern
			t := p.take()
			switch {
			case t.kind == newline || t.kind == end:
				p.fail()
			case t.kind == operator && strings.Contains("([{", t.text):
				depth++
			case t.kind == operator && strings.Contains(")]}", t.text):
				depth--
			}
		}
		s.Cases = append(s.Cases, p.block())
	}
	if p.peek().kind != dedent {
		p.fail()
	}
	p.at++
	return s
}

func (p *parser) decorated() Stmt {
	var decorators []Expr
	for p.accept("@") {
		decorators = append(decorators, p.expression())
		if p.take().kind != newline {
			p.fail()
		}
	}
	p.accept("async")
	return p.definition(decorators)
}

// definition parses a function or a class.
func (p *parser) definition(decorators []Expr) Stmt {
	class := p.is("class")
	if !class && !p.is("def") {
		p.fail()
	}
	p.at++
	t := p.take()
	if t.kind != name {
		p.fail()
	}
	if p.accept("[") { // type parameters
		p.key()
	}
	if class {
		c := Class{Name: t.text, Decorators: decorators}
		if p.accept("(") {
			c.Bases = p.arguments()
		}
		c.Body = p.block()
		return c
	}
	d := &Def{Name: t.text, Decorators: decorators}
	p.want("(")
	d.Params = p.parameters()
	if p.accept("->") {
		p.expression()
	}
	outer := p.yields
	p.yields = false
	d.Body = p.block()
	d.Generator, p.yields = p.yields, outer
	d.Doc = Doc(d.Body)
	return d
}

// parameters parses the parameters of a function up to the closing parenthesis.
func (p *parser) parameters() []Param {
	var out []Param
	for !p.accept(")") {
		var q Param
		switch {
		case p.accept("/"):
			p.accept(",")
			continue
		case p.accept("**"):
			q.Star = 2
		case p.accept("*"):
			if p.accept(",") {
				continue
			}
			q.Star = 1
		}
		t := p.take()
		if t.kind != name {
			p.fail()
		}
		q.Name = t.text
		if p.accept(":") {
			q.Annotation = p.starred()
		}
		if p.accept("=") {
			q.Default = p.expression()
		}
		out = append(out, q)
		if !p.accept(",") {
			p.want(")")
			break
		}
	}
	return out
}
