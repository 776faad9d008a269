package rules

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
	"skills/internal/spec/references"
)

func TestInterpreter(t *testing.T) {
	files := map[string]string{"scripts/a.sh": "echo a\n", "scripts/b.py": "print(1)\n", "scripts/c.rb": "puts 1\n", "scripts/d.py": "#!/bin/sh\necho d\n"}
	for body, want := range map[string]string{
		"Run `python scripts/a.sh`.":                                   `SKILL.md:5:6: python does not run "a.sh", which is a script for bash`,
		"Run `uv run python scripts/a.sh`.":                            `SKILL.md:5:6: python does not run "a.sh", which is a script for bash`,
		"Run `uv run scripts/a.sh`.":                                   `SKILL.md:5:6: python does not run "a.sh", which is a script for bash`,
		"```sh\nbash scripts/b.py --all\n```":                          `SKILL.md:6:1: bash does not run "b.py", which is a script for python3`,
		"```sh\nnode ./scripts/c.rb\n```":                              `SKILL.md:6:1: node does not run "c.rb", which is a script for ruby`,
		"```sh\nbash tools/missing.py\n```":                            `SKILL.md:6:1: bash does not run "missing.py", which is a script for python3`,
		"```sh\npython3.12 scripts/a.sh\n```":                          `SKILL.md:6:1: python does not run "a.sh", which is a script for bash`,
		"Run `bash scripts/a.sh` and `python3 scripts/b.py`.":          "",
		"Run `sh scripts/d.py`.":                                       "", // its first line says so
		"Never run `python scripts/a.sh`.":                             "",
		"```sh\n# wrong\npython -m x scripts/a.sh\n```":                "",
		"A comparison of `python next.js` and `bash README.md`.":       "",
		"```sh\nperl scripts/a.sh\nbun run scripts/a.sh\n```":          "",
		"```sh\npython scripts/<name>.sh\nbash path/to/x.py\n```":      "",
		"This fails:\n\n```sh\npython scripts/a.sh # error\n```":       "",
		"```sh\nsudo -u x python3 -c 'x' scripts/a.sh\nnode x.py\n```": "",
	} {
		got := strings.Join(findings(bodyWith(body, files), "interpreter"), "\n")
		if got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", body, got, want)
		}
	}
	script := bodyWith("Run `bash scripts/run.sh`.", map[string]string{"scripts/run.sh": "#!/bin/sh\npython scripts/a.sh\n", "scripts/a.sh": "echo a\n"})
	if got := findings(script, "interpreter"); len(got) != 1 || !strings.HasPrefix(got[0], "scripts/run.sh:2:1:") {
		t.Errorf("in a script: got %q", got)
	}
}

func TestScriptEmpty(t *testing.T) {
	for text, want := range map[string]string{
		"":                                `scripts/a.sh: "scripts/a.sh" is empty`,
		"\n \n":                           `scripts/a.sh: "scripts/a.sh" is empty`,
		"404: Not Found":                  `scripts/a.sh:1:1: "scripts/a.sh" is no script, but a saved page: "404: Not Found"`,
		"\n<!DOCTYPE html>\n<html>":       `scripts/a.sh:2:1: "scripts/a.sh" is no script, but a saved page: "<!DOCTYPE html>"`,
		`{"message": "Not Found"}`:        `scripts/a.sh:1:1: "scripts/a.sh" is no script, but a saved page: "{"message": "Not Found""`,
		"echo 404: Not Found":             "",
		"404: Not Found is what we print": "",
	} {
		got := strings.Join(findings(bodyWith("Run `bash scripts/a.sh`.", map[string]string{"scripts/a.sh": text}), "script-empty"), "\n")
		if got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", text, got, want)
		}
	}
	silent := map[string]string{"scripts/__init__.py": "", "tests/a.py": "", "examples/b.sh": "", "assets/page.html": "<html>", "scripts/page.php": "<html><?php ?>"}
	if got := findings(bodyWith("Text.", silent), "script-empty"); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

func TestOwnPath(t *testing.T) {
	files := map[string]string{"scripts/a.sh": "echo a\n", "references/b.md": "Text.\n"}
	for body, want := range map[string]string{
		"Run `bash ~/.claude/skills/my-skill/scripts/a.sh`.":                                                   `SKILL.md:5:11: "scripts/a.sh" is in the skill, and named by where one client or person has it`,
		"Run `$HOME/.agents/skills/my-skill/scripts/a.sh x`. See /home/bo/.x/skills/my-skill/references/b.md.": `SKILL.md:5:6: "scripts/a.sh", "references/b.md" are in the skill, and named by where one client or person has it`,
		"Run `~/.claude/skills/my-skill/scripts/none.sh`.":                                                     "",
		"Run `~/.claude/skills/other/scripts/a.sh` and `/opt/skills/my-skill/scripts/a.sh`.":                   "",
		"It is installed as ~/.claude/skills/my-skill/SKILL.md in ~/.claude/skills/my-skill/.":                 "",
	} {
		if got := strings.Join(findings(bodyWith(body, files), "own-path"), "\n"); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", body, got, want)
		}
	}
}

