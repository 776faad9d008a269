package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
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
		"`node tools/y.js`":            gone("tools/y.js"),
		"Run `python scripts/Run.py`.": `"scripts/Run.py" is called "scripts/run.py" on disk; most systems distinguish upper and lower case`,
		"SKILL.md SKILL.md SKILL.md, `python scripts/run.py`, `python scripts/office/pack.py`, `python scripts/gone.py`.": gone("scripts/gone.py"),
		"SKILL.md SKILL.md SKILL.md, `python scripts/run.py`, `python scripts/gone.py`.":                                  "",
		"SKILL.md SKILL.md SKILL.md, `python scripts/runs.py`.":                                                           gone("scripts/runs.py"),
		"Run `scripts/gone.py`, or see `scripts/gone.sh`.":                                                                gone("scripts/gone.py") + "; " + gone("scripts/gone.sh"),
		"- `./scripts/gone.sh` - packs it":                                                                                gone("scripts/gone.sh"),
		"The script `scripts/RUN.py`.":                                                                                    `"scripts/RUN.py" is called "scripts/run.py" on disk; most systems distinguish upper and lower case`,
		"`go run scripts/gone.go` and `poetry run python scripts/gone.py`":                                                gone("scripts/gone.go") + "; " + gone("scripts/gone.py"),
		"```bash\ncurl -L https://e.org/x scripts/gone.sh\nbash scripts/gone.sh\n```":                                     gone("scripts/gone.sh"),
		// Launchers, and files that are copied or installed from.
		"`bb scripts/a.clj`, `uv run --script scripts/b.py`, `uv pip install -r scripts/c.txt`, `cp -r tools/d.json x`, `fish scripts/e.fish`": gone("scripts/a.clj") + "; " + gone("scripts/b.py") + "; " + gone("scripts/c.txt") + "; " + gone("tools/d.json") + "; " + gone("scripts/e.fish"),
		"`bash <path-to-skill>/scripts/gone.sh`, `pip install -r ${CLAUDE_SKILL_DIR}/tools/r.txt`":                                             gone("scripts/gone.sh") + "; " + gone("tools/r.txt"),
		"`pip install -r requirements.txt`, `cp a.json b.json`, `cp data/x y`":                                                                 "",
		// Elsewhere: another folder, the project, a clone.
		"```bash\ncd ${CLAUDE_SKILL_DIR} && python scripts/gone.py\n```":                                       gone("scripts/gone.py"),
		"```bash\ncd my-app\n```\n\nThen:\n\n```bash\npython scripts/gone.py\n```":                             "",
		"```bash\ncd my-app\n```\n\n## Next\n\n```bash\npython scripts/gone.py\n```":                           gone("scripts/gone.py"),
		"```bash\ngit clone https://e.org/x\n./x/setup\nbash scripts/gone.sh\n```":                             "",
		"```bash\n./sources/extract.py x\n./scripts/gone.sh\n```":                                              "",
		"Run these from the repo root:\n\n```bash\npython scripts/gone.py\n```":                                "",
		"`source ${CLAUDE_SKILL_DIR}/.venv/bin/activate`, `node {baseDir}/dist/x.js`, `{baseDir}/agents.json`": "",
		"`SKILL_DIR=$(dirname $0)/scripts`, then `python $SKILL_DIR/gone.py`.":                                 "",
		"```bash\ncd ${CLAUDE_SKILL_DIR}/tools && uv pip install x && bun install && node gone.js\n```":        gone("tools/gone.js"),
		"```bash\ngit clone https://e.org/x\n```\n\n## Train\n\n`python scripts/train.py`":                     "",
		// Files that programs read.
		"`make -f scripts/x.mk`, `docker build -f scripts/Dockerfile.x .`, `psql -f scripts/x.sql`, `jq -f scripts/x.jq in.json`": gone("scripts/x.mk") + "; " + gone("scripts/Dockerfile.x") + "; " + gone("scripts/x.sql") + "; " + gone("scripts/x.jq"),
		"`java -jar tools/x.jar`, `ls | xargs -n 1 python scripts/gone.py`, `python3 -m scripts.gone2`":                           gone("tools/x.jar") + "; " + gone("scripts/gone.py") + "; " + gone("scripts/gone2.py"),
		"`kubectl apply -f tools/x.yaml`, `terraform plan -var-file=tools/x.tfvars`, `sqlite3 a.db < tools/x.sql`":                gone("tools/x.yaml") + "; " + gone("tools/x.tfvars") + "; " + gone("tools/x.sql"),
		"`uvx --from ./scripts/pkg x`, `bunx tsx scripts/x.ts`, `sqlite3 a.db <tools/y.sql`":                                      gone("scripts/pkg") + "; " + gone("scripts/x.ts") + "; " + gone("tools/y.sql"),
		"`kubectl apply -f deploy.yaml`, `jq -f x.jq`, `psql < dump.sql`, `echo <tools/name>`, `make -f Makefile`":                "",
		// Shown rather than run.
		"Run `python scripts/gone.py x` if available.":                                          "",
		"Run `python scripts/gone.py`. If the script does not exist, do it by hand.":            "",
		"**scripts/gone.py**:\n\n```python\nprint()\n```\n\nRun `python scripts/gone.py`.":      "",
		"```python\n# scripts/gone.py\nprint()\n```\n\nRun `python scripts/gone.py`.":           "",
		"Run `scripts/gone.py`:\n\n```bash\npython scripts/gone.py\n```":                        gone("scripts/gone.py"),
		"```bash\n#!/bin/bash\npython scripts/gone.py\n```":                                     "",
		"In CI:\n\n```bash\npython scripts/gone.py\n```":                                        "",
		"**Allowed**:\n\n- `python scripts/gone.py`\n- `scripts/gone.sh x`":                     "",
		"Generated files:\n\n- `{baseDir}/tests/a.test.js`\n\nRun `node {baseDir}/tools/y.js`.": gone("tools/y.js"),
		// Not the skill's, or no command.
		"```bash\ncurl -o scripts/a.sh https://e.org/a\nbash scripts/a.sh\n```":                                                                     "",
		"`wget -qO scripts/b.sh https://e.org/b`, `curl --output=./scripts/c.sh https://e.org/c`. Run `bash scripts/b.sh` and `bash scripts/c.sh`.": "",
		"`go build ./scripts/x.go`, `go test ./...`, `go run .`, `go run ./cmd/x`, `poetry run pytest`":                                             "",
		"1. Regenerate via the project's changelog script:\n   ```bash\n   make log\n   ```\n   (Runs `node scripts/gone.js`.)":                     "",
		"Run `scripts/build.py` of the user's project.":                                                                                             "",
		"`python manage.py migrate`, `node server.js`, `python src/x.py`":                                                                           "",
		"`python -m scripts.office`, `python -c 'scripts/gone.py'`":                                                                                 "",
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
		for _, f := range Check(d, spec.Options{}) {
			if f.Rule == "script-target" {
				got = append(got, f.Message)
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s\n got %q\nwant %q", body, got, want)
		}
	}
}

