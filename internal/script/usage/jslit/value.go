package jslit

import "strconv"

// Unknown is a value that is not a literal.
type Unknown struct{}

// Ident is a name, such as a variable or undefined.
type Ident string

// Array is an array with values of its items.
type Array []any

// Object is an object with its members in order. It is open if there may be others.
type Object struct {
	Keys   []string
	Values []any
	Open   bool
}

// Get returns a member; Unknown if there is none.
func (o Object) Get(key string) (value any, ok bool) {
	for i, k := range o.Keys {
		if k == key {
			return o.Values[i], true
		}
	}
	return Unknown{}, false
}

// maxDepth is how deep literals are nested.
const maxDepth = 50

// Value reads the value that begins at a token: a string, float64, bool, nil for null,
// [Ident], [Array], [Object], or [Unknown] for any other expression. next is the comma or the
// bracket behind it.
func Value(tokens []Token, at int) (value any, next int) { return valueAt(tokens, at, 0) }

func valueAt(tokens []Token, at, depth int) (value any, next int) {
	value, next = Unknown{}, at
	t := tokens[at]
	switch {
	case depth > maxDepth || t.Kind == End:
	case t.Kind == String:
		value, next = t.Text, at+1
	case t.Kind == Number:
		n, err := strconv.ParseFloat(t.Text, 64)
		if err == nil {
			value = n
		}
		next = at + 1
	case t.Is("-") && tokens[at+1].Kind == Number:
		n, err := strconv.ParseFloat("-"+tokens[at+1].Text, 64)
		if err == nil {
			value = n
		}
		next = at + 2
	case t.Is("true") || t.Is("false"):
		value, next = t.Text == "true", at+1
	case t.Is("null"):
		value, next = nil, at+1
	case t.Kind == Name:
		value, next = Ident(t.Text), at+1
	case t.Is("["):
		value, next = arrayAt(tokens, at, depth)
	case t.Is("{"):
		value, next = objectAt(tokens, at, depth)
	}
	if tokens[next].Is("as") && tokens[next+1].Is("const") { // TypeScript
		next += 2
	}
	if ends(tokens[next]) {
		return value, next
	}
	return Unknown{}, Skip(tokens, next)
}

func ends(t Token) bool {
	return t.Kind == End || t.Is(",") || t.Is(")") || t.Is("]") || t.Is("}") || t.Is(";")
}

// Skip returns the comma, semicolon or closing bracket that ends an expression.
func Skip(tokens []Token, at int) int {
	depth := 0
	for ; tokens[at].Kind != End; at++ {
		t := tokens[at]
		switch {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case depth == 0 && ends(t):
			return at
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
		}
	}
	return at
}

func arrayAt(tokens []Token, at, depth int) (any, int) {
	out := Array{}
	for at++; !tokens[at].Is("]"); {
		if tokens[at].Kind == End {
			return Unknown{}, at
		}
		value, next := valueAt(tokens, at, depth+1)
		out = append(out, value)
		at = next
		if tokens[at].Is(",") {
			at++
		} else if !tokens[at].Is("]") {
			return Unknown{}, Skip(tokens, at)
		}
	}
	return out, at + 1
}

func isKey(t Token) bool { return t.Kind == Name || t.Kind == String || t.Kind == Number }

func objectAt(tokens []Token, at, depth int) (any, int) {
	var out Object
	for at++; !tokens[at].Is("}"); {
		t := tokens[at]
		switch {
		case t.Kind == End:
			return Unknown{}, at
		case isKey(t) && tokens[at+1].Is(":"):
			value, next := valueAt(tokens, at+2, depth+1)
			out.Keys, out.Values = append(out.Keys, t.Text), append(out.Values, value)
			at = next
		case t.Kind == Name && (tokens[at+1].Is(",") || tokens[at+1].Is("}")): // {name}
			out.Keys, out.Values = append(out.Keys, t.Text), append(out.Values, Ident(t.Text))
			at++
		default: // a spread, a method, a computed key
			out.Open = true
			next := Skip(tokens, at)
			if next == at && !tokens[at].Is(",") {
				return Unknown{}, at
			}
			at = next
		}
		if tokens[at].Is(",") {
			at++
		} else if !tokens[at].Is("}") {
			return Unknown{}, Skip(tokens, at)
		}
	}
	return out, at + 1
}
