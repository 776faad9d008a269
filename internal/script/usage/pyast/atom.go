package pyast

// The smallest expressions: names, literals, what is in brackets, and the arguments of
// calls. A keyword that cannot begin an expression is a syntax error.

// arguments parses the arguments of a call up to the closing parenthesis.
func (p *exprParser) arguments() []Arg {
	var args []Arg
	for !p.accept(")") {
		var a Arg
		switch {
		case p.accept("**"):
			a.Star = 2
		case p.accept("*"):
			a.Star = 1
		case p.peek().kind == name && p.tokens[p.at+1] == (token{operator, "="}):
			a.Name = p.take().text
			p.at++
		}
		a.Value = p.expression()
		if p.is("for") || p.is("async") {
			a.Value = p.comprehension('[', nil, a.Value)
		}
		args = append(args, a)
		if !p.accept(",") {
			p.want(")")
			break
		}
	}
	return args
}

// key parses what is in the brackets of an index, with the closing one.
func (p *exprParser) key() Expr {
	var parts []Expr
	colons, commas := 0, 0
	var low, high Expr
	for !p.accept("]") {
		switch {
		case p.accept(":"):
			colons++
		case p.accept(","):
			commas++
		default:
			x := p.starred()
			parts = append(parts, x)
			if colons == 0 {
				low = x
			} else {
				high = x
			}
		}
	}
	switch {
	case colons == 0 && commas == 0 && len(parts) == 1:
		return parts[0]
	case colons == 0 && commas > 0:
		return Sequence{'(', parts}
	case colons == 1 && commas == 0:
		return Slice{low, high}
	}
	return Other{parts}
}

func (p *exprParser) atom() Expr {
	t := p.take()
	switch t.kind {
	case number:
		return numeral(t.text)
	case text:
		x := p.literal(t.text)
		for p.peek().kind == text {
			x = concatenate(x, p.literal(p.take().text))
		}
		return x
	case name:
		return p.named(t.text)
	case operator:
		switch t.text {
		case "(":
			return p.bracket('(', ")")
		case "[":
			return p.bracket('[', "]")
		case "{":
			return p.braces()
		case "...":
			return Other{}
		}
	}
	p.fail()
	return nil
}

// keywords cannot begin an expression or are handled before.
var keywords = map[string]bool{
	"and": true, "as": true, "assert": true, "break": true, "class": true, "continue": true, "def": true, "del": true,
	"elif": true, "else": true, "except": true, "finally": true, "for": true, "from": true, "global": true, "if": true,
	"import": true, "in": true, "is": true, "nonlocal": true, "not": true, "or": true, "pass": true, "raise": true,
	"return": true, "try": true, "while": true, "with": true, "lambda": true, "yield": true,
}

func (p *exprParser) named(s string) Expr {
	switch {
	case s == "None":
		return Const{nil}
	case s == "True":
		return Const{true}
	case s == "False":
		return Const{false}
	case keywords[s]:
		p.fail()
	}
	return Name(s)
}

func concatenate(x, y Expr) Expr {
	a, plain := x.(Const)
	b, both := y.(Const)
	if plain && both {
		return Const{a.Value.(string) + b.Value.(string)}
	}
	return Format{append(partsOf(x), partsOf(y)...)}
}

func partsOf(x Expr) []Expr {
	if f, ok := x.(Format); ok {
		return f.Parts
	}
	return []Expr{x}
}

// bracket parses a list, a tuple, a comprehension, or an expression in parentheses.
func (p *exprParser) bracket(kind byte, closing string) Expr {
	var items []Expr
	comma := false
	for !p.accept(closing) {
		x := p.starred()
		if p.is("for") || p.is("async") {
			x = p.comprehension('[', nil, x)
			p.want(closing)
			return x
		}
		items = append(items, x)
		if !p.accept(",") {
			p.want(closing)
			break
		}
		comma = true
	}
	if kind == '(' && len(items) == 1 && !comma {
		return items[0]
	}
	return Sequence{kind, items}
}

// braces parses a dictionary, a set or a comprehension of them.
func (p *exprParser) braces() Expr {
	var d Dict
	var items []Expr
	for !p.accept("}") {
		if p.accept("**") {
			d.Keys, d.Values = append(d.Keys, nil), append(d.Values, p.binary(0))
		} else {
			x := p.starred()
			if p.accept(":") {
				value := p.expression()
				if p.is("for") || p.is("async") {
					x = p.comprehension(':', x, value)
					p.want("}")
					return x
				}
				d.Keys, d.Values = append(d.Keys, x), append(d.Values, value)
			} else if p.is("for") || p.is("async") {
				x = p.comprehension('{', nil, x)
				p.want("}")
				return x
			} else {
				items = append(items, x)
			}
		}
		if !p.accept(",") {
			p.want("}")
			break
		}
	}
	if len(items) > 0 {
		return Sequence{'{', items}
	}
	return d
}

// comprehension parses the clauses after the value.
func (p *exprParser) comprehension(kind byte, key, value Expr) Expr {
	c := Comprehension{Kind: kind, Key: key, Value: value}
	clauses := 0
	for {
		p.accept("async")
		switch {
		case p.accept("for"):
			clauses++
			c.Target = p.targets()
			p.want("in")
			c.Iter = p.binary(0)
		case p.accept("if"):
			test := p.binary(0)
			c.Tests = append(c.Tests, test)
		case clauses > 1:
			return Other{}
		default:
			return c
		}
	}
}

// targets parses the variables of a for clause, which end before "in".
func (p *exprParser) targets() Expr {
	var items []Expr
	comma := false
	for !p.is("in") {
		p.accept("*")
		items = append(items, p.unary())
		if !p.accept(",") {
			break
		}
		comma = true
	}
	if len(items) == 1 && !comma {
		return items[0]
	}
	return Sequence{'(', items}
}
