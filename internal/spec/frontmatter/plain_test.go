package frontmatter

import (
	"reflect"
	"testing"
	"unicode/utf8"
)

// FuzzPlainFields checks that reading without the parser gives the parser's result.
func FuzzPlainFields(f *testing.F) {
	for text, plain := range map[string]bool{
		"name: my-skill\ndescription: Reads \"tables\", [a] and it's {b} c:d#e\n": true,
		"name: \"a: b # c\"\ndescription: ' x '\n":                                true,
		"name: 说明 文字\nlicense: ''":                                                true,
		"name: a\n":                                                               true,
		"name: a":                                                                 true,
		"":                                                                        false,
		"\n":                                                                      false,
		"name: a\n\n":                                                             false,
		"name: a: b\n":                                                            false,
		"name: a:\n":                                                              false,
		"name: a #b\n":                                                            false,
		"name: a \n":                                                              false,
		"name:  a\n":                                                              false,
		"name: \"a\" \n":                                                          false,
		"name: 'a'b'\n":                                                           false,
		"name: 'a''b'\n":                                                          false,
		"name: \"\\n\"\n":                                                         false,
		"name: \"\n":                                                              false,
		"name: ''\n":                                                              true,
		"name: '\n":                                                               false,
		"name: true\n":                                                            false,
		"name: No\n":                                                              false,
		"name: 1.0\n":                                                             false,
		"name: >-\n":                                                              false,
		"name: a\n  b\n":                                                          false,
		"name: a\nname: b\n":                                                      false,
		"name: a\r\n":                                                             false,
		"name: a\u2028b\n":                                                        false,
		"name: a\u0085b\n":                                                        false,
		"name: a\tb\n":                                                            false,
		"Name: a\n":                                                               false,
		"- a: b\n":                                                                false,
		"-a: b\n":                                                                 false,
	} {
		if _, ok := plainFields(text, 2); ok != plain {
			f.Errorf("%q: plain is %v", text, ok)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fields, ok := plainFields(text, 2)
		if !ok || !utf8.ValidString(text) { // which Scan refuses
			return
		}
		d := read(text)
		parsed := Content{Source: d.Source, block: d.block}
		root, bad := ParseYAML([]byte(text))
		if bad != nil {
			t.Fatalf("%q: %v", text, bad)
		}
		parsed.fromNode(root, []byte(text))
		if len(parsed.Faults) > 0 || !parsed.Mapping || parsed.Style != Indented || !reflect.DeepEqual(fields, parsed.Fields) {
			t.Errorf("%q: %+v, the parser reads %+v %+v", text, fields, parsed.Fields, parsed.Faults)
		}
	})
}
