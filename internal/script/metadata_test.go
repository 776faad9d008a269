package script

import (
	"reflect"
	"testing"
)

func TestInlineMetadata(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		want Inline
		ok   bool
	}{
		"list":       {"#!/usr/bin/env python3\n# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"requests<3\",\n#   'rich',\n# ]\n# ///\nimport requests\n", Inline{[]string{"requests<3", "rich"}, ">=3.11"}, true},
		"one line":   {"# /// script\n# dependencies = [\"a[extra]>=1\", \"b\"]\n# ///\n", Inline{[]string{"a[extra]>=1", "b"}, ""}, true},
		"none":       {"# /// script\n# dependencies = []\n# ///\n", Inline{}, true},
		"CR LF":      {"# /// script\r\n# dependencies = [\"x\"]\r\n# ///\r\n", Inline{[]string{"x"}, ""}, true},
		"no block":   {"dependencies = [\"x\"]\n", Inline{}, false},
		"never ends": {"# /// script\n# dependencies = [\"x\"]\n", Inline{}, false},
		"other block": {"# /// script\n# dependencies = [\"x\"]\n# [tool.uv]\n# index = [\"y\"]\n# ///\n",
			Inline{[]string{"x"}, ""}, true},
		"comments": {"# /// script\n# # requires-python = \">=3.14\"\n# requires-python = '>=3.11' # \"newer\"\n# dependencies = [ # \"none\"\n#   \"a\", # was \"notme\"\n#   # \"nor me\",\n#   \"b#c\",\n# ] # \"end\"\n# ///\n",
			Inline{[]string{"a", "b#c"}, ">=3.11"}, true},
		"other keys": {"# /// script\n# extra = { a = [1, 2] }\n# \"dependencies\" = [\"x\"]\n# note = \"\"\"a\n# requires-python = 1\"\"\"\n# ///\n", Inline{[]string{"x"}, ""}, true},
	} {
		got, ok := InlineMetadata([]byte(c.head))
		if ok != c.ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, ok, c.want)
		}
	}
}

func TestInlineFault(t *testing.T) {
	const two = "it has two blocks of script metadata, and one is allowed"
	for text, want := range map[string]string{
		"import x\n": "",
		"# /// script\n# requires-python = \">=3.11\"\n# dependencies = []\n#\n# [tool.uv]\n# anything goes\n# ///\n": "",
		"# /// script\n# requires-python = \">=\n# ///\n":                                                             "its script metadata is broken: requires-python: a quote is never closed",
		"# /// script\n# requires-python = 3.11\n# ///\n":                                                             "its script metadata is broken: requires-python is no text",
		"# /// script\n# requires-python =\n# ///\n":                                                                  "its script metadata is broken: requires-python has no value",
		"# /// script\n# dependencies = [\"a\"\n# ///\n":                                                              "its script metadata is broken: dependencies: a bracket is never closed",
		"# /// script\n# dependencies = \"a\"\n# ///\n":                                                               "its script metadata is broken: dependencies is no list",
		"# /// script\n# dependencies = []]\n# ///\n":                                                                 "its script metadata is broken: dependencies: a bracket is closed that was not opened",
		"# /// script\n# requests\n# ///\n":                                                                           "its script metadata is broken: no key and value: requests",
		"# /// script\n# dependencies = []\n# ///\nimport x\n# /// script\n# dependencies = []\n# ///\n":              two,
		"# /// script\n# dependencies = []\nimport x\n":                                                               "its block of script metadata is never closed: the line # /// is missing",
		"# /// script\n# dependencies = []\n":                                                                         "its block of script metadata is never closed: the line # /// is missing",
		"# /// pyproject\n# a\n":                                                                                      "",
	} {
		if got := InlineFault([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzInline(f *testing.F) {
	f.Add("# /// script\n# dependencies = [\n# 'a', # b\n# ]\n# x = \"\"\"\n# \"\"\"\n# ///\n")
	f.Fuzz(func(t *testing.T, head string) {
		if _, ok := InlineMetadata([]byte(head)); ok != declaresDependencies([]byte(head)) {
			t.Errorf("%q: whether there is a block is not agreed upon", head)
		}
		InlineFault([]byte(head))
	})
}
