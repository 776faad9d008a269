package frontmatter

import (
	"reflect"
	"testing"

	"go.yaml.in/yaml/v4"
)

// FuzzWordLines holds fields of plain words to what the parser makes of them.
func FuzzWordLines(f *testing.F) {
	for _, text := range []string{
		"name: my-skill\ndescription: Turns a into b. Use when needed\n", "name: my-skill", "name: my-skill\nname: my-skill\n",
		"name: my-skill \n", "name:  my-skill\n", "name: my-skill\n\ndescription: x y z z\n", "a-b: e123456\nc: -1234567", "on: Infinity", "y: it's (a) b/c, d",
		"name: abcdef\r\n", "ab: falsey", "a: nullnull\n ", "n: abcdef=", "m: abcdef -", "Name: abcdef", "k9: abc, def", "a: b: cdefg", "a: abc !def",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fast := wordLines([]byte(text))
		if fast == nil {
			return
		}
		var node yaml.Node
		if err := yaml.Load([]byte(text), &node); err != nil {
			t.Fatalf("%q is refused: %v", text, err)
		}
		decode := func(n *yaml.Node) *Content {
			d := Scan([]byte("---\n" + text + "\n---\n"))
			d.fromNode(n, []byte(text))
			return &d
		}
		if got, want := decode(fast), decode(&node); !reflect.DeepEqual(got.Fields, want.Fields) || !reflect.DeepEqual(got.Faults, want.Faults) || got.Style != want.Style {
			t.Errorf("%q:\ngot  %+v %+v\nwant %+v %+v", text, got.Fields, got.Faults, want.Fields, want.Faults)
		}
	})
}

// TestWordLines holds which frontmatters need no parser.
func TestWordLines(t *testing.T) {
	for text, want := range map[string]bool{
		"name: my-skill\ndescription: Turns a/b into c (d). Use when it's needed.\n": true,
		"name: 12345678\n": false, "name: a1\n": false, "name: my-skill # c\n": false, "name: it: is so\n": false,
		"name: my-skill \n": false, "metadata:\n  a: abcdef\n": false, "name: \"abcdef\"\n": false, "name: caffè latte\n": false, "": false,
	} {
		if got := wordLines([]byte(text)) != nil; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
