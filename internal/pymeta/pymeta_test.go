package pymeta

import (
	"reflect"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		want Metadata
		ok   bool
	}{
		"list":     {"#!/usr/bin/env python3\n# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"requests<3\",\n#   'rich',\n# ]\n# ///\nimport requests\n", Metadata{Dependencies: []string{"requests<3", "rich"}, Python: ">=3.11"}, true},
		"one line": {"# /// script\n# dependencies = [\"a[extra]>=1\", \"b\"]\n# ///\n", Metadata{Dependencies: []string{"a[extra]>=1", "b"}}, true},
		"none":     {"# /// script\n# dependencies = []\n# ///\n", Metadata{Dependencies: []string{}}, true},
		"CR LF":    {"# /// script\r\n# dependencies = [\"x\"]\r\n# ///\r\n", Metadata{Dependencies: []string{"x"}}, true},
		"no block": {"dependencies = [\"x\"]\n", Metadata{}, false},
		"other block": {"# /// script\n# dependencies = [\"x\"]\n# [tool.uv]\n# index = [\"y\"]\n# ///\n",
			Metadata{Dependencies: []string{"x"}}, true},
		"comments": {"# /// script\n# # requires-python = \">=3.14\"\n# requires-python = '>=3.11' # \"newer\"\n# dependencies = [ # \"none\"\n#   \"a\", # was \"notme\"\n#   # \"nor me\",\n#   \"b#c\",\n# ] # \"end\"\n# ///\n",
			Metadata{Dependencies: []string{"a", "b#c"}, Python: ">=3.11"}, true},
		"other keys": {"# /// script\n# extra = { a = [1, 2] }\n# \"dependencies\" = [\"x\"]\n# note = \"\"\"a\n# requires-python = 1\"\"\"\n# ///\n", Metadata{Dependencies: []string{"x"}}, true},
	} {
		got, ok := Read([]byte(c.head))
		if (got.Line > 0) != ok {
			t.Errorf("%s: the block is on line %d", name, got.Line)
		}
		got.Line = 0
		if ok != c.ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, ok, c.want)
		}
	}
}

func TestFault(t *testing.T) {
	const unclosed = "its block of script metadata is never closed: the line # /// is missing"
	block := func(lines ...string) string {
		return "# /// script\n# " + strings.Join(lines, "\n# ") + "\n# ///\nimport x\n"
	}
	for text, want := range map[string]string{
		"import x\n":             "",
		"# /// pyproject\n# a\n": "",
		block("requires-python = \">=3.11\"", "dependencies = []", "[tool.uv]", "index = 1"): "",
		block("requires-python = 3.11"):                 "its script metadata is invalid: line 1 (last key ",
		block("dependencies = \"a\""):                   "its script metadata is invalid: line 1 (last key ",
		block("dependencies = [1]"):                     "its script metadata is invalid: line 1 (last key ",
		block("a = 1") + block("a = 1"):                 "it has two blocks of script metadata, and one is allowed",
		"# /// script\n# a = 1\nimport x\n":             unclosed,
		"# /// script\n# dependencies = []\n":           unclosed,
		block("", "requires-python = \">="):             "its script metadata is invalid: line 2",
		block("requires-python ="):                      "its script metadata is invalid: line 1",
		block("dependencies = [\"a\""):                  "its script metadata is invalid: line 1",
		block("dependencies = []]"):                     "its script metadata is invalid: line 1",
		block("requests"):                               "its script metadata is invalid: line 1",
		block("a = 1", "a = 2"):                         "its script metadata is invalid: line 2 (last key \"a\"): Key 'a' has already been defined",
		block("note = yes"):                             "its script metadata is invalid: line 1",
		block("dependencies, = []"):                     "its script metadata is invalid: line 1",
		block("dependencies = [\"a\" \"b\"]"):           "its script metadata is invalid: line 1",
		block(`requires-python = "\q"`):                 "its script metadata is invalid: line 1",
		block("dependencies = []", "[tool.uv", "x = 1"): "its script metadata is invalid: line ",
	} {
		if m, _ := Read([]byte(text)); !strings.HasPrefix(m.Fault, want) || want == "" && m.Fault != "" {
			t.Errorf("%q: got %q, want %q", text, m.Fault, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("# /// script\n# dependencies = [\n# 'a', # b\n# ]\n# x = \"\"\"\n# \"\"\"\n# ///\n")
	f.Fuzz(func(t *testing.T, head string) {
		m, ok := Read([]byte(head))
		m.Fault, m.Line = "", 0
		if !ok && !reflect.DeepEqual(m, Metadata{}) {
			t.Errorf("%q: got %+v without a block", head, m)
		}
	})
}
