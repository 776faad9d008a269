package usage

import (
	"math"
	"strconv"
	"strings"

	"skills/internal/script/usage/pyast"
)

func (in collections) format(f *frame, x pyast.Format) value {
	var b strings.Builder
	known := true
	for _, part := range x.Parts {
		v := in.eval(f, part)
		in.costOf(v)
		s, ok := printed(v)
		known = known && ok && b.Len() < maxText
		in.cost(len(s), 64)
		b.WriteString(s)
	}
	if !known {
		return unknown{}
	}
	return b.String()
}

// printed returns a value as str() does.
func printed(v value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case filePath:
		return string(v), true
	case nil:
		return "None", true
	case bool:
		if v {
			return "True", true
		}
		return "False", true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return printedFloat(v), true
	case *sequence, *dict:
		return represented(v)
	}
	return "", false
}

// printedFloat returns a number as Python does.
func printedFloat(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+"))
	}
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// maxPrinted is how many values and bytes of texts are printed in a list.
const maxPrinted = 4000

// represented returns a value as repr() does.
func represented(v value) (string, bool) {
	left := maxPrinted
	return representedWithin(v, &left)
}

// representedWithin is [represented] with a limit of values.
func representedWithin(v value, left *int) (string, bool) {
	*left--
	if *left < 0 {
		return "", false
	}
	switch v := v.(type) {
	case string:
		*left -= len(v)
		if *left < 0 {
			return "", false
		}
		quote := "'"
		if strings.Contains(v, "'") && !strings.Contains(v, `"`) {
			quote = `"`
		}
		return quote + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(v) + quote, true
	case filePath:
		return "PosixPath('" + string(v) + "')", true
	case *sequence:
		if v.open || v.kind == '{' {
			return "", false
		}
		var parts []string
		size := 0
		for _, item := range v.items {
			s, ok := representedWithin(item, left)
			size += len(s)
			if !ok || size > maxText {
				return "", false
			}
			parts = append(parts, s)
		}
		text := strings.Join(parts, ", ")
		if v.kind == '[' {
			return "[" + text + "]", true
		}
		if len(parts) == 1 {
			text += ","
		}
		return "(" + text + ")", true
	case *dict:
		return "", false
	}
	return printed(v)
}

// percent formats "%s" and "%d" with plain values.
func percent(format string, v value) value {
	items := []value{v}
	if list, ok := v.(*sequence); ok && list.kind == '(' && !list.open {
		items = list.items
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		if i == len(format) || strings.IndexByte("sd", format[i]) < 0 || len(items) == 0 {
			return unknown{}
		}
		s, ok := printed(items[0])
		if !ok || b.Len()+len(s) > maxText {
			return unknown{}
		}
		b.WriteString(s)
		items = items[1:]
	}
	return b.String()
}
