package usage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// of returns the usage of a Python script, without its form.
func of(t *testing.T, src string) Usage {
	t.Helper()
	u, ok := Of("scripts/x.py", []byte(src))
	if !ok {
		t.Fatalf("no usage for\n%s", src)
	}
	return u
}

// parserOf returns the usage of a script that adds these arguments.
func parserOf(t *testing.T, lines ...string) Usage {
	t.Helper()
	return of(t, "import argparse\nfrom pathlib import Path\np = argparse.ArgumentParser()\n"+strings.Join(lines, "\n")+"\np.parse_args()\n")
}

var ignoreUnexported = cmpopts.IgnoreUnexported(Parameter{}, Usage{})

func TestArgument(t *testing.T) {
	tests := []struct {
		name, line string
		want       Parameter
	}{
		{"positional", `p.add_argument("input_file", help="what to read")`,
			Parameter{Key: "input_file", Kind: Value, Type: String, Min: 1, Max: 1, Required: true, Help: "what to read"}},
		{"optional positional", `p.add_argument("dir", nargs="?", default=".")`,
			Parameter{Key: "dir", Kind: Value, Type: String, Max: 1, Default: "."}},
		{"many", `p.add_argument("files", nargs="+", type=Path, metavar="FILE")`,
			Parameter{Key: "files", Kind: Value, Type: String, Min: 1, Max: -1, Required: true, Metavar: "FILE"}},
		{"remainder", `p.add_argument("rest", nargs=argparse.REMAINDER)`,
			Parameter{Key: "rest", Kind: Value, Type: String, Max: -1, Rest: true}},
		{"names", `p.add_argument("-n", "--max-items", type=int, default=3)`,
			Parameter{Key: "max-items", Names: []string{"-n", "--max-items"}, Kind: Value, Type: Integer, Min: 1, Max: 1, Default: int64(3)}},
		{"short", `p.add_argument("-n", type=float, required=True)`,
			Parameter{Key: "-n", Names: []string{"-n"}, Kind: Value, Type: Number, Min: 1, Max: 1, Required: true}},
		{"flag", `p.add_argument("--dry-run", action="store_true")`,
			Parameter{Key: "dry-run", Names: []string{"--dry-run"}, Kind: Flag, Type: Boolean, Default: false}},
		{"on by default", `p.add_argument("--no-cache", dest="cache", action="store_false")`,
			Parameter{Key: "no-cache", Names: []string{"--no-cache"}, Kind: Flag, Type: Boolean, Default: true}},
		{"on and off", `p.add_argument("--color", action=argparse.BooleanOptionalAction, default=True)`,
			Parameter{Key: "color", Names: []string{"--color", "--no-color"}, Kind: Flag, Type: Boolean, Default: true}},
		{"count", `p.add_argument("-v", action="count", default=0)`,
			Parameter{Key: "-v", Names: []string{"-v"}, Kind: Count, Type: Boolean, Default: int64(0)}},
		{"list", `p.add_argument("--tag", action="append", default=[])`,
			Parameter{Key: "tag", Names: []string{"--tag"}, Kind: List, Type: String, Min: 1, Max: 1, Default: []any{}}},
		{"choices", `p.add_argument("--to", choices=["csv", "json"], help="format (default: %(default)s, 100%%)", default="csv")`,
			Parameter{Key: "to", Names: []string{"--to"}, Kind: Value, Type: String, Min: 1, Max: 1, Choices: []any{"csv", "json"}, Default: "csv", Help: "format (default: csv, 100%)"}},
		{"range", `p.add_argument("--level", type=int, choices=range(1, 4))`,
			Parameter{Key: "level", Names: []string{"--level"}, Kind: Value, Type: Integer, Min: 1, Max: 1, Choices: []any{int64(1), int64(2), int64(3)}}},
		{"unknown choices", `p.add_argument("--to", choices=load())`,
			Parameter{Key: "to", Names: []string{"--to"}, Kind: Value, Type: String, Min: 1, Max: 1, Uncertain: []string{"choices"}}},
		{"unknown default", `p.add_argument("--dir", default=os.getcwd(), help="folder (default: %(default)s)")`,
			Parameter{Key: "dir", Names: []string{"--dir"}, Kind: Value, Type: String, Min: 1, Max: 1, Help: "folder", Uncertain: []string{"default"}}},
		{"unknown help", `p.add_argument("--dir", help=f"folder in {place()}")`,
			Parameter{Key: "dir", Names: []string{"--dir"}, Kind: Value, Type: String, Min: 1, Max: 1, Uncertain: []string{"help"}}},
		{"unknown required", `p.add_argument("--dir", required=place())`,
			Parameter{Key: "dir", Names: []string{"--dir"}, Kind: Value, Type: String, Min: 1, Max: 1, Uncertain: []string{"required"}}},
		{"hidden", `p.add_argument("--old", help=argparse.SUPPRESS)`,
			Parameter{Key: "old", Names: []string{"--old"}, Kind: Value, Type: String, Min: 1, Max: 1, Hidden: true}},
		{"paths", `p.add_argument("--out", type=Path, default=Path("build") / "x.txt")`,
			Parameter{Key: "out", Names: []string{"--out"}, Kind: Value, Type: String, Min: 1, Max: 1, Default: "build/x.txt"}},
		{"changed later", `a = p.add_argument("--x"); a.required = True; p.set_defaults(x="y")`,
			Parameter{Key: "x", Names: []string{"--x"}, Kind: Value, Type: String, Min: 1, Max: 1, Required: true, Default: "y"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			u := parserOf(t, test.line)
			if u.Partial {
				t.Error("partial")
			}
			if diff := cmp.Diff([]Parameter{test.want}, u.parameters(), ignoreUnexported, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestInterpreter has scripts that end up with one option --x with choices a and b and
// default a, in ways that have to be followed to find them.
func TestInterpreter(t *testing.T) {
	tests := map[string]string{
		"function": `
def main():
    p = argparse.ArgumentParser()
    p.add_argument("--x", choices=["a", "b"], default="a")
    args = p.parse_args()
if __name__ == "__main__":
    main()`,
		"constants": `
KINDS = {"a": 1, "b": 2}
FIRST, LAST = sorted(KINDS)
def main():
    p = argparse.ArgumentParser()
    p.add_argument("--x", choices=list(KINDS.keys()), default=FIRST)
    return p.parse_args()
sys.exit(main())`,
		"returned parser": `
def build(name="--x", **more):
    p = argparse.ArgumentParser()
    p.add_argument(name, **more)
    return p
build(choices=("a", "b"), default="a").parse_args()`,
		"helper": `
def common(p, names):
    for n in names:
        p.add_argument(f"--{n}", choices=[c.lower() for c in "AB"], default="a")
p = argparse.ArgumentParser()
common(p, ["x"])
p.parse_args()`,
		"group": `
p = argparse.ArgumentParser()
g = p.add_argument_group("more")
g.add_argument("--x", choices="a b".split(), default="a")
p.parse_args()`,
		"parents": `
base = argparse.ArgumentParser(add_help=False)
base.add_argument("--x", choices=["a", "b"], default="a")
p = argparse.ArgumentParser(parents=[base])
p.parse_args()`,
		"class": `
class App:
    KINDS = ["a", "b"]
    def __init__(self):
        self.p = argparse.ArgumentParser()
        self.options()
    def options(self):
        self.p.add_argument("--x", choices=self.KINDS, default=self.KINDS[0])
    def run(self):
        self.p.parse_args()
App().run()`,
		"enumeration": `
class Kind(enum.Enum):
    A = "a"
    B = "b"
p = argparse.ArgumentParser()
p.add_argument("--x", choices=[k.value for k in Kind], default=Kind.A.value)
p.parse_args()`,
		"unknown branches": `
try:
    import yaml
except ImportError:
    yaml = None
if len(sys.argv) < 2:
    print("usage")
    sys.exit(1)
p = argparse.ArgumentParser()
p.add_argument("--x", choices=["a", "b"], default="a" if sys else "a")
if argv is None:
    args = p.parse_args()
else:
    args = p.parse_args(argv)`,
		"own parser class": `
class P(argparse.ArgumentParser):
    def error(self, message):
        sys.exit(2)
p = P()
p.add_argument("--x", choices=["a", "b"], default="a")
p.parse_args()`,
		"nobody calls it": `
@app.command
def main(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--x", choices=["a", "b"], default="a")
    p.parse_args(argv)
launch()`,
		"loop that runs": `
p = argparse.ArgumentParser()
for name, kw in [("--x", dict(choices=["a", "b"], default="a"))]:
    p.add_argument(name, **kw)
p.parse_args()`,
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			u := of(t, "import argparse, sys, enum\n"+src)
			want := []Parameter{{Key: "x", Names: []string{"--x"}, Kind: Value, Type: String, Min: 1, Max: 1, Choices: []any{"a", "b"}, Default: "a"}}
			if diff := cmp.Diff(want, u.Options, ignoreUnexported, cmpopts.EquateEmpty()); diff != "" || u.Partial {
				t.Error(u.Partial, diff)
			}
		})
	}
}

// TestUncertain has scripts whose parameters the text does not decide.
func TestUncertain(t *testing.T) {
	tests := map[string]string{
		"unknown name":      "p = argparse.ArgumentParser()\np.add_argument(name())\np.parse_args()",
		"unknown keywords":  "p = argparse.ArgumentParser()\np.add_argument('--x', **load())\np.parse_args()",
		"unknown action":    "p = argparse.ArgumentParser()\np.add_argument('--x', action=load())\np.parse_args()",
		"sometimes":         "p = argparse.ArgumentParser()\nif os.path.exists('x'):\n    p.add_argument('--x')\np.parse_args()",
		"unknown loop":      "p = argparse.ArgumentParser()\nfor n in names():\n    p.add_argument('--' + n)\np.parse_args()",
		"given away":        "p = argparse.ArgumentParser()\nlibrary.add_options(p)\np.parse_args()",
		"unknown rest":      "p = argparse.ArgumentParser()\np.add_argument('--x')\nargs, rest = p.parse_known_args()",
		"after a way out":   "def add(p):\n    if env():\n        return\n    p.add_argument('--x')\np = argparse.ArgumentParser()\nadd(p)\np.parse_args()",
		"unknown parents":   "p = argparse.ArgumentParser(parents=[library.parser()])\np.parse_args()",
		"other prefixes":    "p = argparse.ArgumentParser(prefix_chars='+')\np.parse_args()",
		"own add_argument":  "class P(argparse.ArgumentParser):\n    def add_argument(self, *a):\n        pass\np = P()\np.add_argument('--x')\np.parse_args()",
		"unknown exception": "p = argparse.ArgumentParser()\ntry:\n    load()\nexcept OSError:\n    p.add_argument('--x')\np.parse_args()",
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			if u := of(t, "import argparse\n"+src); !u.Partial {
				t.Errorf("certain: %+v", u)
			}
		})
	}
	for name, src := range map[string]string{
		"two parsers": "a = argparse.ArgumentParser()\na.add_argument('--a')\nb = argparse.ArgumentParser()\nif os.name:\n    a.parse_args()\nelse:\n    b.parse_args()",
		"no parser":   "print('argparse')",
		"other words": "p = argparse.ArgumentParser()\np.add_argument('--x')\np.parse_args(['--x', '1'])",
		"syntax":      "p = argparse.ArgumentParser()\np.add_argument('--x', default=1 2)\np.parse_args()",
		"endless":     "import argparse\nd = []\n" + strings.Repeat("for a in range(1000):\n  for b in range(1000):\n    d = [a, b]\n", 3),
	} {
		t.Run(name, func(t *testing.T) {
			if u, ok := Of("x.py", []byte("import argparse\n"+src)); ok {
				t.Errorf("certain: %+v", u)
			}
		})
	}
}

func TestSubcommands(t *testing.T) {
	u := of(t, `
import argparse
common = argparse.ArgumentParser(add_help=False)
common.add_argument("--root", default=".")
p = argparse.ArgumentParser(description="Keeps a list.")
p.add_argument("--quiet", action="store_true")
sub = p.add_subparsers(dest="action", required=True)
add = sub.add_parser("add", aliases=["new"], parents=[common], help="adds an entry")
add.add_argument("title")
which = add.add_mutually_exclusive_group(required=True)
which.add_argument("--top", action="store_true")
which.add_argument("--end", action="store_true")
for name in ("list", "count"):
    q = sub.add_parser(name, parents=[common])
    q.add_argument("--limit", type=int)
p.parse_args()
`)
	got, err := json.Marshal(u.Schema())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"additionalProperties":false,"properties":{` +
		`"action":{"description":"The command to run.","enum":["add","list","count"],"type":"string"},` +
		`"end":{"description":"add: Option --end.","type":"boolean"},` +
		`"limit":{"description":"list: Option --limit. count: Option --limit.","type":"integer"},` +
		`"quiet":{"description":"Option --quiet.","type":"boolean"},` +
		`"root":{"description":"add: Option --root. (default: .) list: Option --root. (default: .) count: Option --root. (default: .)","type":"string"},` +
		`"title":{"description":"add: Positional argument title.","type":"string"},` +
		`"top":{"description":"add: Option --top.","type":"boolean"}},"required":["action"],"type":"object"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	const text = `list.py [--quiet] COMMAND …
  add [--root ROOT] [--top] [--end] TITLE: adds an entry
    root: Option --root. (default: .)
    top, end: exactly one of them
  list [--root ROOT] [--limit INTEGER]
    root: Option --root. (default: .)
  count [--root ROOT] [--limit INTEGER]
    root: Option --root. (default: .)`
	if diff := cmp.Diff(text, u.Text("list.py")); diff != "" {
		t.Error(diff)
	}
}

func TestLanguage(t *testing.T) {
	const body = "import argparse\np = argparse.ArgumentParser()\np.parse_args()\n"
	for name, want := range map[string]bool{"x.py": true, "x.PY": true, "x": false, "x.sh": false} {
		if _, ok := Of(name, []byte(body)); ok != want {
			t.Errorf("%s: %t", name, ok)
		}
	}
	for first, want := range map[string]bool{"#!/usr/bin/env python3": true, "#!/usr/bin/env -S uv run --script": true, "#!/bin/bash": false} {
		if _, ok := Of("x", []byte(first+"\r\n"+body)); ok != want {
			t.Errorf("%s: %t", first, ok)
		}
	}
	if _, ok := Of("x.py", []byte(body+strings.Repeat("#", maxSource))); ok {
		t.Error("no limit")
	}
}