// TestScriptTargetWithoutScripts checks skills without scripts/: their commands may be
// meant for the project.
func TestScriptTargetWithoutScripts(t *testing.T) {
	for body, want := range map[string]int{
		"Run `python3 scripts/gone.py`.":                                                     1,
		"```bash\nscripts/gone.sh x\n```":                                                    1,
		"Run the repository's `python3 scripts/build.py`.":                                   0,
		"Check your project:\n\n```bash\n./scripts/lint.sh\n```":                             0,
		"```bash\n./scripts/lint\n```":                                                       0,
		"Run `npm run build` and `make`.":                                                    0,
		"Run `scripts/gone.py`.":                                                             1,
		"Then run the script `./scripts/gone.sh`:":                                           1,
		"运行 `scripts/gone.py`。":                                                              1,
		"运行脚本 `scripts/gone.py`。":                                                            1,
		"`scripts/gone.py` is where it starts.":                                              0,
		"See `scripts/gone.py` and `scripts/gone.sh`.":                                       0,
		"Run `scripts/gone.py` if it exists.":                                                0,
		"Run `scripts/gone.py` in the user's repository.":                                    0,
		"For example, run `scripts/gone.py`.":                                                0,
		"Run `python3 scripts/a.py` and `./scripts/b.sh`.":                                   2,
		"Run `python3 scripts/a.py`, `./scripts/b.sh`, `scripts/c.py`, `bash scripts/d.sh`.": 4,
		"Run `scripts/a.py`, then `scripts/b.sh x` and **`scripts/c.py`**.":                  3,
		"Run `python3 scripts/a.py`. See `scripts/b.sh` and `scripts/c.py`.":                 1,
		"Run `python3 scripts/a.py`, which replaces `scripts/b.sh`.":                         1,
		"Run `make` and `npm test`, `scripts/c.sh`.":                                         1,
		"## Available scripts\n\n- **`scripts/validate.sh`** - Validates configuration files\n- `scripts/b.py`: more": 2,
		"The bundled scripts:\n\n1. `scripts/a.py` - packs\n2. `scripts/b.py` if present":                             1,
		"| Included scripts | |\n|---|---|\n| `scripts/a.py` | packs |":                                               0,
		"## Scripts\n\n- `scripts/validate.sh` - Validates configuration files":                                       0,
		"## Available scripts\n\nIn package.json:\n\n- `scripts/validate.sh` - Validates":                             0,
		"## Available scripts of the project\n\n- `scripts/validate.sh` - Validates":                                  0,
		"## Available scripts\n\n- Validation: `scripts/validate.sh`":                                                 0,
		"Available scripts in your repo:\n\n- `scripts/validate.sh` - Validates":                                      0,
		"`dotnet run scripts/x.cs`, `dotnet run --file scripts/y.cs`":                                                 2, "`dotnet run --project scripts/z.cs` `dotnet test scripts/t.cs`": 0,
		"`lua scripts/x.lua`, `swift scripts/x.swift`, `java scripts/X.java`, `osascript -l JavaScript scripts/x.js`": 4,
		"`lua -e 'scripts/x.lua'`, `java -jar scripts/x.jar`, `swift build scripts/x.swift`":                          0,
		"```sh\nchmod +x scripts/x.sh\nchmod 600 scripts/y.sh\n```":                                                   1,
		"```sh\ncurl -o scripts/x.sh https://e.org/x\nchmod +x scripts/x.sh\n```":                                     0,
		"```powershell\npython scripts\\x.py\n.\\scripts\\x.ps1 -Name a\n```":                                         2,
		"```powershell\nscripts\\*.ps1\n.\\venv\\scripts\\activate.ps1\n```":                                          0,
		"Run the installed plugin's `scripts/gone.cjs restart`.":                                                      0,
		// The introduction is above the block, and above the blocks before it.
		"In the repo:\n\n```bash\n# Usage\n./scripts/gone.sh\n```":                                                    0,
		"In the repo:\n\n```bash\nmake\n```\n\n```bash\n./scripts/gone.sh\n```":                                       0,
		"1. Regenerate via the project's script:\n   ```bash\n   make log\n   ```\n   (Runs `node scripts/gone.js`.)": 0,
		"- In the project,\n  as it is:\n\n  - `node scripts/gone.js`":                                                0,
		"Run `scripts/gone.pl` first.\n\nRun `scripts/gone.py` in the kernel source tree.":                            0,
		"```bash\ngit clone https://e.org/x\n```\n\n## Clean up\n\n```bash\n./scripts/gone.sh\n```":                   0,
		"```bash\npython scripts/gone.py\nbash ci/lint.sh\n```":                                                       0,
		"```bash\npython scripts/gone.py\nbash skills/other/x.sh\n```":                                                1,
		"- In the project.\n- `node scripts/gone.js`":                                                                 1,
	} {
		if got := findings(bodyWith("\n"+body+"\n", nil), "script-target"); len(got) != want {
			t.Errorf("%s: got %q, want %d", body, got, want)
		}
	}
	ofRepository := "---\nname: my-skill\ndescription: Builds Frob. Use when working in the frob repository.\n---\nRun `node scripts/gone.js`.\n"
	if got := findings(skillWith(ofRepository, nil), "script-target"); got != nil {
		t.Errorf("of a repository: got %q", got)
	}
	plugin := map[string]string{"../../.claude-plugin/plugin.json": "{}", "../../hooks/a.sh": ""}
	if got := findings(bodyWith("\n`bash ${CLAUDE_PLUGIN_ROOT}/hooks/a.sh`, `bash $CLAUDE_PLUGIN_ROOT/hooks/b.sh`\n", plugin), "script-target"); !slices.Equal(got, []string{`SKILL.md:6:48: "hooks/b.sh" does not exist in the plugin's folder`}) {
		t.Errorf("of a plugin: got %q", got)
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

// TestScriptTargetLinked checks the files that links lead to: a script is named
// from the skill's folder or from theirs.
func TestScriptTargetLinked(t *testing.T) {
	files := map[string]string{
		"references/a.md":           "Run `python3 scripts/gone.py`, `python3 scripts/own.py`, `node scripts/run.js` and `bash ../scripts/run.js`.\n",
		"references/b.md":           "Run `python3 scripts/gone.py` and `python3 scripts/more.py`. In your project, run `bash scripts/ci.sh`.\n",
		"references/template.md":    "Run `python3 scripts/none.py`.\n",
		"references/unlinked.md":    "Run `python3 scripts/none.py`.\n",
		"forms.md":                  "First:\n`python scripts/fill_form <file>`.\n",
		"references/scripts/own.py": "",
		"scripts/run.js":            "",
	}
	got := findings(bodyWith("\n[a](references/a.md) [b](references/b.md) [t](references/template.md)\n\nFor a form, read forms.md, and not none.md or README.md.\n", files), "script-target")
	want := []string{
		`forms.md:2:9: the script "scripts/fill_form" does not exist in the skill's folder`,
		`references/a.md:1:14: the script "scripts/gone.py" does not exist in the skill's folder`,
		`references/b.md:1:44: the script "scripts/more.py" does not exist in the skill's folder`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScriptTargetPosition(t *testing.T) {
	got := findings(bodyWith("\n> Ü `python3 scripts/gone.py x`\n", map[string]string{"scripts/go.py": ""}), "script-target")
	if want := []string{`SKILL.md:6:14: the script "scripts/gone.py" does not exist in the skill's folder`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
