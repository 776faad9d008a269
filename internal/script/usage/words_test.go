package usage

import (
	"encoding/json"
	"strings"
	"testing"
)

const convert = `
import argparse
p = argparse.ArgumentParser()
p.add_argument("source")
p.add_argument("targets", nargs="*")
p.add_argument("--factor", type=float, required=True, help="what to multiply by")
p.add_argument("--unit", "-u", choices=["kg", "lb"], default="kg")
p.add_argument("--max-items", type=int)
p.add_argument("--columns", nargs="+")
p.add_argument("--tag", action="append")
p.add_argument("--pair", nargs=2)
p.add_argument("-v", "--verbose", action="count")
p.add_argument("--log", nargs="?", const="log.txt")
p.add_argument("--color", action=argparse.BooleanOptionalAction)
one = p.add_mutually_exclusive_group()
one.add_argument("--fast", action="store_true")
one.add_argument("--exact", action="store_true")
p.parse_args()
`

func TestWords(t *testing.T) {
	u := of(t, convert)
	for _, test := range []struct{ arguments, want string }{
		{`{"factor": 2, "source": "a.csv"}`, "a.csv --factor 2"},
		{`{"source": "a.csv", "targets": ["b", "c"], "factor": "2.5", "columns": ["x", "y"], "unit": "lb"}`, "a.csv b c --columns x y --factor 2.5 --unit lb"},
		{`{"source": "a", "factor": 1, "tag": ["x", "y"], "pair": [1, 2], "verbose": true}`, "a --factor 1 --tag x --tag y --pair 1 2 --verbose"},
		{`{"source": "a", "--factor": 1, "u": "lb", "max_items": 5, "maxItems": null, "verbose": 2}`, "a --factor 1 --unit lb --max-items 5 --verbose --verbose"},
		{`{"source": "a", "factor": -1, "log": true, "color": false, "fast": true, "exact": false}`, "a --factor -1 --log --no-color --fast"},
		{`{"source": "-a", "factor": 1, "tag": "-x", "log": "y"}`, "--factor 1 --tag=-x --log y -- -a"},
		{`{"source": "a", "factor": 1, "no-color": true}`, "a --factor 1 --no-color"},
		{`"{\"source\": \"a\", \"factor\": 1}"`, "a --factor 1"},
		{`["a", "--factor", 2, "-vu", "lb", "--max=3", "--columns", "x", "y", "--", "-b"]`, "a --factor 2 -vu lb --max=3 --columns x y -- -b"},
		{`["a", "--factor=1", "--tag=-x y", "-b c"]`, "a --factor=1 --tag=-x y -b c"},
		{`["--help"]`, "--help"},
	} {
		words, err := u.Words(json.RawMessage(test.arguments))
		if got := strings.Join(words, " "); err != nil || got != test.want {
			t.Errorf("%s: %q, %v; want %q", test.arguments, got, err, test.want)
		}
	}
}

