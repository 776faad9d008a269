package rules

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

func licensed(license string, files map[string]string) *spec.Document {
	return skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\nlicense: "+license+"\n---\nx\n", files)
}

func TestLicenseFile(t *testing.T) {
	there := map[string]string{"LICENSE.txt": "x", "legal/TERMS.md": "x"}
	for _, tt := range []struct {
		license string
		files   map[string]string
		want    string
	}{
		{"LICENSE.txt", nil, `SKILL.md:4:10: license names "LICENSE.txt", which is not in the skill's folder`},
		{`"Complete terms in LICENSE.txt"`, nil, `SKILL.md:4:29: license names "LICENSE.txt", which is not in the skill's folder`},
		{"Proprietary. LICENSE.txt has complete terms", map[string]string{"license.txt": "x"}, `SKILL.md:4:23: license names "LICENSE.txt", but the file is called "license.txt"`},
		{"See LICENSE", nil, `SKILL.md:4:14: license names "LICENSE", which is not in the skill's folder`},
		{"COPYING", nil, `SKILL.md:4:10: license names "COPYING", which is not in the skill's folder`},
		{"é (see ./legal/LICENSE.md)", there, `SKILL.md:4:19: license names "legal/LICENSE.md", which is not in the skill's folder`},
		{"|\n  Terms in\n  TERMS.txt", nil, `SKILL.md:6:3: license names "TERMS.txt", which is not in the skill's folder`},
		{`"see [LICENSE](LICENSE.md)"`, map[string]string{"LICENSE.md": "x"}, ""},
		{`"see [LICENSE](LICENSE.md)"`, nil, `SKILL.md:4:25: license names "LICENSE.md", which is not in the skill's folder`},
		{`"[the LICENSE.md](./LICENSE.md#top)"`, map[string]string{"LICENSE.md": "x"}, ""},
		{`"[LICENSE.md](https://example.org/LICENSE.md)"`, nil, ""},
		{"See UNLICENSE", nil, `SKILL.md:4:14: license names "UNLICENSE", which is not in the skill's folder`},
		{"See the LICENSE file", nil, `SKILL.md:4:18: license names "LICENSE", which is not in the skill's folder`},
		{"LICENSE-MIT", nil, `SKILL.md:4:10: license names "LICENSE-MIT", which is not in the skill's folder`},
		{"完整条款见LICENSE.txt文件", nil, `SKILL.md:4:15: license names "LICENSE.txt", which is not in the skill's folder`},
		{"「LICENSE.txt」。", nil, `SKILL.md:4:11: license names "LICENSE.txt", which is not in the skill's folder`},
		{"LICENSE.txt、NOTICE.txt", nil, `SKILL.md:4:10: license names "LICENSE.txt", which is not in the skill's folder`},
		{"许可证.txt", nil, `SKILL.md:4:10: license names "许可证.txt", which is not in the skill's folder`},

		{"LICENSE.txt", there, ""},
		{"UNLICENSED", nil, ""},
		{"UNLICENSE", nil, ""},
		{"Unlicense", nil, ""},
		{"LICENSED", nil, ""},
		{"MIT LICENSE file", nil, ""},
		{"Proprietary, terms at acme.com/terms.html", nil, ""},
		{"v1.0/LICENSE.txt", map[string]string{"v1.0/LICENSE.txt": "x"}, ""},
		{"Proprietary. LICENSE.txt has complete terms", there, ""},
		{"legal/TERMS.md", there, ""},
		{"LICENSE", there, ""},
		{"See LICENSE.", map[string]string{"License.md": "x"}, ""},
		{"LICENSE.txt", map[string]string{"LICENSE.txt": "-> ../../LICENSE"}, ""},
		{"docs/LICENSE.txt", map[string]string{"docs/": ""}, ""},
		{"MIT", nil, ""},
		{"MIT License", nil, ""},
		{"Apache License, Version 2.0", nil, ""},
		{"THE MIT LICENSE", nil, ""},
		{"GPL-3.0-or-later WITH Classpath-exception-2.0", nil, ""},
		{"LicenseRef-Proprietary", nil, ""},
		{"CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/legalcode.txt)", nil, ""},
		{"MIT, see LICENSE in the repository root", nil, ""},
		{"See ../../LICENSE.txt", nil, ""},
		{"See LICENSE.txt of the plugin", nil, ""},
		{"<your LICENSE.txt>", map[string]string{"LICENSE.txt": ""}, ""},
		{"[LICENSE.txt]", nil, ""},
		{"", nil, ""},
	} {
		if got := strings.Join(findings(licensed(tt.license, tt.files), "license-file"), "\n"); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.license, got, tt.want)
		}
	}
	d := licensed("LICENSE.txt", nil)
	d.Files = nil
	if got := findings(d, "license-file"); len(got) > 0 {
		t.Errorf("without a folder: got %q", got)
	}
}

