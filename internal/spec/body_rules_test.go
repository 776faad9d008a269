package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestScriptTarget(t *testing.T) {
	files := map[string]string{"scripts/run.py": "print()", "scripts/office/pack.py": "", "scripts/setup": "", "tools/x.js": ""}
	const missing = `the script %s does not exist in the skill's folder`
	gone := func(name string) string { return fmt.Sprintf(missing, `"`+name+`"`) }
	for body, want := range map[string]string{
		"Run `python3 scripts/gone.py --x 1`.":                                             gone("scripts/gone.py"),
		"Run `python scripts/run.py` or `scripts/run.py FILE`.":                            "",
		"```bash\npython -u ./scripts/gone.py a b\n```":                                    gone("scripts/gone.py"),
		"```sh\n$ scripts/gone.sh\n$ ./scripts/setup\n```":                                 gone("scripts/gone.sh"),
		"```\nuv run --with rich scripts/gone.py\nnode scripts/gone.js\n```":               gone("scripts/gone.py") + "; " + gone("scripts/gone.js"),
		"```bash\nA=1 sudo bash scripts/gone.sh && echo done\n```":                         gone("scripts/gone.sh"),
		"```bash\nfor f in *; do python3 scripts/gone.py \"$f\"; done\n```":                gone("scripts/gone.py"),
		"```bash\npython scripts/office/unpack.py x/\n```":                                 gone("scripts/office/unpack.py"),
		"Then run python3 scripts/gone.py on it.":                                          gone("scripts/gone.py"),
		"```bash\npython ${CLAUDE_SKILL_DIR}/gone.py {baseDir}/x\n```":                     gone("gone.py"),
		"`node {baseDir}/tools/y.js` and `python \"${CLAUDE_SKILL_DIR}/scripts/run.py\"`":  gone("tools/y.js"),
		"Run `scripts/gone.py --out scripts/out.py`, `scripts/run.py references/gone.md`.": gone("scripts/gone.py"),
		"`node tools/y.js`":                                                           gone("tools/y.js"),
		"Run `python scripts/Run.py`.":                                                `"scripts/Run.py" is called "scripts/run.py" on disk, which is another file where upper and lower case differ`,
		"SKILL.md SKILL.md SKILL.md, `python scripts/runs.py`.":                       gone("scripts/runs.py"),
		"Run `scripts/gone.py`, or see `scripts/gone.sh`.":                            gone("scripts/gone.py") + "; " + gone("scripts/gone.sh"),
		"- `./scripts/gone.sh` - packs it":                                            gone("scripts/gone.sh"),
		"The script `scripts/RUN.py`.":                                                `"scripts/RUN.py" is called "scripts/run.py" on disk, which is another file where upper and lower case differ`,
		"`go run scripts/gone.go` and `poetry run python scripts/gone.py`":            gone("scripts/gone.go") + "; " + gone("scripts/gone.py"),
		"```bash\ncurl -L https://e.org/x scripts/gone.sh\nbash scripts/gone.sh\n```": gone("scripts/gone.sh"),
		// Not the skill's, or no command.
		"```bash\ncurl -o scripts/a.sh https://e.org/a\nbash scripts/a.sh\n```":                                                                     "",
		"`wget -qO scripts/b.sh https://e.org/b`, `curl --output=./scripts/c.sh https://e.org/c`. Run `bash scripts/b.sh` and `bash scripts/c.sh`.": "",
		"`go build ./scripts/x.go`, `go test ./...`, `go run .`, `go run ./cmd/x`, `poetry run pytest`":                                             "",
		"1. Regenerate via the project's changelog script:\n   ```bash\n   make log\n   ```\n   (Runs `node scripts/gone.js`.)":                     "",
		"Run `scripts/build.py` of the user's project.":                                                                                             "",
		"`python manage.py migrate`, `node server.js`, `python src/x.py`":                                                                           "",
		"`python -m scripts.gone`, `python -c 'scripts/gone.py'`":                                                                                   "",
		"`python $HOME/scripts/gone.py` `bash ~/scripts/gone.sh` `sh /x/scripts/gone.sh`":                                                           "",
		"`python scripts/<name>.py`, `python scripts/*.py`, `python scripts/{x}.py`, `bash scripts/...`":                                            "",
		"```python\nsubprocess.run(['python', 'scripts/gone.py'])\n```":                                                                             "",
		"```\nscripts/\n  scripts/gone.py\n```":                                                                                                     "",
		"```bash\ncd my-app\npython scripts/gone.py\n```":                                                                                           "",
		"```bash\n# python scripts/gone.py\ncat > scripts/made.py <<EOF\nEOF\npython scripts/made.py\n```":                                          "",
		"Create `scripts/made.py`, then run `python scripts/made.py`.":                                                                              "",
		"```yaml\nrun: python scripts/gone.py\n```":                                                                                                 "",
		"<!-- python scripts/gone.py -->":                                                                                                           "",
		"In the repository, run `python scripts/gone.py`.":                                                                                          "",
		"SKILL.md SKILL.md SKILL.md\n\n```bash\npython scripts/rotate_pages.py in.pdf\n```":                                                         "",
	} {
		d := bodyWith("\n"+body+"\n", files)
		var got []string
		for _, f := range Check(d, Options{}) {
			if f.Rule == "script-target" {
				got = append(got, f.Message)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s\n got %q\nwant %q", body, got, want)
		}
	}
}

// TestScriptTargetWithoutScripts holds skills that have no scripts/ at all:
// their commands may be meant for the project.
func TestScriptTargetWithoutScripts(t *testing.T) {
	for body, want := range map[string]int{
		"Run `python3 scripts/gone.py`.":                         1,
		"```bash\nscripts/gone.sh x\n```":                        1,
		"Run the repository's `python3 scripts/build.py`.":       0,
		"Check your project:\n\n```bash\n./scripts/lint.sh\n```": 0,
		"```bash\n./scripts/lint\n```":                           0,
		"Run `npm run build` and `make`.":                        0,
		"Run `scripts/gone.py`.":                                 1,
		"Then run the script `./scripts/gone.sh`:":               1,
		"运行 `scripts/gone.py`。":                                  1,
		"`scripts/gone.py` is where it starts.":                  0,
		"See `scripts/gone.py` and `scripts/gone.sh`.":           0,
		"Run `scripts/gone.py` if it exists.":                    0,
		"Run `scripts/gone.py` in the user's repository.":        0,
		"For example, run `scripts/gone.py`.":                    0,
		"Run the installed plugin's `scripts/gone.cjs restart`.": 0,
		// The introduction is above the block, and above the blocks before it.
		"In the repo:\n\n```bash\n# Usage\n./scripts/gone.sh\n```":                                                    0,
		"In the repo:\n\n```bash\nmake\n```\n\n```bash\n./scripts/gone.sh\n```":                                       0,
		"1. Regenerate via the project's script:\n   ```bash\n   make log\n   ```\n   (Runs `node scripts/gone.js`.)": 0,
		"- In the project,\n  as it is:\n\n  - `node scripts/gone.js`":                                                0,
		"- In the project.\n- `node scripts/gone.js`":                                                                 1,
	} {
		if got := findings(bodyWith("\n"+body+"\n", nil), "script-target"); len(got) != want {
			t.Errorf("%s: got %q, want %d", body, got, want)
		}
	}
	around := map[string]string{"../../scripts/claw.js": "x", "../other/scripts/gone.js": "x"}
	got := findings(bodyWith("\nRun `node scripts/claw.js`, `scripts/claw.js` and `node scripts/gone.js`.\n", around), "script-target")
	if want := []string{`SKILL.md:6:57: the script "scripts/gone.js" does not exist in the skill's folder`}; !slices.Equal(got, want) {
		t.Errorf("with the project's: got %q, want %q", got, want)
	}
	if got := findings(bodyWith("\n`node {baseDir}/scripts/claw.js`\n", around), "script-target"); len(got) != 1 {
		t.Errorf("with the skill's folder named: got %q", got)
	}
	if got := findings(parse("---\nname: my-skill\ndescription: Does a thing. Use when testing.\n---\nRun `python3 scripts/gone.py`.\n"), "script-target"); got != nil {
		t.Errorf("without a folder: got %q", got)
	}
}

func TestScriptTargetPlace(t *testing.T) {
	got := findings(bodyWith("\n> Ü `python3 scripts/gone.py x`\n", map[string]string{"scripts/go.py": ""}), "script-target")
	if want := []string{`SKILL.md:6:14: the script "scripts/gone.py" does not exist in the skill's folder`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOrphanFile(t *testing.T) {
	for name, tt := range map[string]struct {
		body  string
		files map[string]string
		want  []string
	}{
		"one": {"[a](references/a.md)", map[string]string{"references/a.md": "x", "references/b.md": "x"},
			[]string{`references/b.md: nothing in the skill mentions "references/b.md"`}},
		"grouped": {"Text.", map[string]string{"assets/a/1.png": "x", "assets/b/2.png": "x", "x.txt": "x", "y.txt": "x"},
			[]string{
				`SKILL.md: nothing in the skill mentions 2 files in assets/: assets/a/1.png, assets/b/2.png`,
				`SKILL.md: nothing in the skill mentions 2 files: x.txt, y.txt`,
			}},
		"chain": {"Run `scripts/main.py`.", map[string]string{
			"scripts/main.py": "from helpers.zip_tool import x\nimport util", "scripts/helpers/zip_tool.py": "open('schema.xsd')", "scripts/util.py": "",
			"assets/schema.xsd": "x", "scripts/helpers/__init__.py": "",
		}, nil},
		"folder":      {"Look into `assets/` and the `fonts` directory.", map[string]string{"assets/a/b.png": "x", "fonts/c.ttf": "x"}, nil},
		"pattern":     {"Read `references/{language}.md` and `*.csv`.", map[string]string{"references/go.md": "x", "data/x.csv": "x"}, nil},
		"unknown top": {"Read `{lang}/claude/tools.md`.", map[string]string{"go/claude/tools.md": "x", "py/claude/tools.md": "x"}, nil},
		"base name":   {"Use `thumbnail.py` first.", map[string]string{"scripts/thumbnail.py": "x"}, nil},
		"stem":        {"Follow form_fields.", map[string]string{"references/form_fields.md": "x"}, nil},
		"with blanks": {"[a](<references/my notes.md>) and \"old & new.md\"", map[string]string{"references/my notes.md": "x", "references/old & new.md": "x"}, nil},
		"frontmatter": {"Text.\n", map[string]string{"LICENSE.txt": "x"}, nil},
		"comment":     {"<!-- assets/a.png -->", map[string]string{"assets/a.png": "x"}, nil},
		"excused": {"Text.", map[string]string{
			"README.md": "x", "LICENSE-MIT": "x", "NOTICE": "x", ".gitignore": "x", ".github/x.yml": "x", "package.json": "x", "requirements.txt": "x",
			"evals/evals.json": "x", "tests/x.py": "x", "scripts/test_x.py": "x", "agents/openai.yaml": "icon: assets/i.png", "assets/i.png": "x", "CHANGELOG.md": "x",
		}, nil},
		"inner skill": {"Text.", map[string]string{"inner/SKILL.md": "x", "inner/a.md": "x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := bodyWith("\n"+tt.body+"\n", tt.files)
			if got := findings(d, "orphan-file"); !slices.Equal(got, tt.want) {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestOrphansReadNoMoreThanNeeded holds that no file is opened once all are
// accounted for.
func TestOrphansReadNoMoreThanNeeded(t *testing.T) {
	d := bodyWith("\nRun `scripts/a.py` and `scripts/b.py`.\n", map[string]string{"scripts/a.py": "x", "scripts/b.py": "x"})
	p := &Pass{Doc: d, rule: orphanFile, out: &[]Diagnostic{}}
	orphanFile.Check(p)
	if reads := d.Files.(*memoryFiles).reads; len(reads) > 0 {
		t.Errorf("read %v", reads)
	}
}

func TestBodyLength(t *testing.T) {
	long := strings.Repeat("Several words that are in every text.\n", 800)
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"500 lines": {strings.Repeat("x\n", 496), nil},
		"501 lines": {strings.Repeat("x\n", 497), []string{"SKILL.md:501:1: SKILL.md has 501 lines, more than the recommended 500"}},
		"tokens": {strings.ReplaceAll(long, "\n", " "),
			[]string{fmt.Sprintf("SKILL.md:5:1: the body is about %d tokens long, more than the recommended 5000; this is an estimate, usually within 10 %%", EstimateTokens(strings.ReplaceAll(long, "\n", " ")))}},
	} {
		if got := findings(bodyWith(tt.body, nil), "body-length"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestBodyEmpty(t *testing.T) {
	for body, want := range map[string]int{"": 1, "\n \n": 1, "x": 0, "<!-- x -->": 0} {
		if got := findings(bodyWith(body, nil), "body-empty"); len(got) != want {
			t.Errorf("%q: got %q, want %d", body, got, want)
		}
	}
}

// TestHostileBodies runs the rules on bodies that are made to be slow to
// check; the test's own time limit is the assertion.
func TestHostileBodies(t *testing.T) {
	files := map[string]string{}
	for i := range 3000 {
		files[fmt.Sprintf("references/f%d.md", i)] = "[a](g.md)"
	}
	for name, s := range map[string]string{
		"links":    "[a](references/none%d.md) ",
		"mentions": "See references/none%d.md. ",
		"spans":    "`references/none%d.md` ",
		"commands": "`python scripts/none%d.py` ",
		"prose":    "python scripts/none%d.py ",
		"words":    "- references/a/b/c/d/e%d.md *x{y}%[1]d ",
	} {
		var b strings.Builder
		for i := 0; b.Len() < 1<<17; i++ {
			fmt.Fprintf(&b, s, i)
		}
		if ds := Check(bodyWith("\n"+b.String(), files), Options{}); len(ds) > 1000 {
			t.Errorf("%s: %d findings", name, len(ds))
		}
	}
}
