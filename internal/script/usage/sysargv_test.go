package usage

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSysArgv checks scripts that read sys.argv: what is certain, as a usage line, and what
// is only known as the script's own usage line, behind "?".
func TestSysArgv(t *testing.T) {
	const guard = "if len(sys.argv) != 3:\n    print(f'Usage: {sys.argv[0]} <in file> [out.csv]')\n    sys.exit(1)\n"
	for _, test := range []struct{ name, script, want string }{
		{"checked", guard + "convert(sys.argv[1], sys.argv[2])", "IN_FILE OUT_CSV"},
		{"types", guard + "n, x = int(sys.argv[1]), float(sys.argv[2])\n", "IN_FILE:integer OUT_CSV:number"},
		{"variables", "source = Path(sys.argv[1]).resolve()\ncount = int(sys.argv[2]) if len(sys.argv) > 2 else 10\n", "SOURCE [COUNT:integer=10]"},
		{"function", "def show(place, size=1):\n    pass\nshow(sys.argv[1], size=sys.argv[2])", "PLACE SIZE"},
		{"main", "def main():\n    '''Usage:\n        python x.py SOURCE [TARGET]\n    '''\n    if len(sys.argv) < 2:\n        print(__doc__)\n        return 1\n    a = sys.argv[1]\n    b = sys.argv[2] if len(sys.argv) > 2 else None\nif __name__ == '__main__':\n    sys.exit(main())", "SOURCE [TARGET]"},
		{"passed on", "def main(args):\n    if len(args) not in (1, 2):\n        sys.exit('usage: x.py FILE [FORMAT]')\n    read(args[0])\n    if len(args) == 2:\n        write(args[1])\nmain(sys.argv[1:])", "FILE [FORMAT]"},
		{"else", "if len(sys.argv) > 1:\n    run(sys.argv[1])\nelse:\n    print('usage: x.py <path>')", "PATH"},
		{"alias", "args = sys.argv[1:]\nif not args:\n    sys.exit('Usage: x.py NAME...')\nfor name in args:\n    greet(name)", "NAME …"},
		{"loop", "if not sys.argv[1:]:\n    sys.exit(2)\nfor path in sys.argv[1:]:\n    check(path)", "PATH …"},
		{"any words", "for path in sys.argv[1:]:\n    check(path)", ""},
		{"joined", "if len(sys.argv) < 2:\n    sys.exit(1)\nquery = ' '.join(sys.argv[1:])", "QUERY …"},
		{"unpacked", "_, left, right = sys.argv\nprint(left, right)", "LEFT RIGHT"},
		{"imported", "from sys import argv\nname = argv[1]", "NAME"},
		{"help only", "if len(sys.argv) < 2 or sys.argv[1] in ('-h', '--help'):\n    print('Usage: ./x.py <word>')\n    sys.exit(0)\nprint(sys.argv[1])", "WORD"},
		{"default when called alone", "if len(sys.argv) < 2:\n    demo()\n    sys.exit(0)\nprint(sys.argv[1])", "ARG1"}, // used whatever is given
		{"no words", "print(sys.argv[0])", ""},
		{"not read", "print('argv')", ""},

		{"options", "\"\"\"Usage: x.py FILE [--top N]\"\"\"\nif '--top' in sys.argv:\n    n = int(sys.argv[sys.argv.index('--top') + 1])\nprint(sys.argv[1])", "? FILE [--top N]"},
		{"options in a loop", "# x\nprint('usage: x.py [options] FILE')\nfor a in sys.argv[1:]:\n    if a.startswith('--'):\n        pass", "? [options] FILE"},
		{"disagrees", "if len(sys.argv) != 2:\n    sys.exit('Usage: x.py A B')\nprint(sys.argv[1])", "? A B"},
		{"computed", "print('usage: x.py A')\nprint(sys.argv[n])", "? A"},
		{"in a lambda", "print('usage: x.py A')\nf = lambda: sys.argv[2]\nprint(sys.argv[1])", "? A"},
		{"assigned", "sys.argv = ['x', 'y']\nprint(sys.argv[1])", ""},
		{"another parser", "import getopt\nopts = getopt.getopt(sys.argv[1:], 'x')", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, ok := Of("scripts/x.py", []byte("import sys\n"+test.script+"\n"))
			if got := summaryOf(u, ok); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// summaryOf returns what is certain as a usage line with types and defaults, and anything
// else behind "?".
func summaryOf(u Usage, ok bool) string {
	if !ok {
		return ""
	}
	if u.Partial {
		return "? " + u.Synopsis
	}
	var words []string
	for _, p := range u.Positionals {
		word := strings.ToUpper(p.Key)
		if p.Type != String {
			word += ":" + string(p.Type)
		}
		if p.Default != nil {
			text, _ := p.defaultText()
			word += "=" + text
		}
		if p.Max < 0 {
			word += " …"
		}
		if !p.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// TestSysArgvWords checks that words of a script without options are only counted.
func TestSysArgvWords(t *testing.T) {
	exact := of(t, "import sys\nif len(sys.argv) != 3:\n    sys.exit('Usage: x.py FILE TEXT')\nopen(sys.argv[1]).find(sys.argv[2])")
	free := of(t, "import sys\nname = sys.argv[1]\nsize = int(sys.argv[2]) if len(sys.argv) > 2 else 3\nmode = sys.argv[3] if len(sys.argv) > 3 else 'x'")
	for _, test := range []struct {
		usage            Usage
		arguments, words string
	}{
		{exact, `{"text": "--all", "file": "a"}`, "a|--all"},
		{exact, `["-x", "--all"]`, "-x|--all"},
		{exact, `["a"]`, ""},
		{exact, `["a", "b", "c"]`, ""},
		{exact, `"a 'b c'"`, "a|b c"},
		{free, `["a", "1", "b", "c"]`, "a|1|b|c"},
		{free, `{"name": "a", "mode": "b"}`, ""},
		{free, `{"name": "a", "size": "x"}`, ""},
		{free, `["a", "x"]`, ""},
		{free, `["--help"]`, "--help"},
	} {
		got, err := test.usage.Interpret(json.RawMessage(test.arguments))
		if words := strings.Join(got.Words, "|"); err == nil && words != test.words || err != nil && test.words != "" {
			t.Errorf("%s: %q, %v; want %q", test.arguments, words, err, test.words)
		}
	}
}

func TestSynopses(t *testing.T) {
	for text, want := range map[string]string{
		"Usage: python3 scripts/x.py <a> [b] C...":          "a [b] c*",
		"  usage:\n\n    ./x.py [FILES...]  # every file\n": "[files]*",
		"Usage: x.py word 'two words'":                      "- - -",
		"USAGE: uv run x.py <json|text> > out":              "-",
		"usage: {} A":                                       "a",
		"usage: y.py A":                                     "none",
		"The usage of x.py A":                               "none",
		"Usage: <a> x.py":                                   "none",
		"Usage: x.py [-v] A":                                "options",
	} {
		got := "none"
		if all := synopses([]string{text}, "x.py"); len(all) > 0 {
			var words []string
			for _, s := range all[0].slots {
				word := s.name
				if word == "" {
					word = "-"
				}
				if s.optional {
					word = "[" + word + "]"
				}
				if s.many {
					word += "*"
				}
				words = append(words, word)
			}
			got = strings.Join(words, " ")
			if all[0].options {
				got = "options"
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