func TestNestedSkill(t *testing.T) {
	d := bodyWith("", map[string]string{"b/SKILL.md": "x", "sub/a/SKILL.md": "x"})
	want := "b/SKILL.md: the skill \"b\" is inside another one, \"my-skill\"\nsub/a/SKILL.md: the skill \"sub/a\" is inside another one, \"my-skill\""
	if got := strings.Join(findings(d, "nested-skill"), "\n"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	many := map[string]string{}
	for _, dir := range []string{"a", "b", "c", "d"} {
		many["skills/"+dir+"/SKILL.md"] = "x"
	}
	if got := findings(bodyWith("", many), "nested-skill"); len(got) != 1 || got[0] != `SKILL.md: 4 skills are inside this one; the first is "skills/a"` {
		t.Errorf("got %q", got)
	}
	silent := map[string]string{}
	for _, dir := range []string{"testdata/a", "templates/a", "template", "examples/x/y", "a/Fixtures/b", "assets", "evals/x", "tests"} {
		silent[dir+"/SKILL.md"] = "x"
	}
	if got := findings(bodyWith("", silent), "nested-skill"); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

func TestCollisions(t *testing.T) {
	const a, b = "---\nname: pdf\ndescription: A.\n---\n", "---\nname: pdf\ndescription: B.\n---\n"
	const c = "---\nname: pdf\ndescription: C.\n---\n<!-- skills: ignore name-collision -- on purpose -->\n"
	for _, tt := range []struct {
		name string
		docs []string // path, text, …
		want string   // the paths that are told
	}{
		{"two", []string{"skills/x/pdf/SKILL.md", a, "skills/y/pdf/SKILL.md", b}, "skills/y/pdf/SKILL.md"},
		{"order does not matter", []string{"skills/y/pdf/SKILL.md", b, "skills/x/pdf/SKILL.md", a}, "skills/y/pdf/SKILL.md"},
		{"three", []string{"x/pdf/SKILL.md", a, "y/pdf/SKILL.md", b, "z/pdf/SKILL.md", a + "more"}, "y/pdf/SKILL.md z/pdf/SKILL.md"},
		{"no folder called skills", []string{"pdf/SKILL.md", a, "tools/pdf/SKILL.md", b}, "tools/pdf/SKILL.md"},
		{"above", []string{"../x/pdf/SKILL.md", a, "../y/pdf/SKILL.md", b}, "../y/pdf/SKILL.md"},
		{"ignored", []string{"x/pdf/SKILL.md", a, "y/pdf/SKILL.md", c}, ""},
		{"two clients", []string{".claude/skills/pdf/SKILL.md", a, ".agents/skills/pdf/SKILL.md", b, ".github/skills/pdf/SKILL.md", a + "x"}, ""},
		{"two clients, without skills", []string{".claude/pdf/SKILL.md", a, ".agents/pdf/SKILL.md", b}, ""},
		{"two plugins", []string{"plugins/a/skills/pdf/SKILL.md", a, "plugins/b/skills/pdf/SKILL.md", b}, ""},
		{"samples", []string{"skills/pdf/SKILL.md", a, "skills/x/testdata/pdf/SKILL.md", b, "skills/templates/pdf/SKILL.md", b + "x"}, ""},
		{"other names", []string{"skills/x/pdf/SKILL.md", a, "skills/y/pdf2/SKILL.md", strings.Replace(b, "pdf", "pdf2", 1)}, ""},
		{"no names", []string{"x/SKILL.md", "---\ndescription: A.\n---\n", "y/SKILL.md", "---\ndescription: B.\n---\n", "z/SKILL.md", "x"}, ""},
	} {
		var docs []*spec.Document
		for i := 0; i < len(tt.docs); i += 2 {
			docs = append(docs, parseAt(tt.docs[i], tt.docs[i+1]))
		}
		var got []string
		told := collisions(docs, spec.Options{})
		for i := range docs {
			for _, x := range told[i] {
				got = append(got, x.Path)
				if x.Level != spec.Warning || x.Span != (spec.Span{Start: spec.Pos{Line: 2, Column: 7}, End: spec.Pos{Line: 2, Column: 10}}) || !strings.Contains(x.Message, `the name "pdf" is also used by `) {
					t.Errorf("%s: %+v", tt.name, x)
				}
			}
		}
		if strings.Join(slices.Sorted(slices.Values(got)), " ") != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, got, tt.want)
		}
	}
	docs := []*spec.Document{parseAt("x/pdf/SKILL.md", a), parseAt("y/pdf/SKILL.md", b)}
	for _, opts := range []spec.Options{{Levels: map[string]spec.Level{"name-collision": spec.Off}}, {Profile: spec.ProfileReference}} {
		if got := collisions(docs, opts); len(got) > 0 {
			t.Errorf("with %v: got %v", opts, got)
		}
	}
	if got := collisions(docs, spec.Options{Levels: map[string]spec.Level{"name-collision": spec.Error}}); got[1][0].Level != spec.Error {
		t.Errorf("got %v, want errors", got)
	}
}

