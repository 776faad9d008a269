package spec

import (
	"slices"
	"strings"
	"testing"
)

// linkFiles is the folder of the tests about links.
var linkFiles = map[string]string{
	"references/forms.md":     "# Forms\n\n## Field types\n",
	"references/x y.md":       "# X\n",
	"references/a(1).md":      "# A\n",
	"references/100%.md":      "# P\n",
	"references/c#.md":        "# C\n",
	"references/Übersicht.md": "# Ü\n",
	"assets/logo.png":         "png",
	"scripts/run.py":          "print()\n",
	"node_modules/":           "",
	"linked":                  "-> references",
	".hidden/":                "",
	"LICENSE":                 "x",
}

func TestLinkTarget(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want string // messages, each without its place; "" for silence
	}{
		"there":               {"[a](references/forms.md) [b](./references/forms.md) ![c](assets/logo.png) [d](references/) [e](scripts) [f](LICENSE)", ""},
		"missing":             {"[a](references/none.md)", `"references/none.md" does not exist in the skill's folder`},
		"image":               {"![a](assets/none.png)", `"assets/none.png" does not exist in the skill's folder`},
		"html":                {"<img src=\"assets/none.png\"> <a href='references/forms.md'>x</a>", `"assets/none.png" does not exist in the skill's folder`},
		"reference":           {"[a][b]\n\n[b]: references/none.md", `"references/none.md" does not exist in the skill's folder`},
		"unused reference":    {"[b]: references/none.md", ""},
		"title":               {"[a](references/forms.md \"T\") [b](<references/x y.md>) [c](references/x%20y.md) [d](references/a(1).md)", ""},
		"marks in names":      {"[a](references/100%25.md) [b](references/100%.md) [c](references/c%23.md)", ""},
		"decomposed":          {"[a](references/U\u0308bersicht.md)", ""},
		"query":               {"[a](references/forms.md?raw=1)", ""},
		"case":                {"[a](references/Forms.md)", `"references/Forms.md" is called "references/forms.md" on disk, which is another file where upper and lower case differ`},
		"own heading":         {"# Quick Start\n\n[a](#quick-start) [b](#Quick-Start) [c](#)", ""},
		"heading in HTML":     {"<h1 align=\"center\">My Skill</h1>\n\n[a](#my-skill) <b id=\"x\">b</b> [c](#x)", ""},
		"no such heading":     {"# Quick Start\n\n[a](#quickstart)", `the file has no heading #quickstart`},
		"heading of a file":   {"[a](references/forms.md#field-types) [b](SKILL.md#x)\n\n# X", ""},
		"no heading of it":    {"[a](references/forms.md#fields)", `"forms.md" has no heading #fields`},
		"fragment elsewhere":  {"[a](scripts/run.py#L3) [b](references/forms.md#L1-L3) [c](assets/logo.png#x)", ""},
		"addresses":           {"[a](https://e.org/x.md) [b](mailto:me@e.org) [c](vscode://file/x) [d](//e.org/x) [e](www.e.org/x.md) [f](e.com/x) <https://e.org/none.md>", ""},
		"slip":                {"[a](references/form.md)", `"references/form.md" does not exist in the skill's folder`},
		"placeholders":        {"[a](references/<name>.md) [b]({x}/y.md) [c](...) [d](path/to/file.md) [e](url) [f](URL) [g](references/your-file.md) [h]()", ""},
		"hidden":              {"`[a](none.md)`\n\n```\n[a](none.md)\n```\n\n<!-- [a](none.md) -->", ""},
		"site":                {"[a](/docs/none) [b](../../issues/3)", ""},
		"not listed":          {"[a](node_modules/x/y.md) [b](linked/forms.md)", ""},
		"project's folder":    {"[a](.project/docs/x.md) [b](.github/x.yml)", ""},
		"own hidden folder":   {"[a](.hidden/x.md) [b](.hid/x.md)", ""},
		"no extension":        {"[a](references/forms) [b](./references/forms/#field-types)", `"references/forms" is called "references/forms.md" on disk: only web sites leave the extension out; "references/forms" is called "references/forms.md" on disk: only web sites leave the extension out`},
		"anchor on GitHub":    {"# X\n\n[a](#user-content-x) <a name=\"__y\"></a> [b](#user-content-__y)", ""},
		"backslash":           {`[a](references\forms.md)`, `"references\forms.md" is written with backslashes: only Windows takes them for slashes`},
		"backslash, missing":  {`[a](references\none.md)`, `"references\none.md" does not exist in the skill's folder`},
		"out and back":        {"[a](../my-skill/references/forms.md)", ""},
		"escape":              {"[a](../other/SKILL.md)", ""},
		"footnote":            {"Text.[^1]\n\n[^1]: none.md", ""},
		"named to be read":    {"See `references/none.md` for more.", `"references/none.md" does not exist in the skill's folder`},
		"named in prose":      {"- **Steps**: See references/none.md for template and example patterns", `"references/none.md" does not exist in the skill's folder`},
		"named with blanks":   {"Read `references/x y.md`, then `references/X Y.md`.", `"references/X Y.md" is called "references/x y.md" on disk, which is another file where upper and lower case differ`},
		"command with files":  {"Run `scripts/run.py --out scripts/out.py`, `scripts/run.py data/in.csv` and `scripts/run.py references/forms.md`.", ""},
		"command alone":       {"- `scripts/run.py in.txt`\n\n`./scripts/run.py references/forms.md`", ""},
		"several in a span":   {"Read `references/forms.md and references/forms.md` first.", ""},
		"named in a list":     {"## More\n\n- `references/none.md` - the fields\n- `references/forms.md` - the forms", `"references/none.md" does not exist in the skill's folder`},
		"named in a table":    {"| Forms | `references/none.md` |", `"references/none.md" does not exist in the skill's folder`},
		"named in case":       {"The `references/FORMS.md` file.", `"references/FORMS.md" is called "references/forms.md" on disk, which is another file where upper and lower case differ`},
		"named and linked":    {"[references/forms.md](references/forms.md) and [`references/none.md`](references/none.md)", `"references/none.md" does not exist in the skill's folder`},
		"chinese":             {"详情请参阅 `references/forms.md`，参见 `references/none.md`。", `"references/none.md" does not exist in the skill's folder`},
		"output":              {"Save the chart to `assets/chart.png`. Then open `assets/chart.png`.", ""},
		"output first":        {"Write `references/notes.md` with what you learnt.", ""},
		"example":             {"- **Examples**: `references/finance.md` for schemas, `assets/slides.pptx` for templates", ""},
		"example list":        {"For example:\n\n- `references/finance.md` - schemas\n- `references/policies.md`", ""},
		"hypothetical":        {"A `scripts/rotate_pdf.py` script would be helpful to store in the skill.", ""},
		"hypothetical read":   {"Read `references/local.md` if it exists.", ""},
		"no such folder":      {"Use `templates/x.html`, and see docs/none.md.", ""},
		"project":             {"Read the project's `references/api.md` first.", ""},
		"project behind it":   {"Read `references/none.md` in the user repository, see `references/gone.md` of this project.", ""},
		"not of the project":  {"Read `references/none.md` before you look at the repository.", `"references/none.md" does not exist in the skill's folder`},
		"named placeholder":   {"Read `references/<framework>.md` and `references/{lang}.md`, or references/your-file.md.", ""},
		"address in prose":    {"See https://e.org/references/none.md and owner/repo/references/none.md.", ""},
		"guide":               {"SKILL.md, SKILL.md, SKILL.md.\n\n- `references/api.md`\n- Use `scripts/fill.py`", ""},
		"guide that sends on": {"SKILL.md, SKILL.md, SKILL.md. See references/none.md.", `"references/none.md" does not exist in the skill's folder`},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range Check(bodyWith("\n"+tt.body+"\n", linkFiles), Options{}) {
				if f.Rule == "link-target" {
					got = append(got, f.Message)
				}
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestLinkPlaces holds links of linked files, and where findings point.
func TestLinkPlaces(t *testing.T) {
	d := bodyWith("\nÜ [a](references/one.md), [b](#).\n", map[string]string{
		"references/one.md": "[c](two.md) [d](references/two.md) [e](../scripts/x.py) [f](scripts/x.py)\n<p>é <a href='gone.md#x'>g</a></p>\n",
		"references/two.md": "# T\n\n[back](one.md) [home](../SKILL.md#top) [self](#t) [h](#u)\n",
		"scripts/x.py":      "",
	})
	want := []string{
		`references/one.md:2:15: "references/gone.md" does not exist in the skill's folder`,
		`references/two.md:3:55: the file has no heading #u`,
	}
	if got := findings(d, "link-target"); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestLinkFix(t *testing.T) {
	for body, want := range map[string]string{
		"[a](references/Forms.md#field-types)":      "[a](references/forms.md#field-types)",
		"[a](./References/forms.md \"T\")":          "[a](./references/forms.md \"T\")",
		"[a](<references/X y.md>)":                  "[a](<references/x y.md>)",
		"[a][b]\n\n[b]: references/FORMS.md":        "[a][b]\n\n[b]: references/forms.md",
		"[a](../my-skill/references/FORMS.md)":      "[a](../my-skill/references/forms.md)",
		`[a](references\forms.md)`:                  "[a](references/forms.md)",
		"<a href=\"references/FORMS.md?x#y\">a</a>": "<a href=\"references/forms.md?x#y\">a</a>",
		"[a](references/X%20y.md)":                  "", // written otherwise than it reads
		"[a](references/forms#field-types \"T\")":   "[a](references/forms.md#field-types \"T\")",
		"[a](./references/forms)":                   "[a](./references/forms.md)",
		"[a](references/forms/)":                    "",
		`[a](references\forms)`:                     "",
	} {
		d := bodyWith("\n"+body, linkFiles)
		got := ""
		for _, f := range Check(d, Options{}) {
			if f.Rule == "link-target" && f.Fix != nil {
				e := f.Fix.Edits[0]
				got = string(d.Source[d.block.BodyStart+1:e.Start]) + e.Text + string(d.Source[e.End:])
			}
		}
		if got != want {
			t.Errorf("the fix of %q gives %q, want %q", body, got, want)
		}
	}
}

func TestLinkFixInAnotherFile(t *testing.T) {
	d := bodyWith("\n[a](references/one.md)\n", map[string]string{"references/one.md": "x [b](Two.md)", "references/two.md": "y"})
	for _, f := range Check(d, Options{}) {
		if f.Rule == "link-target" {
			if want := (Edit{File: "references/one.md", Start: 6, End: 12, Text: "two.md"}); f.Fix == nil || f.Fix.Edits[0] != want {
				t.Errorf("got %+v, want %+v", f.Fix, want)
			}
			return
		}
	}
	t.Error("nothing is reported")
}

// TestLinkHelp holds what is proposed instead.
func TestLinkHelp(t *testing.T) {
	for target, want := range map[string]string{
		"references/form.md":     "did you mean references/forms.md?",
		"docs/forms.md":          "did you mean references/forms.md?",
		"references/nothing.md":  "correct the path, or take the link out",
		"references/Forms.md":    "write it as it is on disk: references/forms.md",
		"#lings":                 "did you mean #links?",
		"../my-skill/x/SKILL.md": "did you mean SKILL.md?",
		"../other/SKILL.md":      "name the other skill in words: only the folder of this one is installed with it",
		"../x.md":                "put what it needs into the skill",
	} {
		for _, f := range Check(bodyWith("\n# Links\n\n[a]("+target+")\n", linkFiles), Options{}) {
			if strings.HasPrefix(f.Rule, "link-") && f.Help != want {
				t.Errorf("%s: got help %q, want %q", target, f.Help, want)
			}
		}
	}
}
