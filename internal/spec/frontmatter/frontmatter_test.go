package frontmatter

import (
	"strings"
	"testing"
)

// TestEncoding checks what is reported for a file that is not UTF-8.
func TestEncoding(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"caf\xe9", `byte 0xE9 at offset 35 is not valid UTF-8`},
		{"don\x92t", `byte 0x92 at offset 35 is not valid UTF-8`},
	} {
		doc := Scan([]byte("---\nname: my-skill\ndescription: " + tt.text + "\n---\n"))
		var got []string
		for _, f := range doc.Faults {
			got = append(got, f.Message)
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
	for src, want := range map[string]string{
		"\xFF\xFE-\x00": "UTF-16 (little endian)", "\xFE\xFF\x00-": "UTF-16 (big endian)", "-\x00-\x00-\x00": "UTF-16 (little endian, no byte order mark)",
		"\x00-\x00-\x00-": "UTF-16 (big endian, no byte order mark)", "\xFF\xFE\x00\x00-\x00": "UTF-32 (little endian)", "\x00\x00\xFE\xFF\x00": "UTF-32 (big endian)",
	} {
		if faults := Scan([]byte(src)).Faults; len(faults) != 1 || faults[0].Message != "the file is "+want+", not UTF-8" {
			t.Errorf("%q: got %+v, want %s", src, faults, want)
		}
	}
}

// TestFileOfALink checks that a file that git wrote in place of a symbolic link is
// distinguished from one without fields.
func TestFileOfALink(t *testing.T) {
	for src, want := range map[string]bool{
		"../shared/a/SKILL.md": true, "a/SKILL.md": true, "/b/c.md": true,
		"SKILL.md": false, "see a/b.md": false, "../a/SKILL.md\n": false, "https://example.com/a.md": false, "": false,
	} {
		d := Scan([]byte(src))
		if got := len(d.Faults) == 1 && strings.Contains(d.Faults[0].Message, "it holds only a path: a symbolic link"); got != want {
			t.Errorf("%q: %+v", src, d.Faults)
		}
	}
}

// TestDecode checks the text, kind and position of fields, and which rule reports
// what could not be read.
func TestDecode(t *testing.T) {
	c := read("name: my-skill\nmetadata:\n  version: 1.0\n  tags: [a, \"b\"]\nname: again")
	name, metadata := c.Field("name"), c.Field("metadata")
	if name.Value.Text != "my-skill" || name.KeySpan != (Span{Pos{2, 1}, Pos{2, 5}}) || name.Value.Span != (Span{Pos{2, 7}, Pos{2, 15}}) {
		t.Errorf("name: %+v", name)
	}
	if v := metadata.Value.Fields[0].Value; v.Kind != Number || v.Text != "1.0" {
		t.Errorf("version: %+v", v)
	}
	if v := metadata.Value.Fields[1].Value; v.Style != Flow || len(v.Items) != 2 || v.Items[1].Style != DoubleQuoted {
		t.Errorf("tags: %+v", v)
	}
	if len(c.Fields) != 3 || len(c.Faults) != 1 || c.Faults[0].Rule != "frontmatter-duplicate-key" || c.Faults[0].Span.Start != (Pos{6, 1}) {
		t.Errorf("%d fields, faults %+v", len(c.Fields), c.Faults)
	}
	if c.Body != "# Body\n" || c.BodyLine != 8 {
		t.Errorf("the body is %q on line %d", c.Body, c.BodyLine)
	}
}

// TestRepair checks the fault of a broken value and what is read after it.
func TestRepair(t *testing.T) {
	c := read("name: a: b\ndescription: ? x")
	if len(c.Faults) != 2 || c.Faults[0].Fix == nil || c.Faults[1].Fix != nil || c.Mapping || !c.Guessed(2) || c.Guessed(3) {
		t.Fatalf("faults %+v", c.Faults)
	}
	if e := c.Faults[0].Fix.Edits[0]; e.Text != `"a: b"` || string(c.Source[e.Start:e.End]) != "a: b" {
		t.Errorf("the fix is %+v", e)
	}
	c = read("name: a: b\nlicense: MIT")
	if !c.Mapping || c.Text("name") != "a: b" || c.Text("license") != "MIT" {
		t.Errorf("read on as %+v", c.Fields)
	}
}
