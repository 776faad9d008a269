package usage

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestInterpret checks repairs beyond those that calls of a model show.
func TestInterpret(t *testing.T) {
	u := of(t, convert)
	options := parserOf(t, `p.add_argument("--value", type=int, required=True)`, `p.add_argument("--dry-run", action="store_true")`, `p.add_argument("-n", "--max-items", type=int)`)
	for _, test := range []struct {
		usage                 Usage
		given, words, correct string
	}{
		{u, `"a b c --factor 2"`, "a|b|c|--factor|2", `["a","b","c","--factor","2"]`},
		{u, `["a","--factor 2","--tag","--factor x"]`, "", ""}, // a value, or an option with a wrong one
		{u, `["a","--factor=2","--tag","--unit lb"]`, "a|--factor=2|--tag|--unit lb", ""},
		{u, `["a","--factor","2","--maxItems","3"]`, "a|--factor|2|--max-items|3", `["a","--factor","2","--max-items","3"]`},
		{u, `["a","factor","2"]`, "", ""}, // words may be targets
		{u, `["source","a","factor","2","fast"]`, "a|--factor|2|--fast", `{"source":"a","factor":2,"fast":true}`},
		{u, `["source=a","factor=x"]`, "", ""},
		{options, `["value","2"]`, "--value|2", `["--value","2"]`},
		{options, `["value=2","dry_run"]`, "--value=2|--dry-run", `["--value=2","--dry-run"]`},
		{options, `"value=2"`, "--value=2", `["--value=2"]`},
		{options, `["--value","2","-n5"]`, "--value|2|-n5", ""},
		{options, `{"-n":1,"value":2}`, "--max-items|1|--value|2", `{"max-items":1,"value":2}`},
		{options, `"--value $(x)"`, "", ""},
		{options, `"--value '2"`, "", ""},
		{options, `[{"value":2},{"n":3}]`, "", ""},
		{options, `5`, "", ""},
	} {
		got, err := test.usage.Interpret(json.RawMessage(test.given))
		if test.words == "" {
			if err == nil {
				t.Errorf("%s: %q", test.given, got.Words)
			}
			continue
		}
		if err != nil || strings.Join(got.Words, "|") != test.words || string(got.Arguments) != test.correct {
			t.Errorf("%s: %q %s, %v; want %s %s", test.given, got.Words, got.Arguments, err, test.words, test.correct)
		}
	}
}

func TestShellWords(t *testing.T) {
	for text, want := range map[string]string{
		`a  'b c' "d \" \e" f\ g ''`: `a|b c|d " \e|f g|`,
		"":                           "",
		`a'b'"c"`:                    "abc",
	} {
		words, ok := ShellWords(text)
		if got := strings.Join(words, "|"); got != want || !ok {
			t.Errorf("%s: %s, %t", text, got, ok)
		}
	}
	for _, text := range []string{`'a`, `a\`, "a `b`", `"$x"`, "a | b", "a; b", "a > b", `"a`} {
		if words, ok := ShellWords(text); ok {
			t.Errorf("%s: %q", text, words)
		}
	}
}

// TestExample checks the right call for calls of commands, and that groups are kept.
func TestExample(t *testing.T) {
	u := of(t, `
import argparse
p = argparse.ArgumentParser()
one = p.add_mutually_exclusive_group(required=True)
one.add_argument("--fast", action="store_true")
one.add_argument("--slow", action="store_true")
sub = p.add_subparsers(dest="action", required=True)
add = sub.add_parser("add")
add.add_argument("title")
add.add_argument("tags", nargs="+", choices=["a", "b"])
sub.add_parser("show").add_argument("--limit", type=int, default=3)
p.parse_args()`)
	for _, test := range []struct{ given, example, others string }{
		{``, `{"fast":true,"action":"<add|show>"}`, ""},
		{`{"slow":true,"action":"add","title":"x"}`, `{"slow":true,"action":"add","title":"x","tags":["<a|b>"]}`, ""},
		{`["--slow","show","--limit","x"]`, `{"slow":true,"action":"show"}`, "limit (integer, default 3)"},
		{`["--slow","add","x"]`, `{"slow":true,"action":"add","title":"x","tags":["<a|b>"]}`, ""},
	} {
		example, others := u.Example(json.RawMessage(test.given))
		if string(example) != test.example || others != test.others {
			t.Errorf("%s:\n got %s, %s\nwant %s, %s", test.given, example, others, test.example, test.others)
		}
	}
}

// TestCompact checks the steps by which a schema gets short.
func TestCompact(t *testing.T) {
	u := parserOf(t, `p.add_argument("--value", type=int, help="`+strings.Repeat("word ", 50)+`", default=7)`, `p.add_argument("--other", required=True)`)
	for limit, want := range map[int]string{
		1000: `{"type":"object","properties":{"value":{"type":"integer","description":"` + strings.Repeat("word ", 24) + `… (default: 7)"},"other":{"type":"string"}},"required":["other"]}`,
		200:  `{"type":"object","properties":{"value":{"type":"integer","description":"` + strings.Repeat("word ", 8) + `… (default: 7)"},"other":{"type":"string"}},"required":["other"]}`,
		100:  `{"type":"object","properties":{"value":{"type":"integer"},"other":{"type":"string"}},"required":["other"]}`,
		50:   "",
	} {
		if got := u.Compact(limit); got != want && (limit != 100 || got != "") {
			t.Errorf("%d:\n got %s\nwant %s", limit, got, want)
		}
	}
}

// FuzzInterpret holds that what is understood is accepted as it is, with the same words.
func FuzzInterpret(f *testing.F) {
	for _, seed := range []string{`["a --factor 2"]`, `[{"source":"a","factor":1}]`, `"a --factor '2'"`, `["a","-factor=2","--max_items","3"]`, `{"source":"a","Factor":2}`} {
		f.Add([]byte(seed))
	}
	u, _ := Of("x.py", []byte(convert))
	f.Fuzz(func(t *testing.T, arguments []byte) {
		got, err := u.Interpret(arguments)
		if example, _ := u.Example(arguments); !json.Valid(example) {
			t.Fatalf("%s: example %s", arguments, example)
		}
		if err != nil || got.Arguments == nil {
			return
		}
		again, err := u.Interpret(got.Arguments)
		if err != nil || again.Arguments != nil || !slices.Equal(again.Words, got.Words) {
			t.Errorf("%s is %s, which is %q, %s, %v; want %q", arguments, got.Arguments, again.Words, again.Arguments, err, got.Words)
		}
	})
}