// collisions compares documents, each of which is where its path says.
func collisions(docs []*spec.Document, opts spec.Options) map[int][]spec.Diagnostic {
	var skills []Named
	for _, d := range docs {
		skills = append(skills, NamedOf(d))
	}
	return Collisions(skills, opts, func(i int) Place { return Place{File: skills[i].Path} })
}

// TestCollidingCopies holds that copies are told as advice.
func TestCollidingCopies(t *testing.T) {
	const text = "---\nname: pdf\ndescription: A.\n---\n"
	docs := []*spec.Document{parseAt("x/pdf/SKILL.md", text), parseAt("y/pdf/SKILL.md", text)}
	got := collisions(docs, spec.Options{})[1]
	if len(got) != 1 || got[0].Level != spec.Info || got[0].Message != `the name "pdf" is also used by x/pdf/SKILL.md, which has the same text` {
		t.Errorf("got %v", got)
	}
}

// TestSkillsRoot holds that folders above the place where a search began say
// nothing about samples.
func TestSkillsRoot(t *testing.T) {
	for _, tt := range []struct {
		file, from, root string
		sample           bool
	}{
		{"/home/me/demo/x/a/SKILL.md", "/home/me/demo", "", false},
		{"/home/me/demo/x/a/SKILL.md", "/home/me", "", true},
		{"/home/me/demo/a/SKILL.md", "/home/me/demo/a", "", false},
		{"/demo/skills/x/a/SKILL.md", "/", "/demo/skills", false},
		{"/demo/skills/templates/a/SKILL.md", "/demo/skills", "/demo/skills", true},
		{"/demo/skills/templates/a/SKILL.md", "/demo/skills/templates", "/demo/skills", false},
		{"/home/.cache/tests/a/SKILL.md", "/home/.cache/tests", "/home/.cache", false},
		{"/demo/x/a/SKILL.md", "/", "", true},
		{"/link/tests/a/SKILL.md", "/elsewhere", "", false},
		{"x/tests/a/SKILL.md", "", "", true},
	} {
		if root, sample := skillsRoot(Place{tt.file, tt.from}); root != tt.root || sample != tt.sample {
			t.Errorf("%s from %s: got %q, %t", tt.file, tt.from, root, sample)
		}
	}
}

