package usage

// Operators between known values, with limits for what they make.

import (
	"math"
	"path"
	"strings"
)

func unary(op string, v value) value {
	if op == "not" {
		if is, known := truth(v); known {
			return !is
		}
		return unknown{}
	}
	switch n := v.(type) {
	case int64:
		switch op {
		case "-":
			return -n
		case "+":
			return n
		}
	case float64:
		if op == "-" {
			return -n
		}
		return n
	}
	return unknown{}
}

// binary computes an operator of two values.
func (in collections) binary(op string, a, b value) value {
	in.cost(size(a)+size(b), 16)
	in.costOf(a)
	switch op {
	case "==", "is":
		return comparison(a, b, same(a, b))
	case "!=", "is not":
		return comparison(a, b, !same(a, b))
	case "in", "not in":
		return in.contains(a, b, op == "in")
	}
	switch x := a.(type) {
	case int64:
		if y, ok := b.(int64); ok {
			return integers(op, x, y)
		}
		if y, ok := b.(float64); ok {
			return floats(op, float64(x), y)
		}
	case float64:
		switch y := b.(type) {
		case float64:
			return floats(op, x, y)
		case int64:
			return floats(op, x, float64(y))
		}
	case string:
		return texts(op, x, b)
	case filePath:
		if s, ok := printed(b); ok && op == "/" {
			if strings.HasPrefix(s, "/") {
				return filePath(s)
			}
			return filePath(path.Join(string(x), s))
		}
	case *sequence:
		if y, ok := b.(*sequence); ok && op == "+" && joinable(x.open || y.open, len(x.items)+len(y.items), maxItems) {
			return &sequence{kind: x.kind, items: append(append([]value(nil), x.items...), y.items...), depth: in.depth}
		}
	case *dict:
		if y, ok := b.(*dict); ok && op == "|" && joinable(x.open || y.open, len(x.keys)+len(y.keys), maxItems/4) {
			out := &dict{depth: in.depth}
			for _, d := range []*dict{x, y} {
				for i, k := range d.keys {
					out.set(k, d.values[i])
				}
			}
			return out
		}
	}
	return unknown{}
}

// comparison returns the result if both values are plain, so that it is certain.
// joinable reports whether two collections are known and together not too large.
func joinable(open bool, size, most int) bool { return !open && size < most }

func comparison(a, b value, result bool) value {
	if plain(a) && plain(b) {
		return result
	}
	return unknown{}
}

// plain reports whether a value is known whole.
func plain(v value) bool {
	switch v.(type) {
	case nil, bool, int64, float64, string:
		return true
	}
	return false
}

func integers(op string, x, y int64) value {
	const most = 1 << 31
	small := x < most && x > -most && y < most && y > -most
	switch op {
	case "<":
		return x < y
	case ">":
		return x > y
	case "<=":
		return x <= y
	case ">=":
		return x >= y
	}
	switch {
	case !small:
	case op == "+":
		return x + y
	case op == "-":
		return x - y
	case op == "*":
		return x * y
	case op == "/" && y != 0:
		return float64(x) / float64(y)
	case op == "//" && y != 0:
		return int64(math.Floor(float64(x) / float64(y)))
	case op == "%" && x >= 0 && y > 0:
		return x % y
	case op == "**" && y >= 0 && y < 64:
		if r := math.Pow(float64(x), float64(y)); math.Abs(r) < 1<<53 {
			return int64(r)
		}
	case op == "<<" && x >= 0 && uint64(y) < 31:
		return x << y
	}
	return unknown{}
}

func floats(op string, x, y float64) value {
	switch {
	case op == "<":
		return x < y
	case op == ">":
		return x > y
	case op == "<=":
		return x <= y
	case op == ">=":
		return x >= y
	case op == "+":
		return x + y
	case op == "-":
		return x - y
	case op == "*":
		return x * y
	case op == "/" && y != 0:
		return x / y
	}
	return unknown{}
}

func texts(op string, x string, b value) value {
	switch y := b.(type) {
	case string:
		switch {
		case op == "+" && len(x)+len(y) <= maxText:
			return x + y
		case op == "<":
			return x < y
		case op == ">":
			return x > y
		}
	case int64:
		if op == "*" && y <= maxText && int64(len(x))*max(y, 0) <= maxText {
			return strings.Repeat(x, int(max(y, 0)))
		}
	}
	if op == "%" {
		return percent(x, b)
	}
	return unknown{}
}