func TestCheck(t *testing.T) {
	u := of(t, convert)
	for _, test := range []struct{ arguments, want string }{
		{`{"source": "a"}`, `argument "factor" is missing: what to multiply by`},
		{``, `arguments are missing: source, factor`},
		{`{"source": "a", "facter": 1}`, `unknown argument "facter" (did you mean "factor"?); it takes source, targets, factor, unit, max-items, columns, tag, pair, verbose, log, color, fast, exact`},
		{`{"source": "a", "factor": "x"}`, `argument "factor" must be a number, got "x"`},
		{`{"source": "a", "factor": 1, "max-items": 1.5}`, `argument "max-items" must be an integer, got "1.5"`},
		{`{"source": "a", "factor": 1, "unit": "kh"}`, `argument "unit" must be one of kg, lb, got "kh" (did you mean "kg"?)`},
		{`{"source": "a", "factor": true}`, `argument "factor" takes a value, got the boolean true`},
		{`{"source": ["a", "b"], "factor": 1}`, `argument "source" takes one value, got an array`},
		{`{"source": "a", "factor": 1, "pair": [1]}`, `argument "pair" takes 2 values, got 1`},
		{`{"source": "a", "factor": 1, "columns": []}`, `argument "columns" takes at least 1 values, got 0`},
		{`{"source": "a", "factor": 1, "fast": "yes"}`, `argument "fast" must be true or false, got the string "yes"`},
		{`{"source": "a", "factor": 1, "fast": true, "exact": true}`, `only one of fast, exact can be given`},
		{`{"source": "a", "factor": 1, "unit": "kg", "u": "kg"}`, `argument "unit" is given twice`},
		{`{"source": "a", "factor": 1`, `the arguments are not valid JSON`},
		{`["a"]`, `argument "factor" is missing: what to multiply by`},
		{`["--factor", "1"]`, `argument "source" is missing`},
		{`["a", "--factor"]`, `option --factor takes one value, got 0`},
		{`["a", "--faktor", "1"]`, `unknown option --faktor (did you mean --factor?)`},
		{`["a", "--factor", "1", "-x"]`, `unknown option -x (did you mean -u?)`},
		{`["a", "--factor", "x"]`, `argument "factor" must be a number, got "x"`},
	} {
		err := u.Check(json.RawMessage(test.arguments))
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.arguments, err, test.want)
		}
	}
}

func TestWordsOfCommands(t *testing.T) {
	u := of(t, `
import argparse
p = argparse.ArgumentParser()
p.add_argument("--quiet", action="store_true")
sub = p.add_subparsers(dest="action", required=True)
add = sub.add_parser("add", aliases=["new"])
add.add_argument("title")
add.add_argument("--top", action="store_true")
show = sub.add_parser("show")
run = show.add_subparsers()
run.add_parser("all").add_argument("--limit", type=int)
p.parse_args()`)
	for _, test := range []struct{ arguments, want, err string }{
		{`{"action": "add", "title": "x", "quiet": true, "top": true}`, "--quiet add x --top", ""},
		{`{"title": "x", "action": "new"}`, "add x", ""},
		{`{"action": "show", "command": "all", "limit": 2}`, "show all --limit 2", ""},
		{`["--quiet", "show", "all", "--limit", "2"]`, "--quiet show all --limit 2", ""},
		{`{"title": "x"}`, "", `argument "title" belongs to the command add: add "action": "add"`},
		{`{}`, "", `argument "action" is missing: choose one of add, show`},
		{`{"action": "ad"}`, "", `unknown command "ad" (did you mean add?)`},
		{`{"action": "add"}`, "", `add: argument "title" is missing`},
		{`["add"]`, "", `add: argument "title" is missing`},
		{`["show", "all", "--limt", "2"]`, "", `show: all: unknown option --limt (did you mean --limit?)`},
	} {
		words, err := u.Words(json.RawMessage(test.arguments))
		if err != nil {
			if err.Error() != test.err {
				t.Errorf("%s:\n got %v\nwant %s", test.arguments, err, test.err)
			}
			continue
		}
		if got := strings.Join(words, " "); got != test.want || test.err != "" {
			t.Errorf("%s: %q; want %q %s", test.arguments, got, test.want, test.err)
		}
	}
}

func TestRest(t *testing.T) {
	u := parserOf(t, `p.add_argument("--port", type=int, required=True); p.add_argument("command", nargs=argparse.REMAINDER)`)
	words, err := u.Words(json.RawMessage(`{"command": ["npm", "run", "--if-present"], "port": 1}`))
	if got := strings.Join(words, " "); err != nil || got != "--port 1 npm run --if-present" {
		t.Error(got, err)
	}
	if err := u.Check(json.RawMessage(`["--port", "1", "npm", "--whatever"]`)); err != nil {
		t.Error(err)
	}
}

func TestSameNames(t *testing.T) {
	u := parserOf(t, `p.add_argument("query", nargs="?")`, `p.add_argument("--query")`)
	words, err := u.Words(json.RawMessage(`{"<query>": "a", "query": "b"}`))
	if got := strings.Join(words, " "); err != nil || got != "a --query b" {
		t.Error(got, err)
	}
}