func TestHomePath(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"cd /Users/mkowalska/work\n", "SKILL.md:5:4: /Users/mkowalska is one person's home folder"},
		{"`/home/p.novak/x` and /home/p.novak/y\n", "SKILL.md:5:2: /home/p.novak is one person's home folder"},
		{"é C:\\Users\\PNovak\\x\n", "SKILL.md:5:3: C:\\Users\\PNovak is one person's home folder"},
		{"\"C:\\\\Users\\\\PNovak\\\\x\" d:/Users/pn2/x\n", "SKILL.md:5:2: C:\\\\Users\\\\PNovak is one person's home folder\nSKILL.md:5:24: d:/Users/pn2 is one person's home folder"},
		{"file:///Users/mkowalska/x\n", "SKILL.md:5:8: /Users/mkowalska is one person's home folder"},
		{"PATH=/bin:/home/pnovak/bin\n", "SKILL.md:5:11: /home/pnovak is one person's home folder"},

		{"/Users/you/x /home/user/x /home/username/x /Users/yourname/x C:\\Users\\User\\x /home/foo/x /home/runner/work /Users/me/x\n", ""},
		{"/Users/<name>/x /home/$USER/x /Users/{name}/x /home/*/x /Users/.../x /Users/xxx/x /home/${USER}/x C:\\Users\\%USERNAME%\\x\n", ""},
		{"https://example.com/home/pricing/x https://x.example/Users/abc/y /api/Users/abc/ ./home/abc/ ~/home/abc/x\n", ""},
		{"GET /Users/2819c223-7f76-453a-919d-413861904646/x\n", ""},
		{"/Users/mkowalska and /home/pnovak\n", ""},
		{"/home/ /Users/ C:\\Users\\\n", ""},
		{":\\Users\\ab\\ 12:\\Users\\ab\\\n", ""},
	} {
		if got := strings.Join(findings(bodyWith(tt.body, nil), "home-path"), "\n"); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.body, got, tt.want)
		}
	}
	files := map[string]string{}
	for _, name := range []string{"references/a.md", "scripts/x.py", "config.json", "data.csv", "assets/a.md", "tests/x.py", "x.log"} {
		files[name] = "see /home/pnovak/x\n"
	}
	want := "config.json:1:5 references/a.md:1:5 scripts/x.py:1:5"
	var places []string
	for _, f := range findings(bodyWith("", files), "home-path") {
		places = append(places, strings.Split(f, ": ")[0])
	}
	if got := strings.Join(places, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUnpinnedRunner(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    string // the package
	}{
		{"npx create-thing", "create-thing"},
		{"npx -y @scope/thing --flag", "@scope/thing"},
		{"npx thing@latest", "thing"},
		{"bunx thing", "thing"},
		{"bun x thing", "thing"},
		{"pnpm dlx thing", "thing"},
		{"yarn dlx thing", "thing"},
		{"npx -p thing other", "thing"},
		{"npx --package=thing other", "thing"},
		{"uvx ruff check .", "ruff"},
		{"uvx --from thing other", "thing"},
		{"uv tool run thing", "thing"},
		{"pipx run thing", "thing"},
		{"cd x && FOO=1 npx thing | tee", "thing"},
		{"npx \\\n  thing", "thing"},
		{"npm exec thing", "thing"},
		{"npm exec --package=thing -- other", "thing"},
		{"npm x -y thing@latest", "thing"},
		{"deno run npm:thing", "npm:thing"},
		{"deno run --allow-read npm:@scope/thing", "npm:@scope/thing"},
		{"go run example.com/cmd/thing@latest ./...", "example.com/cmd/thing"},
		{"deno run npm:thing@1", ""},
		{"deno run main.ts npm:thing", ""},
		{"deno run", ""},
		{"go run example.com/cmd/thing@v1.2.3", ""},
		{"go run example.com/cmd/thing", ""},
		{"go run ./cmd/thing", ""},
		{"go run", ""},
		{"npm exec", ""},
		{"npm run thing", ""},
		{"npx thing@1.2.3", ""},
		{"npx @scope/thing@1", ""},
		{"npx thing@^2", ""},
		{"uvx ruff==0.8.0", ""},
		{"uvx ruff@0.8.0", ""},
		{"uvx --from 'thing>=1,<2' other", ""},
		{"uvx --from git+https://example.com/x thing", ""},
		{"npx ./local", ""},
		{"npx github:user/thing", ""},
		{"npx user/thing", ""},
		{"npx <package>", ""},
		{"npx $PACKAGE", ""},
		{"npx package-name", ""},
		{"npx --no-install thing", ""},
		{"npx tsc --noEmit", ""},
		{"npx eslint .", ""},
		{"npx stryker run", ""},
		{"npx", ""},
		{"npx --help", ""},
		{"npx -p", ""},
		{"uv run x.py", ""},
		{"uv tool install thing", ""},
		{"pnpm add thing", ""},
		{"# npx thing", ""},
		{"echo npx thing", ""},
	} {
		got := strings.Join(findings(bodyWith("```bash\n"+tt.command+"\n```\n", nil), "unpinned-runner"), "\n")
		if _, name, _ := strings.Cut(got, "the newest version of "); strings.Trim(strings.TrimSuffix(name, ", which changes"), `"`) != tt.want {
			t.Errorf("%s: got %q, want %q", tt.command, got, tt.want)
		}
	}
	for _, tt := range []struct {
		body  string
		files map[string]string
		want  string
	}{
		{"Run `npx thing` or `npx thing x`.\n", nil, `SKILL.md:5:10: npx runs the newest version of "thing", which changes`},
		{"> ```sh\n> uvx --from=thing x\n> ```\n", nil, `SKILL.md:6:14: uvx runs the newest version of "thing", which changes`},
		{"Run npx thing.\n", nil, ""},
		{"```json\n{\"command\": \"npx\", \"args\": [\"thing\"]}\n```\n", nil, ""},
		{"```js\nnpx thing\n```\n", nil, ""},
		{"Run `npx thing`.\n", map[string]string{"package.json": "{}"}, ""},
	} {
		if got := strings.Join(findings(bodyWith(tt.body, tt.files), "unpinned-runner"), "\n"); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.body, got, tt.want)
		}
	}
}
