package references

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"skills/internal/markdown"
	"skills/internal/programs"
)

// pageOf returns a page of a skill with these files.
func pageOf(body string, files ...string) *Page {
	return New(markdown.Parse([]byte(body)), body, "my-skill", func(name string) bool {
		for _, f := range files {
			if strings.EqualFold(f, name) {
				return true
			}
		}
		return false
	})
}

func TestMentions(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"span and prose", "See `references/a.md` and scripts/x.py.", []string{"references/a.md code", "scripts/x.py"}},
		{"with spaces", "`references/my notes.md` and `references/a.md references/b.md`", []string{"references/my notes.md code"}},
		{"in the text of a link", "[references/a.md](references/b.md)", nil},
		{"placeholder", "`references/<name>.md` or references/{x}.md", nil},
		{"part of something longer", "https://x.org/references/a.md and ~/scripts/x.py", nil},
		{"in the folder for skills", "`.x/skills/my-skill/docs/a.md`, `skills/my-skill/references/a.md`, `skills/other/references/a.md`", []string{"references/a.md code"}},
		{"in Chinese", "请阅读references/a.md。参考/b.md，模板scripts/c.py", []string{"references/a.md", "scripts/c.py"}},
		{"above the folder", "`references/../../a.md`", nil},
	} {
		var got []string
		for _, m := range pageOf(tt.body, "references/my notes.md").Mentions() {
			s := m.Path
			if m.Code {
				s += " code"
			}
			got = append(got, s)
		}
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPages(t *testing.T) {
	var got []string
	for _, m := range pageOf("Read `FORMS.md`, guides/a.md, missing.md, `README.md`, SKILL.md and [x.md](docs/x.md).", "forms.md", "guides/a.md", "README.md").Pages() {
		got = append(got, m.Path)
	}
	if want := []string{"FORMS.md", "guides/a.md", "missing.md"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIsUseInstruction(t *testing.T) {
	for body, want := range map[string]bool{
		"Read references/a.md first.":                                            true,
		"See `references/a.md` for details.":                                     true,
		"- `references/a.md`: the format":                                        true,
		"Create `references/a.md` with the results.":                             false,
		"For example, read `references/a.md`.":                                   false,
		"Need an example? Read `references/a.md`.":                               true,
		"This is an example! Read `references/a.md`.":                            true,
		"Read `references/a.md` if it exists.":                                   false,
		"Read `references/a.md` in the user's project.":                          false,
		"User: \"See references/a.md for colours\"":                              false,
		"Announce: \"I use a skill. See references/a.md.\"":                      false,
		"Read \"references/a.md\" first.":                                        true,
		"参见 `references/a.md`。":                                                  true,
		"`references/a.md`\n\nA SKILL.md SKILL.md SKILL.md.":                     false, // a guide
		"`references/a.md`\n\n```\n---\nname: x\ndescription: Does x.\n---\n```": false, // so is what shows another skill
	} {
		p := pageOf(body)
		if got := p.IsUseInstruction(p.Mentions()[0]); got != want {
			t.Errorf("%q: got %v, want %v", body, got, want)
		}
	}
}

// TestListed names files next to others, of which a.md, b.md and c.md exist.
func TestListed(t *testing.T) {
	for body, want := range map[string]bool{
		"- `a.md`: first\n- `b.md`: second\n- `x.md`: third":       true,
		"| `a.md` | one |\n| `b.md` | two |\n| **x.md** | three |": true,
		"- One: `a.md`\n- Two: `b.md`\n- Three: `x.md`":            true,
		"See `a.md` and `b.md`.\n\n## Three (`x.md`)":              true,
		"Read a.md first. To finish, see x.md.":                    true,
		"See `x.md` in this directory.":                            true,
		"Read @x.md before you start.":                             true,
		"See `x.md`.":                                              false,
		"- `a.md`: first\n- `x.md`: second":                        false,
		"- `a.md`\n- `b.md`\n- `x.md` if it exists":                false,
		"- `a.md`\n- `b.md`\n- `x.md` in the user's project":       false,
		"- `a.md`\n- `b.md`\n- `x.md`\n- `y.md`":                   false,
		"See `a.md` and `b.md`. Write `x.md`.":                     false,
		"For example, read @x.md.":                                 false,
		"Read `references/x.md` and `a.md`, `b.md`.":               false,
	} {
		p := pageOf(body, "a.md", "b.md", "c.md")
		i := slices.IndexFunc(p.Named(), func(m Mention) bool { return strings.HasSuffix(m.Path, "x.md") })
		if got := p.Listed(p.Named()[i]); got != want {
			t.Errorf("%q: got %v, want %v", body, got, want)
		}
	}
}

func TestProduces(t *testing.T) {
	for body, want := range map[string]bool{
		"Save the result to references/a.md. Then read references/a.md.":   true,
		"```bash\npandoc x -o references/a.md\n```\nRead references/a.md.": true,
		"Read references/a.md.": false,
	} {
		if got := pageOf(body).Produces("references/a.md"); got != want {
			t.Errorf("%q: got %v, want %v", body, got, want)
		}
	}
}

func TestScripts(t *testing.T) {
	for body, want := range map[string]string{
		"```bash\npython3 scripts/x.py --a 1\n```":                       "scripts/x.py",
		"`uv run --with rich scripts/x.py`":                              "scripts/x.py",
		"```bash\n$SKILL_DIR/run.sh a\n```":                              "run.sh",
		"`SKILL_DIR/scripts/x.sh a`, `bash <skill-dir>/scripts/x.sh`":    "scripts/x.sh",
		"`python3 ~/.claude/skills/my-skill/scripts/x.py`":               "scripts/x.py",
		"`bash /mnt/skills/user/my-skill/x.sh`":                          "x.sh",
		"`bash ~/.claude/skills/other/x.sh`, `bash ~/my-skill/x.sh`":     "",
		"`cd $SKILL_DIR && node run.js`":                                 "run.js",
		"```bash\ncd skills/my-skill/tools\nnode run.js\n```":            "tools/run.js",
		"```bash\ncd x\ncd skills/my-skill\ncd ../y && node run.js\n```": "",
		"`.\\scripts\\x.ps1 -Force`":                                     "scripts/x.ps1",
		"```bash\ncd other && python3 scripts/x.py\n```":                 "",
		"`python3 -m http.server`":                                       "",
		"`scripts/x.py`":                                                 "",
		"`python3 scripts/<name>.py`":                                    "",
		"```python\nimport scripts\n```":                                 "",
		"```sh\nA=1 sudo bash 'scripts/a b.sh' # and more\n```":          "scripts/a b.sh",
	} {
		got := ""
		if s := pageOf(body).CodeScripts(); len(s) > 0 {
			got = s[0].Path
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
	if got := pageOf("Run python3 scripts/x.py now.").ProseScripts(); len(got) != 1 || got[0].Path != "scripts/x.py" {
		t.Errorf("in prose: got %v", got)
	}
}

// TestScriptLanguages checks that a language is recognised by its row in the table of
// package programs alone: the name of a script, and the command that runs it.
func TestScriptLanguages(t *testing.T) {
	for _, extension := range programs.ScriptExtensions() {
		row, _ := programs.LanguageOf("x" + extension)
		if !IsScriptName("a"+extension) || Language("a"+strings.ToUpper(extension), nil) == "" {
			t.Errorf("a%s is not a script", extension)
		}
		for _, c := range row.Commands {
			command := strings.Join(strings.Fields(c.Program+" "+c.Before+" scripts/a"+extension), " ")
			if got := pageOf("Run `" + command + "`.\n").CodeScripts(); len(got) != 1 || !got[0].Program || got[0].Path != "scripts/a"+extension {
				t.Errorf("%s: got %+v", command, got)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	for target, want := range map[string]Target{
		"references/a.md#b":    {Kind: InSkill, Path: "references/a.md"},
		"../my-skill/a.md":     {Kind: InSkill, Path: "a.md"},
		"../other/a.md":        {Kind: Above, Path: "../other/a.md"},
		"#top":                 {Kind: SamePage},
		"/home/me/a.md":        {Kind: OnDisk, Path: "/home/me/a.md"},
		"https://x.org/a.md":   {},
		"references/<name>.md": {},
		"../issues":            {},
	} {
		got := Resolve("my-skill", "", markdown.Link{Target: target})
		if got.Kind != want.Kind || got.Path != want.Path {
			t.Errorf("%s: got %v %q, want %v %q", target, got.Kind, got.Path, want.Kind, want.Path)
		}
	}
}

func TestNames(t *testing.T) {
	files := []string{"references/forms.md", "scripts/util.py", "assets/a b.png", "data/x.csv", "templates/de/mail.txt", "lone.md", "loaded.md"}
	n := NewNames(files)
	n.Add("Read FORMS.md, every templates/{lang}/mail.txt, the data/ folder, @loaded.md and assets/a b.png.", false)
	n.Add("from scripts import util", true)
	for _, f := range files {
		if got, want := n.Has(f), f != "lone.md"; got != want {
			t.Errorf("%s: got %v, want %v", f, got, want)
		}
	}
}

// FuzzPage: all results are inside the text.
func FuzzPage(f *testing.F) {
	for _, s := range []string{
		"Read `references/a.md` or run `scripts/x.py`.", "```\nread -p 'x' a\ncat <<EOF\nread\nEOF\n```", "`\\`", "`'`", "- scripts/x.py\n  - `a", "| `references/a.md` |", "参见 references/a.md。",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		p := pageOf(body, "a.md")
		inside := func(start, end int) {
			if start < 0 || end < start || end > len(body) {
				t.Fatalf("%d to %d is outside of %d bytes", start, end, len(body))
			}
			p.Introduction(start)
			p.Sentence(start, end).MaybeInProject()
		}
		for _, m := range append(p.Mentions(), p.Pages()...) {
			inside(m.Start, m.End)
			p.IsUseInstruction(m)
			p.Offers(m)
			p.Sentence(m.Start, m.End).IsRunInstruction()
			p.Produces(m.Path)
		}
		for _, s := range append(p.CodeScripts(), p.ProseScripts()...) {
			inside(s.Start, s.End)
		}
		for _, c := range p.Commands() {
			for _, w := range c.Words {
				inside(w.Start, w.End)
			}
		}
	})
}

func BenchmarkCommands(b *testing.B) {
	for name, text := range map[string]string{"prose": "The quick brown fox jumps over the lazy dog.\n", "backslashes": "\\ ", "pipes": "a|b;`", "hash": "#"} {
		text = strings.Repeat(text, 1<<20/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				split(text, 0)
			}
		})
	}
}

func TestFolder(t *testing.T) {
	f := NewFolder([]Entry{
		{Name: "node_modules", Dir: true, Opaque: true}, {Name: "link", Opaque: true}, {Name: "references/Forms.md"}, {Name: "references/a.md"},
		{Name: "scripts/a/run.py"}, {Name: "scripts/b/run.py"}, {Name: "scripts/extract.py"},
	})
	for _, tt := range []struct {
		name, actual string
		known        bool
	}{
		{"references/a.md", "references/a.md", true},
		{"./references/", "references", true},
		{"references/forms.md", "references/Forms.md", true},
		{"references/b.md", "", true},
		{"node_modules/x.js", "", false},
		{"link/x", "", false},
	} {
		if actual, known := f.Find(tt.name); actual != tt.actual || known != tt.known {
			t.Errorf("%s: got %q, %v", tt.name, actual, known)
		}
	}
	if f.Has("references/forms.md") || !f.Has("references/Forms.md") || !f.IsDir("scripts/a") || f.IsDir("scripts/extract.py") {
		t.Error("case or folders are mistaken")
	}
	for name, want := range map[string]string{
		"docs/a.md": "references/a.md", "references/a": "references/a.md", "scripts/run.py": "", "scripts/extrakt.py": "scripts/extract.py", "x/y.md": "",
	} {
		if got := f.Suggest(name); got != want {
			t.Errorf("for %s got %q, want %q", name, got, want)
		}
	}
	if got := f.Resolve(Target{Path: "a.md", Others: []string{"references/a.md"}}); got != "references/a.md" {
		t.Errorf("got %q", got)
	}
}

// TestIntroduced: a path that is a line of its own is a script to run if the line above
// says so, in English or Chinese.
func TestIntroduced(t *testing.T) {
	for body, want := range map[string]bool{
		"Run the extraction script:\nscripts/x.py":              true,
		"Run the script:\n\nscripts/x.py\n\nThen stop.":         true,
		"**Run the validation script:**\n\n  scripts/x.py":      true,
		"运行提取脚本：\n\nscripts/x.py":                               true,
		"The script runs:\n\nscripts/x.py":                      false,
		"Create the extraction script:\n\nscripts/x.py":         false,
		"Run the extraction script:\n\nscripts/x.py or another": false,
		"Run it.\n\nscripts/x.py":                               false,
	} {
		page := pageOf(body)
		got := slices.ContainsFunc(page.Mentions(), page.Introduced)
		if got != want {
			t.Errorf("%q: got %t, want %t", body, got, want)
		}
	}
}
