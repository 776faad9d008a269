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
	} {
		got, ok := InlineMetadata([]byte(c.head))
		if ok != c.ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, ok, c.want)
		}
	}
}
