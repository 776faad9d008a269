package pyast

// Statements with blocks. What cannot be parsed costs the statement, with the block below
// it, and the next line is parsed as usual.

import (
	"strings"
)

// Parse returns the statements of a file.
func Parse(src string) []Stmt {
	p := &parser{exprParser{reader{tokens: lex(src)}}}
	var out []Stmt
	for p.peek().kind != end {
		out = append(out, p.statement()...)
	}
	return out
}

// Doc returns the documentation string at the start of a body, or "".
func Doc(body []Stmt) string {
	if len(body) == 0 {
		return ""
	}
	s, _ := body[0].(ExprStmt)
	c, _ := s.X.(Const)
	doc, _ := c.Value.(string)
	return doc
}

// statement parses one statement, or the simple statements of one line. What cannot be
// parsed is skipped to the end of its line, with the block below it.
func (p *parser) statement() []Stmt {
	start := p.at
	var out []Stmt
	_, err := p.catch(func() Expr {
		out = p.parseStatement()
		return nil
	})
	if err == nil {
		return out
	}
	p.at = start
	return []Stmt{p.skip()}
}

// skip returns a line, or a block that does not belong to a statement.
func (p *parser) skip() Stmt {
	var b strings.Builder
	depth := 0
	for p.peek().kind != end {
		t := p.take()
		b.WriteString(t.text + " ")
		switch t.kind {
		case indent:
			depth++
		case dedent:
			depth--
		}
		ended := t.kind == newline && p.peek().kind != indent || t.kind == dedent
		if depth <= 0 && ended {
			break
		}
	}
	return Bad{b.String()}
}

func (p *parser) parseStatement() []Stmt {
	defer p.deeper()()
	t := p.peek()
	switch t.kind {
	case newline, dedent, indent:
		p.at++
		if t.kind == newline {
			return nil
		}
		return []Stmt{Bad{}}
	case name:
		if s := p.compound(t.text); s != nil {
			return []Stmt{s}
		}
	case operator:
		if t.text == "@" {
			return []Stmt{p.decorated()}
		}
	}
	return p.simpleLine()
}

// compound parses a statement with a block, or returns nil.
func (p *parser) compound(keyword string) Stmt {
	switch keyword {
	case "if":
		p.at++
		return p.branch()
	case "while":
		p.at++
		test := p.expression()
		body := p.block()
		return While{test, body, p.optional("else")}
	case "for":
		p.at++
		target := p.targets()
		p.want("in")
		iter := p.expressions()
		body := p.block()
		return For{Target: target, Iter: iter, Body: body, Else: p.optional("else")}
	case "try":
		p.at++
		return p.try()
	case "with":
		p.at++
		return p.with()
	case "def", "class":
		return p.definition(nil)
	case "async":
		p.at++
		if p.is("def") {
			return p.definition(nil)
		}
		return p.compound(p.peek().text)
	case "match":
		return p.match()
	}
	return nil
}

func (p *parser) branch() Stmt {
	s := If{Test: p.expression()}
	s.Then = p.block()
	if p.accept("elif") {
		s.Else = []Stmt{p.branch()}
		return s
	}
	s.Else = p.optional("else")
	return s
}

// optional parses a block behind this keyword, if there is one.
func (p *parser) optional(keyword string) []Stmt {
	if p.accept(keyword) {
		return p.block()
	}
	return nil
}

// block parses a colon and the statements below or behind it.
func (p *parser) block() []Stmt {
	defer p.deeper()()
	p.want(":")
	if p.peek().kind != newline {
		return p.simpleLine()
	}
	p.at++
	if p.peek().kind != indent {
		p.fail()
	}
	p.at++
	var out []Stmt
	for p.peek().kind != dedent && p.peek().kind != end {
		out = append(out, p.statement()...)
	}
	if p.peek().kind == dedent {
		p.at++
	}
	return out
}

func (p *parser) try() Stmt {
	s := Try{Body: p.block()}
	for p.accept("except") {
		p.accept("*")
		if !p.is(":") {
			p.expressions()
			if p.accept("as") {
				p.at++
			}
		}
		s.Handlers = append(s.Handlers, p.block())
	}
	s.Else = p.optional("else")
	s.Finally = p.optional("finally")
	return s
}

func (p *parser) with() Stmt {
	var s With
	parenthesized := p.is("(") && p.parenthesizedItems()
	if parenthesized {
		p.at++
	}
	for {
		s.Items = append(s.Items, p.expression())
		var target Expr
		if p.accept("as") {
			target = p.unary()
		}
		s.Targets = append(s.Targets, target)
		if !p.accept(",") || parenthesized && p.is(")") {
			break
		}
	}
	if parenthesized {
		p.want(")")
	}
	s.Body = p.block()
	return s
}

// parenthesizedItems reports whether the parenthesis here holds items with "as".
func (p *parser) parenthesizedItems() bool {
	depth := 0
	for _, t := range p.tokens[p.at:] {
		switch {
		case t.kind == newline || t.kind == end:
			return false
		case t.kind == operator && strings.Contains("([{", t.text):
			depth++
		case t.kind == operator && strings.Contains(")]}", t.text):
			depth--
			if depth == 0 {
				return false
			}
		case t == token{name, "as"} && depth == 1:
			return true
		}
	}
	return false
}
