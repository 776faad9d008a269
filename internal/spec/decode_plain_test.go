package spec

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// FuzzDecodePlain holds that a frontmatter that is read line by line says what
// it says to the YAML parser, at the same places.
func FuzzDecodePlain(f *testing.F) {
	for _, s := range []string{
		"name: a\ndescription: Does a thing — well. Use when it's asked for.\n", "a: b\nmetadata:\n  author: me\n  version: \"1.0\"\nc: 'd e'\n",
		"a: b\n  c\n", "a: b\n\nc: d\n", "a: b\na: c\n", "m:\n  a: b\n c: d\n", "m:\n  a: b\n   c: d\n", "m:\n  a: b\n  - c\n", "a: yes\n", "a: b: c\n",
		"a: b #c\n", "a: \"b\\n\"\n", "a: 'b''c'\n", "a: \"b\" \n", "a: b", "null: a\n", "a: b\n...\n", "a: b\n---\nc: d\n", "a: \"b\n", "a: Infinity\n", "a: é\nb: \"é\"\n",
		"a: e1\n", "a: b,c\n", "a: b]\n", "a: x\u2028y\n", "a: \u00a0b\n", "a: b\u0085\n", "y: n1\n", "a: \"\"\n", "a: \" b\"\n", "x-y_z: K\u0308\n", "m:\n  a:\n", "m:\n\n  a: b\n", "a: \"\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := []byte("---\n" + text)
		if text == "" || text[len(text)-1] != '\n' {
			src = append(src, '\n')
		}
		src = append(src, "---\nbody\n"...)
		quick, whole := Scan("SKILL.md", "a", src), Scan("SKILL.md", "a", src)
		block := quick.Block()
		if !block.Closed() || !quick.decodePlain(src[block.Start:block.End]) {
			return
		}
		whole.decode(src[block.Start:block.End])
		quick.lines()
		whole.lines()
		if !reflect.DeepEqual(quick, whole) {
			t.Fatalf("of %q\nquick: %+v\nwhole: %+v", text, quick, whole)
		}
	})
}

// TestDecodePlain holds that what most skills start with is read that way.
func TestDecodePlain(t *testing.T) {
	for _, text := range []string{
		"name: a\ndescription: Does a thing, well; it's (nearly) 5 % faster. Use when asked — or not.\n",
		"name: a\ndescription: \"Does: a thing\"\nlicense: 'MIT # x'\nmetadata:\n  author: me\n  version: \"1.0\"\nallowed-tools: Read Bash(git *)\n",
	} {
		if d := Scan("SKILL.md", "a", []byte("---\n"+text+"---\n")); !d.decodePlain([]byte(text)) {
			t.Errorf("%q was not read", text)
		}
	}
	// Each field is compared with those before it: of many, none is read.
	var many strings.Builder
	for i := range 2 * maxPlain {
		fmt.Fprintf(&many, "key-%d: text\n", i)
	}
	if d := Scan("SKILL.md", "a", []byte("---\n"+many.String()+"---\n")); d.decodePlain([]byte(many.String())) {
		t.Error("a frontmatter of very many fields was read")
	}
}
