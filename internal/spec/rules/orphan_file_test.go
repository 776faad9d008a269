package rules

import (
	"slices"
	"testing"

	"skills/internal/spec"
)

func TestOrphanFile(t *testing.T) {
	for name, tt := range map[string]struct {
		body  string
		files map[string]string
		want  []string
	}{
		"one": {"[a](references/a.md)", map[string]string{"references/a.md": "x", "references/b.md": "x"},
			[]string{`references/b.md: "references/b.md" is not mentioned in SKILL.md or the files that it leads to`}},
		"Chinese": {"请参阅references/a.md文件，以及references/指南.md。", map[string]string{"references/a.md": "x", "references/指南.md": "x"}, nil},
		"grouped": {"Text.", map[string]string{"assets/a/1.png": "x", "assets/b/2.png": "x", "x.txt": "x", "y.txt": "x"},
			[]string{
				`SKILL.md: 2 files are not mentioned in SKILL.md or the files that it leads to: x.txt, y.txt`,
				`SKILL.md: 2 files in assets/ are not mentioned in SKILL.md or the files that it leads to: assets/a/1.png, assets/b/2.png`,
			}},
		"chain": {"Run `scripts/main.py`.", map[string]string{
			"scripts/main.py": "from helpers.zip_tool import x\nimport util", "scripts/helpers/zip_tool.py": "open('schema.xsd')", "scripts/util.py": "",
			"assets/schema.xsd": "x", "scripts/helpers/__init__.py": "",
		}, nil},
		"folder":                {"Look into `assets/` and the `fonts` directory.", map[string]string{"assets/a/b.png": "x", "fonts/c.ttf": "x"}, nil},
		"pattern":               {"Read `references/{language}.md` and `*.csv`.", map[string]string{"references/go.md": "x", "data/x.csv": "x"}, nil},
		"unknown top":           {"Read `{lang}/claude/tools.md`.", map[string]string{"go/claude/tools.md": "x", "py/claude/tools.md": "x"}, nil},
		"stand-in":              {"`python3 <path-to-skill>/scripts/ff.py`, `<the skill>/scripts/gg.py`, {dir}/data/", map[string]string{"scripts/ff.py": "x", "scripts/gg.py": "x", "data/x.csv": "x"}, nil},
		"default of a variable": {"`python ${CODE_HOME:-$HOME/.code}/skills/my-skill/scripts/x.py` and `{a}`", map[string]string{"scripts/x.py": "x"}, nil},
		"stand-in alone": {"Use <name> or <references/a.md>.", map[string]string{"references/a.md": "x", "references/b.md": "x"},
			[]string{`references/b.md: "references/b.md" is not mentioned in SKILL.md or the files that it leads to`}},
		"module":        {"Run `python -m scripts.run_loop`.\n\n```\nuv run -m scripts.pack\n```", map[string]string{"scripts/run_loop.py": "x", "scripts/pack.py": "x"}, nil},
		"in a script":   {"Run `scripts/x.sh`.", map[string]string{"scripts/x.sh": "cat \"$SCRIPT_DIR/templates/fix.md\" \"${ROOT}/data/y.csv\"", "templates/fix.md": "x", "data/y.csv": "x"}, nil},
		"for the tests": {"Run `scripts/x.ts`, and check it with `scripts/x.test.ts`.", map[string]string{"scripts/x.ts": "x", "scripts/x.test.ts": "import './png-synth'", "scripts/png-synth.ts": "x", "evals/evals.json": "assets/in.csv", "assets/in.csv": "x"}, nil},
		"by a test only": {"Run `scripts/x.ts`.", map[string]string{"scripts/x.ts": "x", "scripts/x.test.ts": "import './png-synth'", "scripts/png-synth.ts": "x"},
			[]string{`scripts/png-synth.ts: "scripts/png-synth.ts" is not mentioned in SKILL.md or the files that it leads to`}},
		"words in bold": {"**MDAnalysis** reads, **Ref…** *data* and age<18, *then* **more**, a<b and {x}.", map[string]string{"references/mdanalysis_analysis.md": "x", "references/age_limits_18.md": "x"},
			[]string{`SKILL.md: 2 files in references/ are not mentioned in SKILL.md or the files that it leads to: references/age_limits_18.md, references/mdanalysis_analysis.md`}},
		"patterns and bold paths": {"**references/a.md**, ***references/b.md***, **/*.csv, assets/*, *_schema.json, **See `data/*.tsv`.**", map[string]string{
			"references/a.md": "x", "references/b.md": "x", "x/y.csv": "x", "assets/i.png": "x", "z/in_schema.json": "x", "data/q.tsv": "x"}, nil},
		"packaging":   {"Text.", map[string]string{"metadata.json": "x", "_meta.json": "x", "marketplace.json": "x"}, nil},
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

// TestOrphansReadNoMoreThanNeeded checks that no file is opened once all are
// accounted for.
func TestOrphansReadNoMoreThanNeeded(t *testing.T) {
	d := bodyWith("\nRun `scripts/a.py` and `scripts/b.py`.\n", map[string]string{"scripts/a.py": "x", "scripts/b.py": "x"})
	p := spec.NewPass(d, orphanFile, spec.Options{})
	orphanFile.Check(p)
	if reads := d.Files.(*memoryFiles).reads; len(reads) > 0 {
		t.Errorf("read %v", reads)
	}
}
