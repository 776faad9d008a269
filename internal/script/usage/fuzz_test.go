package usage

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// FuzzOf holds what callers rely on for any text: there is no panic and no endless work,
// the result is the same each time, the schema is valid and plain, the text is bounded,
// and an array of words is never changed.
func FuzzOf(f *testing.F) {
	for _, src := range samples {
		f.Add("x.py", []byte("import argparse, click, typer\n"+src), []byte(`{"x": ["1", 2], "y": true, "command": "add"}`))
	}
	f.Add("x.sh", []byte(shellLoop), []byte(`{"source": 1, "tag": ["x"]}`))
	f.Add("x", []byte("#!/bin/sh\nwhile getopts 'a:b' o; do case $o in a) A=$OPTARG;; esac; done\nshift $((OPTIND-1))\n[ $# -eq 2 ] || exit 1\ncp \"$1\" \"${2:-x}\""), []byte(`["-a", "1", "x"]`))
	for _, src := range []string{parseArgsSample, commanderSample, yargsSample, "const [, , a, b = 'x'] = process.argv;\nif (process.argv.length < 3) process.exit(1)"} {
		f.Add("x.js", []byte(src), []byte(`{"command": "send", "file": "a", "input": 1}`))
	}
	f.Fuzz(func(t *testing.T, name string, src, arguments []byte) {
		if len(src) > 4<<10 || len(arguments) > 1<<10 {
			t.Skip()
		}
		u, ok := Of(name, src)
		if !ok {
			return
		}
		again, _ := Of(name, src)
		if !equal(u, again) {
			t.Error("not deterministic")
		}
		checkSchema(t, u.Schema())
		if text := u.Text("script"); strings.Count(text, "\n") > maxLines+2 {
			t.Errorf("long text:\n%s", text)
		}
		words, err := u.Words(arguments)
		var given []string
		if err == nil && json.Unmarshal(arguments, &given) == nil && !bytes.Contains(arguments, []byte("null")) && !slices.Equal(words, given) {
			t.Errorf("words %q of %q", words, given)
		}
	})
}

// checkSchema fails if a schema is not valid or not plain.
func checkSchema(t *testing.T, schema map[string]any) {
	t.Helper()
	raw, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	parsed := &jsonschema.Schema{}
	if err := json.Unmarshal(raw, parsed); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	if _, err := parsed.Resolve(nil); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	for _, word := range []string{`"anyOf":`, `"oneOf":`, `"allOf":`, `"$ref":`} {
		if bytes.Contains(raw, []byte(word)) && !strings.Contains(string(raw), `\"`) {
			if _, named := parsed.Properties[strings.Trim(word, `":`)]; !named {
				t.Errorf("%s in %s", word, raw)
			}
		}
	}
	if parsed.Type != "object" && parsed.Type != "array" {
		t.Errorf("type %q", parsed.Type)
	}
	for name, p := range parsed.Properties {
		if p.Description == "" || p.Type == "" || name == "" {
			t.Errorf("property %q: %s", name, raw)
		}
		for _, v := range p.Enum {
			if _, isText := v.(string); isText != (p.Type == "string") {
				t.Errorf("property %q of type %s has %v", name, p.Type, v)
			}
		}
	}
	for _, name := range parsed.Required {
		if parsed.Properties[name] == nil {
			t.Errorf("required %q is no property: %s", name, raw)
		}
	}
}

// samples are Python texts from which fuzzing starts.
var samples = []string{
	convert, clickSample, typerSample,
	"import sys\nif len(sys.argv) < 2 or not sys.argv[1:]:\n  sys.exit('Usage: x.py <a> [b...]')\na, b = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3\nfor x in sys.argv[3:]:\n  f(x)",
	"p = argparse.ArgumentParser()\ns = p.add_subparsers(dest='c')\nfor n in ['a', 'b']:\n  q = s.add_parser(n)\n  q.add_argument('--x', choices=[1, 'b'], type=int)\np.parse_args()",
	"class A(enum.Enum):\n  B = 1\ndef f(*a, **k):\n  return {x: y for x, y in zip(a, k) if x}\nwith (open('x') as g, h):\n  match f(1, y=2)[0:1]:\n    case [1, *_]:\n      pass\nlambda x=1: x\nf'{x!r:>{y}} {{}}' 'b' rb'c'\n",
	"try:\n  import x\nexcept* (A, B) as e:\n  x = None\nelse:\n  y: int = 1\nfinally:\n  del x\nwhile True:\n  if x := 1 < 2 < 3: break\n  else: continue\n",
}

// TestLarge holds that texts of the largest size take a bounded time: what is quadratic
// would run into the time limit of the tests.
func TestLarge(t *testing.T) {
	for _, test := range []struct{ name, head, part, tail string }{
		{"x.py", "import sys\nx = sys.argv[1]", "+a", "\n"},
		{"x.py", "import sys\n", "x = sys.argv[1]\n", ""},
		{"x.py", "import sys\n", "if len(sys.argv) < 2 or x == '-x': exit()\n", ""},
		{"x.py", "import sys\nx = sys.argv[1]", "==a", "\n"},
		{"x.py", "import sys\nx = sys.argv[1]\n'''", "Usage: x.py A\n", "'''\n"},
		{"x.py", "import sys, argparse\np = argparse.ArgumentParser()\n", "p.add_argument('--a')\n", "p.parse_args()\n"},
		{"x.py", "import sys\nx = sys.argv[1]\n", "(", "\n"},
		{"x.js", "", "[", ""},
		{"x.js", "const x = process.argv[2]; ", "if (!x) { ", ""},
		{"x.js", "import { parseArgs } from 'util'; const o = {", "a: { type: 'string' }, ", "}; parseArgs({ options: o });"},
		{"x.js", "import yargs from 'yargs'; yargs", ".option('a', { type: 'string' })", ".argv;"},
		{"x.js", "import { program } from 'commander'; program", ".option('-a')", ".parse();"},
		{"x.js", "", "process.argv.slice(2); ", ""},
		{"x.sh", "", "echo $1\n", ""},
		{"x.sh", "", "$(", ""},
		{"x.sh", "echo", " && echo $1", "\n"},
		{"x.sh", "", "if true; then\n", ""},
		{"x.sh", "", "while [ $# -gt 0 ]; do case $1 in --a) shift;; esac; done\n", ""},
		{"x.sh", "x() {\nx \"$@\"\n}\n", "x \"$@\"\n", ""},
	} {
		size := maxSource
		if test.name == "x.sh" {
			size = maxShellSource
		}
		n := (size - len(test.head) - len(test.tail)) / len(test.part)
		u, ok := Of(test.name, []byte(test.head+strings.Repeat(test.part, n)+test.tail))
		if ok {
			u.Text("x")
			_ = u.Check([]byte(`{"x": 1}`))
		}
	}
	if _, ok := Of("x.py", make([]byte, 1<<20)); ok {
		t.Error("a text that is too large says something")
	}
}
