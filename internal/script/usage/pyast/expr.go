package pyast

// Expressions, by precedence. A parsing function panics on what it cannot read, and the
// statement that contains it is left out; the nesting is limited, and nothing else is
// checked.

import (
	"errors"
)

// maxNesting is how deep expressions and blocks are parsed.
const maxNesting = 100

var errSyntax = errors.New("syntax error")

// reader reads the tokens of a text one by one.
type reader struct {
	tokens  []token
	at      int
	nesting int
	yields  bool // the function being parsed is a generator
}

// exprParser parses expressions.
type exprParser struct{ reader }

// parser parses statements.
type parser struct{ exprParser }

// catch runs a parsing function that panics with errSyntax.
func (p *reader) catch(parse func() Expr) (x Expr, err error) {
	nesting := p.nesting
	defer func() {
		if r := recover(); r != nil {
			if r != errSyntax {
				panic(r)
			}
			err = errSyntax
		}
		p.nesting = nesting
	}()
	return parse(), nil
}

func (p *reader) fail()       { panic(errSyntax) }
func (p *reader) peek() token { return p.tokens[p.at] }

func (p *reader) take() token {
	t := p.tokens[p.at]
	if t.kind != end {
		p.at++
	}
	return t
}

// is reports whether the next token is this operator or keyword.
func (p *reader) is(s string) bool {
	t := p.peek()
	return (t.kind == operator || t.kind == name) && t.text == s
}

// accept takes the next token if it is this operator or keyword.
func (p *reader) accept(s string) bool {
	if p.is(s) {
		p.at++
		return true
	}
	return false
}

func (p *reader) want(s string) {
	if !p.accept(s) {
		p.fail()
	}
}

// deeper limits the nesting; the caller defers the result.
func (p *reader) deeper() func() {
	p.nesting++
	if p.nesting > maxNesting {
		p.fail()
	}
	return func() { p.nesting-- }
}

// expressions parses one or more expressions with commas between them: a tuple if there
// is a comma.
func (p *exprParser) expressions() Expr {
	first := p.starred()
	if !p.is(",") {
		return first
	}
	items := []Expr{first}
	for p.accept(",") && p.startsExpression() {
		items = append(items, p.starred())
	}
	return Sequence{'(', items}
}

// startsExpression reports whether an expression can begin with the next token.
func (p *exprParser) startsExpression() bool {
	t := p.peek()
	switch t.kind {
	case name:
		return t.text != "in" && t.text != "if" && t.text != "else" && t.text != "for"
	case number, text:
		return true
	case operator:
		switch t.text {
		case "(", "[", "{", "-", "+", "~", "*", "**", "...":
			return true
		}
	}
	return false
}

func (p *exprParser) starred() Expr {
	if p.accept("*") {
		return Star{p.binary(0)}
	}
	return p.expression()
}

// expression parses everything except a tuple without parentheses.
func (p *exprParser) expression() Expr {
	defer p.deeper()()
	switch {
	case p.is("lambda"):
		return p.lambda()
	case p.is("yield"):
		p.at++
		p.yields = true
		p.accept("from")
		if p.startsExpression() {
			return Other{[]Expr{p.expressions()}}
		}
		return Other{}
	}
	x := p.binary(0)
	if p.is(":=") {
		p.at++
		variable, _ := x.(Name)
		return Walrus{string(variable), p.expression()}
	}
	if !p.accept("if") {
		return x
	}
	test := p.binary(0)
	p.want("else")
	return Cond{Test: test, Then: x, Else: p.expression()}
}

// lambda parses a function without a name, whose parts are dropped.
func (p *exprParser) lambda() Expr {
	p.want("lambda")
	for !p.accept(":") {
		switch {
		case p.accept(","), p.accept("*"), p.accept("/"), p.accept("**"):
		case p.accept("="):
			p.expression()
		case p.peek().kind == name:
			p.at++
		default:
			p.fail()
		}
	}
	p.expression()
	return Lambda{}
}

// precedences of binary operators, the weakest first.
var precedences = map[string]int{
	"or": 1, "and": 2,
	"in": 4, "is": 4, "<": 4, ">": 4, "<=": 4, ">=": 4, "==": 4, "!=": 4, "not in": 4, "is not": 4,
	"|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "@": 10,
}

const (
	notLevel     = 3
	compareLevel = 4
	unaryLevel   = 11
)

// operatorHere returns the binary operator at the next token with its precedence and its
// number of tokens.
func (p *exprParser) operatorHere() (op string, level, tokens int) {
	t := p.peek()
	if t.kind != operator && t.kind != name {
		return "", 0, 0
	}
	op, tokens = t.text, 1
	following := p.tokens[min(p.at+1, len(p.tokens)-1)].text
	switch {
	case op == "not" && following == "in":
		op, tokens = "not in", 2
	case op == "is" && following == "not":
		op, tokens = "is not", 2
	}
	return op, precedences[op], tokens
}

// binary parses operators that bind more strongly than level.
func (p *exprParser) binary(level int) Expr {
	defer p.deeper()()
	var x Expr
	if p.is("not") && level <= notLevel {
		p.at++
		x = Unary{"not", p.binary(notLevel)}
	} else {
		x = p.unary()
	}
	for {
		op, strength, tokens := p.operatorHere()
		if strength <= level {
			return x
		}
		p.at += tokens
		y := p.binary(strength)
		pair := Expr(Binary{op, x, y})
		x = pair
		for strength == compareLevel { // a < b < c is a < b and b < c
			next, same, n := p.operatorHere()
			if same != compareLevel {
				break
			}
			p.at += n
			z := p.binary(compareLevel)
			x = Binary{"and", x, Binary{next, y, z}}
			y = z
		}
	}
}

func (p *exprParser) unary() Expr {
	defer p.deeper()()
	for _, op := range []string{"-", "+", "~"} {
		if p.accept(op) {
			return Unary{op, p.unary()}
		}
	}
	if p.is("await") {
		p.at++
		return p.unary()
	}
	x := p.postfix(p.atom())
	if p.accept("**") {
		return Binary{"**", x, p.unary()}
	}
	return x
}

// postfix parses attributes, calls and indexes after an expression.
func (p *exprParser) postfix(x Expr) Expr {
	for {
		switch {
		case p.accept("."):
			t := p.take()
			if t.kind != name {
				p.fail()
			}
			x = Attr{x, t.text}
		case p.accept("("):
			x = Call{x, p.arguments()}
		case p.accept("["):
			x = Index{x, p.key()}
		default:
			return x
		}
	}
}
