package script

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Bounds of a command line: what every system, and bubblewrap, starts.
const (
	maxArguments = 1 << 20     // bytes of all arguments together, each counted with its end
	maxArgument  = 128<<10 - 1 // bytes of one; Linux refuses more
	maxCount     = 8000
)

const space = " \t\r\n" // what JSON takes for blank

// Arguments turns the JSON value of a model into an argument list. Nothing is
// ever split at blanks or read as a shell would.
//
//   - Absent, null, "", {} and [] are no arguments.
//   - An array is the argument list: strings as they are, numbers and booleans
//     as the JSON text spells them, nested values as compact JSON text, null
//     left out.
//   - An object becomes options, in the order of the text: --key value. True is
//     the option alone, false and null leave it out, an array repeats it (null
//     elements left out, so an empty one leaves it out), a nested object is
//     compact JSON text. A key that begins with "-" is kept as it is; any other,
//     a single letter too, gets "--" in front.
//   - A string is one argument, unless it holds a JSON array or object, which is
//     then read as such: models like to encode twice.
//   - A number or a boolean is one argument.
//
// The error is [ErrArguments] or wraps a JSON error: text that is not JSON, an
// option without a name, an argument with a NUL byte, more than 1 MiB in all.
func Arguments(raw []byte) ([]string, error) {
	if raw = bytes.Trim(raw, space); len(raw) == 0 {
		return nil, nil
	}
	var value json.RawMessage
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, fmt.Errorf("reading arguments: %w", err)
	}
	if raw[0] == '"' {
		inner := bytes.Trim([]byte(scalar(raw)), space)
		if json.Valid(inner) && (inner[0] == '[' || inner[0] == '{') {
			raw = inner
		}
	}
	var args []string
	var err error
	switch raw[0] {
	case 'n':
	case '[':
		args = values(raw)
	case '{':
		args, err = options(raw)
	default:
		if text := scalar(raw); text != "" {
			args = []string{text}
		}
	}
	if err = cmp.Or(err, checkArguments(args)); err != nil {
		return nil, err
	}
	return args, nil
}

// values reads a valid array, null elements left out.
func values(raw []byte) (args []string) {
	var elements []json.RawMessage
	json.Unmarshal(raw, &elements)
	for _, element := range elements {
		if element[0] != 'n' {
			args = append(args, scalar(element))
		}
	}
	return args
}

// options reads a valid object key by key, because a map would lose the order.
func options(raw []byte) (args []string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.Token() // the brace
	for decoder.More() {
		var value json.RawMessage
		token, _ := decoder.Token()
		decoder.Decode(&value)
		option, _ := token.(string)
		if strings.Trim(option, "-") == "" { // "--" and "-" mean something else to most programs
			return nil, refuse(ErrArguments, "pass arguments without a name in an array", "reading arguments: %q is not an option's name", option)
		}
		if !strings.HasPrefix(option, "-") {
			option = "--" + option
		}
		switch value[0] {
		case 'n', 'f':
		case 't':
			args = append(args, option)
		case '[':
			for _, text := range values(value) {
				args = append(args, option, text)
			}
		default:
			args = append(args, option, scalar(value))
		}
	}
	return args, nil
}

// scalar is one valid value as one argument: a string's text, anything else as
// compact JSON text, numbers as they are spelled.
func scalar(raw []byte) (text string) {
	if raw[0] == '"' {
		json.Unmarshal(raw, &text)
		return text
	}
	var compact bytes.Buffer
	json.Compact(&compact, raw)
	return compact.String()
}

// checkArguments refuses what no program can be started with.
func checkArguments(args []string) error {
	total, longest := 0, 0
	for _, arg := range args {
		if strings.IndexByte(arg, 0) >= 0 {
			return refuse(ErrArguments, "", "checking arguments: %.40q holds a NUL byte, which no argument can", arg)
		}
		total, longest = total+len(arg)+1, max(longest, len(arg))
	}
	for _, bound := range []struct {
		n, most int
		of      string
	}{{total, maxArguments, "bytes"}, {len(args), maxCount, "arguments"}, {longest, maxArgument, "bytes in one argument"}} {
		if bound.n > bound.most {
			return refuse(ErrArguments, "write the data to a file and pass its path", "checking arguments: %d %s are more than the %d that are allowed", bound.n, bound.of, bound.most)
		}
	}
	return nil
}
