package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// links writes the links of a text as kind target@written.
func links(src string) []string {
	var out []string
	for _, l := range Parse([]byte(src)).Links {
		kind := [...]string{"inline", "ref", "auto", "image", "html"}[l.Kind]
		out = append(out, fmt.Sprintf("%s %s@%s", kind, l.Target, src[l.Start:l.End]))
	}
	return out
}

func TestLinks(t *testing.T) {
	for name, tt := range map[string]struct {
		src  string
		want []string
	}{
		"inline":              {"See [a](b.md) there.", []string{"inline b.md@b.md"}},
		"title":               {`[a](b.md "T (x)") [c](d.md 'T')`, []string{"inline b.md@b.md", "inline d.md@d.md"}},
		"title on a new line": {"[a](b.md\n\"T\")", []string{"inline b.md@b.md"}},
		"on a new line":       {"> [a](\n> b.md)", []string{"inline b.md@b.md"}},
		"angle brackets":      {"[a](<x y.md> \"T\")", []string{"inline x y.md@x y.md"}},
		"percent":             {"[a](x%20y%C3%A9.md)", []string{"inline x yé.md@x%20y%C3%A9.md"}},
		"percent of marks":    {"[a](x%23y%3Fz%2541.md)", []string{"inline x%23y%3Fz%2541.md@x%23y%3Fz%2541.md"}},
		"no percent encoding": {"[a](100%.md)", []string{"inline 100%.md@100%.md"}},
		"parentheses":         {"[a](x(1(2)).md)", []string{"inline x(1(2)).md@x(1(2)).md"}},
		"escapes":             {`[a](x\(1\_2.md)`, []string{`inline x(1_2.md@x\(1\_2.md`}},
		"backslash":           {`[a](references\guide.md)`, []string{`inline references\guide.md@references\guide.md`}},
		"entity":              {"[a](x&amp;y&#46;md)", []string{"inline x&y.md@x&amp;y&#46;md"}},
		"empty":               {"[a]()", []string{"inline @"}},
		"fragment and query":  {"[a](b.md?x=1#frag)", []string{"inline b.md?x=1#frag@b.md?x=1#frag"}},
		"image":               {"![a](b.png \"T\")", []string{"image b.png@b.png"}},
		"linked image":        {"[![a](b.png)](c.md)", []string{"image b.png@b.png", "inline c.md@c.md"}},
		"in emphasis":         {"**[a](b.md)** *x [c](d.md)*", []string{"inline b.md@b.md", "inline d.md@d.md"}},
		"same target in text": {"[b.md](b.md)", []string{"inline b.md@b.md"}},
		"table":               {"| a | b |\n|---|---|\n| [x](y.md) | `[n](o.md)` |\n", []string{"inline y.md@y.md"}},
		"list and quotation":  {"1. a\n   - > [x](y.md)\n", []string{"inline y.md@y.md"}},
		"crlf":                {"a\r\n[x](y.md)\r\n", []string{"inline y.md@y.md"}},
		"autolinks":           {"<https://e.org/x> <me@e.org>", []string{"auto https://e.org/x@https://e.org/x", "auto me@e.org@me@e.org"}},
		"full reference":      {"[a][L b]\n\n[l  B]: <x y.md> 'T'\n", []string{"ref x y.md@x y.md"}},
		"collapsed":           {"[a][] ![a][]\n\n[a]: b.md\n", []string{"ref b.md@b.md", "image b.md@b.md"}},
		"shortcut twice":      {"[a] and [a]\n\n[a]:\n  b.md\n", []string{"ref b.md@b.md"}},
		"first definition":    {"[a]: b.md\n[a]: c.md\n\n[a]", []string{"ref b.md@b.md"}},
		"odd label":           {"[x]: y.md\n[a\\]: b]: c.md\n\n[a\\]: b]", []string{"ref c.md@c.md"}},
		"unused definition":   {"[a]: b.md\n", nil},
		"no definition":       {"[a][b] [c]", nil},
		"footnote":            {"Text[^1] and[^2].\n\n[^1]: note.md\n[^2]: See [a](b.md).\n", []string{"inline b.md@b.md"}},
		"footnote definition": {"[x]: y.md\n[^1]: note\n\nText[^1] [x]", []string{"ref y.md@y.md"}},
		"code":                {"`[a](b.md)` ``[c](`d.md)``\n\n```\n[e](f.md)\n```\n\n    [g](h.md)\n", nil},
		"fence in a fence":    {"[z](z.md)\n\n```markdown\n```bash\n[a](b.md)\n```\n[c](d.md)\n```\n\n```\nx\n```\n\n[e](f.md)\n", []string{"inline z.md@z.md", "inline f.md@f.md"}},
		"the same in a list":  {"- x\n\n  ~~~md\n  ~~~sh\n  ~~~\n  [c](d.md)\n  ~~~\n\n[e](f.md)\n", []string{"inline f.md@f.md"}}, // the list's end closes the last
		"longer outer fence":  {"````md\n```bash\n```\n[a](b.md)\n````\n[c](d.md)\n```\n[e](f.md)\n```\n", []string{"inline d.md@d.md"}},
		"unpaired fences":     {"```md\n```bash\n```\n[a](b.md)\n", []string{"inline b.md@b.md"}},
		"fences side by side": {"```\nx\n```\n[a](b.md)\n```sh\n[c](d.md)\n```\n", []string{"inline b.md@b.md"}},
		"escaped":             {`\[a](b.md) [c\](d.md)`, nil},
		"comment":             {"x <!-- [a](b.md) --> y\n\n<!--\n[c](d.md)\n\n[e](f.md) -->\n", nil},
		"html":                {"x <a class=b href='c.md'>d</a> <img alt=\"\" src=e.png />", []string{"html c.md@c.md", "html e.png@e.png"}},
		"html block":          {"<p>\n<IMG\n  SRC=\"a&amp;b.png\"></p>\n\n<video><source src=c.mp4></video>\n", []string{"html a&b.png@a&amp;b.png", "html c.mp4@c.mp4"}},
		"html in a quotation": {"> <div>\n> <a\n> href=\"b.md\">x</a>\n> </div>\n", []string{"html b.md@b.md"}},
		"html elsewhere":      {"<p data-src='a.md' href=b.md>\n<script>x = '<a href=\"c.md\">'</script>\n<!-- <a href=d.md> -->", nil},
		"markdown in html":    {"<div>\n[a](b.md)\n\n[c](d.md)\n</div>", []string{"inline d.md@d.md"}},
		"unclosed html":       {"<div><a href=\"b.md", []string{"html b.md@b.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := links(tt.src); !slices.Equal(got, tt.want) {
				t.Errorf("links of %q\n got %q\nwant %q", tt.src, got, tt.want)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	for target, want := range map[string][3]any{
		"a.md":               {"a.md", "", false},
		"a.md?x=1#y%20z":     {"a.md", "y z", true},
		"#":                  {"", "", true},
		"c%23/d%3F%25.md#é":  {"c#/d?%.md", "é", true},
		"100%":               {"100%", "", false},
		"a%2541.md?b#c?d#e":  {"a%41.md", "c?d#e", true},
		"https://e.org/#top": {"https://e.org/", "top", true},
	} {
		path, fragment, has := Link{Target: target}.Split()
		if got := [3]any{path, fragment, has}; got != want {
			t.Errorf("Split(%q) = %v, want %v", target, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	src := "Run `a b` and `` c`d ``.\n\n> ```sh title=x\n> one\n>   two\n> ```\n\n- x\n\n      three\n\n`over\nlines` ~~~\n\n~~~\nopen"
	var got []string
	p := Parse([]byte(src))
	for _, c := range p.Code {
		got = append(got, fmt.Sprintf("%v %q %q", c.Block, c.Lang, c.Text))
		for i := range c.Text {
			if at := c.Offset(i); src[at] != c.Text[i] {
				t.Errorf("byte %d of %q is at %d, where %q is", i, c.Text, at, src[at])
			}
		}
		if c.Offset(len(c.Text)) != c.End {
			t.Errorf("the end of %q is at %d, want %d", c.Text, c.Offset(len(c.Text)), c.End)
		}
	}
	want := []string{
		`false "" "a b"`, "false \"\" \"c`d\"", `true "sh" "one\n  two\n"`, `true "" "three\n"`,
		`false "" "over\nlines"`, `true "" "open"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestComments(t *testing.T) {
	src := "a <!-- one --> b\n\n<!--two\n\nthree-->\n\n<div>\n<!-- four -->\n</div>\n\nx <!--> y\n\n`<!-- no -->`\n\n<!-- open"
	var got []string
	for _, c := range Parse([]byte(src)).Comments {
		got = append(got, c.Text)
		if s := src[c.Start:c.End]; !strings.HasPrefix(s, "<!--") {
			t.Errorf("a comment begins at %q", s)
		}
	}
	if want := []string{" one ", "two\n\nthree", " four ", "", " open"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProse(t *testing.T) {
	src := "# A `b` c\n\none\ntwo [three](four.md \"five\") <b x=y>six</b> <!-- no --> <https://e.org>\n\n> ```\n> code\n> ```\n\n<p>seven\neight</p>\n<style>no</style>\n\n![alt](no.png)\n"
	var got []string
	for _, s := range Parse([]byte(src)).Prose {
		if w := strings.TrimSpace(src[s.Start:s.End]); w != "" {
			got = append(got, w)
		}
	}
	if want := []string{"A", "c", "one", "two", "three", "six", "seven", "eight", "alt"}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestFenceInFence checks the result for a page whose fences can be paired in
// two ways: what their author meant, without the sample, and the anchors of either.
func TestFenceInFence(t *testing.T) {
	p := Parse([]byte("# A\n\n`w` text\n\n```md\n```sh\nmake\n```\n# B\n`x` text\n```\n\n# C\n\n`y` text\n"))
	if len(p.Anchors) != 3 || !p.Anchors["a"] || !p.Anchors["b"] || !p.Anchors["c"] {
		t.Errorf("the anchors are %v", p.Anchors)
	}
	if len(p.Code) != 2 || p.Code[0].Text != "w" || p.Code[1].Text != "y" {
		t.Errorf("the code is %+v", p.Code)
	}
	for _, s := range p.Prose {
		if before := len("# A\n\n`w` text\n\n"); s.Start > before && s.Start < before+len("```md\n```sh\nmake\n```\n# B\n`x` text\n```\n") {
			t.Errorf("there is text at %d", s.Start)
		}
	}
}