func TestArgumentPlaceholder(t *testing.T) {
	for body, want := range map[string]string{
		"Run `awk '{print $1}' x`, then `awk '{print $2}' x`.": `SKILL.md:5:18: Claude Code replaces "$1" by an argument when a user starts the skill with some (and 1 more place in this file)`,
		"```sql\nSELECT * FROM t WHERE id = $1;\n```":          `SKILL.md:6:28: Claude Code replaces "$1" by an argument when a user starts the skill with some`,
		"Run `awk '{print \\$1}' x`.":                          "",
		"It costs $5.":                                         "", // prose, which reads well either way
		"It costs `$5.99`, `$10` or `$1,000`.":                 "",
		"```text\nBusiness: $5/TB, $3/$15, $2 a month, $1 billion, ~$7–9, ($7–9)\n```": "",
		"```python\nfee = 1  # $100 and a fee of $1\n```":                              "",
		"```sh\ncp \"$1/a\" \"$2\" > ${1}00\n```":                                      `SKILL.md:6:5: Claude Code replaces "$1" by an argument when a user starts the skill with some (and 1 more place in this file)`,
		"Run `x $ARGUMENTS` and `awk '{print $1}'`.":                                   "",
		"The task is $ARGUMENTS.\n\nRun `awk '{print $1}'`.":                           "",
		"`$$1` and `${1}` and `x$1`":                                                   "",
	} {
		if got := strings.Join(findings(bodyWith(body, nil), "argument-placeholder"), "\n"); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", body, got, want)
		}
	}
	hinted := skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\nargument-hint: FILE\n---\nRun `x $1`.\n", nil)
	if got := findings(hinted, "argument-placeholder"); len(got) > 0 {
		t.Errorf("with argument-hint: got %q", got)
	}
}

func TestPlaceholder(t *testing.T) {
	const left, description = "the text of a template is left: ", "description has the text of a template: "
	for text, want := range map[string]string{
		"TODO":                        description + `"TODO"`,
		"'[TODO: what it does]'":      description + `"[TODO: what it does]"`,
		"'[Insert description here]'": description + `"[Insert description here]"`,
		"<your description>":          description + `"<your description>"`,
		"A brief description of what this skill does": description + `"A brief description of what this skill does"`,
		"'| Does a thing. Use when testing.'":         `the description starts with "|", the sign of a YAML block`,
		"'> Does a thing. Use when testing.'":         `the description starts with ">", the sign of a YAML block`,
		"Finds TODO comments. Use when cleaning up.":  "",
		"'[beta] Does a thing. Use when testing.'":    "",
		"'Fills [Name] fields. Use when testing.'":    "",
		"Your calendar, as a table. Use when asked.":  "",
	} {
		doc := skillWith("---\nname: my-skill\ndescription: "+text+"\n---\n\nText.\n", nil)
		compareLeft(t, text, findings(doc, "placeholder"), want)
	}
	for body, want := range map[string]string{
		"1. <what to do first>\n2. <what to do next>":       left + `"<what to do first>", "<what to do next>"`,
		"If <something> fails, say so instead of guessing.": left + `"If <something> fails, say so"`,
		"## [TODO: Name of the section]":                    left + `"[TODO: Name of the section]"`,
		"- [Insert steps]":                                  left + `"[Insert steps]"`,
		"TODO: explain this":                                left + `"TODO: explain this"`,
		"TODO comments are listed.":                         "",
		"Write a report of this form:\n\n[Insert summary]":  "",
		"## Output format\n\n[Insert summary]":              "",
		"```\n[Insert summary]\n```":                        "",
		"[Insert steps](references/a.md)":                   "",
		"Use `<what to do first>` as it is.":                "",
	} {
		compareLeft(t, body, findings(bodyWith(body, nil), "placeholder"), want)
	}
	files := map[string]string{"scripts/example.py": "# This is a placeholder script that can be executed directly.\n", "references/api_reference.md": "This is a placeholder for detailed reference documentation.\n"}
	compareLeft(t, "files", findings(bodyWith("Text.", files), "placeholder"), `nobody changed this file of a template: "references/api_reference.md", "scripts/example.py"`)
}

// compareLeft compares the only finding, without its place.
func compareLeft(t *testing.T, name string, got []string, want string) {
	t.Helper()
	if want == "" && len(got) == 0 {
		return
	}
	if len(got) != 1 || want == "" || !strings.HasSuffix(got[0], want) {
		t.Errorf("%q:\ngot  %q\nwant %q", name, got, want)
	}
}

// TestInterpreters checks the two tables against each other.
func TestInterpreters(t *testing.T) {
	for program, language := range interpreted {
		if interpretersOf[language] == "" {
			t.Errorf("%s: nothing runs %s", program, language)
		}
	}
	for _, ext := range []string{".py", ".sh", ".js", ".rb", ".php", ".lua"} {
		if language := references.Language("x"+ext, nil); interpretersOf[language] == "" {
			t.Errorf("%s: nothing runs %s", ext, language)
		}
	}
	if slices.ContainsFunc(All(), func(r *spec.Rule) bool { return r.ID == "interpreter" && r.Fix == "" }) {
		t.Error("the fix is not documented")
	}
}

// TestReservedNames checks that a vendor's own names are advice.
func TestReservedNames(t *testing.T) {
	doc := parseAt("my-claude/SKILL.md", "---\nname: my-claude\ndescription: Does a thing. Use when testing.\n---\n")
	got := Check(doc, spec.Options{})
	if i := slices.IndexFunc(got, func(d spec.Diagnostic) bool { return d.Rule == "name-portability" }); i < 0 || got[i].Level != spec.Info || got[i].Span.Start.Column != 10 {
		t.Errorf("got %v", got)
	}
}
