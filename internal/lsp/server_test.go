package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"skills/internal/lsp/protocol"
)

// guide and fill are the other files of the skill good.
var others = map[string]string{
	"references/guide.md": "# Guide\n\nFill in the fields one by one.\n",
	"scripts/fill.py":     "#!/usr/bin/env python3\nimport argparse\nargparse.ArgumentParser(description='Fills a form').parse_args()\n",
}

// goodSkill writes a skill without findings of the level warning.
func goodSkill(t *testing.T) (dir, file string) {
	t.Helper()
	dir = skillDir(t, others)
	write(t, dir, map[string]string{"SKILL.md": good})
	return dir, filepath.Join(dir, "SKILL.md")
}

// TestFindings follows a skill while it is edited: unsaved text counts, that of other files
// too, and what is repaired disappears.
func TestFindings(t *testing.T) {
	dir, file := goodSkill(t)
	e := start(t, options{init: `{"advice": false}`, folders: []string{dir}})
	e.open(file, good)
	if got := e.findings(file, 1); len(got) > 0 {
		t.Errorf("a good skill: got %v", got)
	}
	e.change(file, 2, strings.Replace(good, "guide.md", "guides.md", 1))
	if got := ids(e.findings(file, 2)); got != "link-target" {
		t.Errorf("a link to a file that does not exist: got %s", got)
	}
	guides := filepath.Join(dir, "references", "guides.md")
	e.open(guides, "# Guides\n") // never saved
	e.wait("the findings with the new file", func() bool { return len(e.latest[protocol.URI(file)].Diagnostics) == 0 })
	e.change(guides, 2, "See [it](missing.md).\n")
	if got := ids(e.findings(guides, 2)); got != "link-target" {
		t.Errorf("in the new file: got %s", got)
	}
	e.close(guides)
	if got := e.findings(guides, 0); len(got) > 0 {
		t.Errorf("a closed file: got %v", got)
	}
	e.wait("the finding after the file is gone", func() bool { return ids(e.latest[protocol.URI(file)].Diagnostics) == "link-target" })
	e.close(file)
	if got := e.findings(file, 0); len(got) > 0 {
		t.Errorf("a closed skill: got %v", got)
	}
	if err := e.end(); err != nil {
		t.Error(err)
	}
}

// TestNewSkill checks a SKILL.md that was never saved, in a folder that does not exist.
func TestNewSkill(t *testing.T) {
	dir := filepath.Join(skillDir(t, nil), "pdf-forms")
	e := start(t, options{})
	file := filepath.Join(dir, "SKILL.md")
	e.open(file, "---\nname: PDF\ndescription: Fills PDF forms. Use when a task names one.\n---\nDo it.\n")
	if got := ids(e.findings(file, 1)); got != "name-lowercase" {
		t.Errorf("got %s", got)
	}
}

// TestSettings applies settings of the editor, the configuration, its exclude and a
// baseline as validate does.
func TestSettings(t *testing.T) {
	bad := strings.Replace(good, "guide.md", "nothing.md", 1)
	for _, tt := range []struct {
		name, init, config, want string
		severity                 protocol.Severity
	}{
		{name: "none", want: "link-target", severity: protocol.SeverityWarning},
		{name: "rule", init: `{"rules": {"link-target": "error"}}`, want: "link-target", severity: protocol.SeverityError},
		{name: "strict", init: `{"strict": true}`, want: "link-target", severity: protocol.SeverityError},
		{name: "off", init: `{"skills": {"rules": {"link-target": "off"}}}`},
		{name: "configuration", config: "rules: {link-target: info}\nstrict: true\n", want: "link-target", severity: protocol.SeverityHint},
		{name: "excluded", config: "exclude: [pdf]\n"},
		{name: "baseline", init: `{"baseline": "known.json"}`},
		{name: "profile", init: `{"profile": "skills-ref"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, file := goodSkill(t)
			root := filepath.Dir(dir)
			write(t, root, map[string]string{
				"pdf/SKILL.md": bad, ".git/HEAD": "",
				"known.json": `{"version": 1, "findings": [{"path": "pdf/SKILL.md", "rule": "link-target", "message": "\"references/nothing.md\" does not exist in the skill's folder", "count": 1}]}`,
			})
			if tt.config != "" {
				write(t, root, map[string]string{".skills.yaml": tt.config})
			}
			e := start(t, options{init: tt.init, folders: []string{root}})
			e.open(file, bad)
			var errors []protocol.Diagnostic
			for _, d := range e.findings(file, 1) {
				if d.Code != "orphan-file" {
					errors = append(errors, d)
				}
			}
			if ids(errors) != tt.want {
				t.Fatalf("got %v, want %s", errors, tt.want)
			}
			if len(errors) > 0 && errors[0].Severity != tt.severity {
				t.Errorf("got the severity %d, want %d", errors[0].Severity, tt.severity)
			}
		})
	}
}

// TestWrongSettings reports settings and configurations that are wrong, and uses them once
// they are right.
func TestWrongSettings(t *testing.T) {
	dir, file := goodSkill(t)
	config := filepath.Join(dir, ".skills.yaml")
	write(t, dir, map[string]string{".skills.yaml": "strict: true\nrule: {}\n"})
	e := start(t, options{init: `{"rules": {"link-targt": "off"}}`, folders: []string{dir}})
	e.wait("the wrong setting", func() bool { return strings.Contains(strings.Join(e.messages, "\n"), "link-targt") })
	e.open(file, good)
	got := e.findings(config, 0)
	if len(got) != 1 || got[0].Range.Start.Line != 1 || !strings.Contains(got[0].Message, "rules") {
		t.Errorf("an unknown key: got %v", got)
	}
	write(t, dir, map[string]string{".skills.yaml": "rules: {name-directory: off}\n"})
	e.notify("workspace/didChangeWatchedFiles", protocol.WatchedFilesParams{Changes: []protocol.FileEvent{{URI: protocol.URI(config), Type: 2}}})
	e.wait("the repaired configuration", func() bool { return len(e.latest[protocol.URI(config)].Diagnostics) == 0 })
	e.change(file, 2, strings.Replace(good, "name: pdf", "name: word", 1))
	if got := ids(e.findings(file, 2)); strings.Contains(got, "name-directory") {
		t.Errorf("the rule is off: got %s", got)
	}
	e.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"skills": map[string]any{"rules": map[string]any{"name-directory": "warning"}}}})
	e.wait("the new setting", func() bool {
		return strings.Contains(ids(e.latest[protocol.URI(file)].Diagnostics), "name-directory")
	})
}

// TestPulledSettings asks an editor that has settings for them.
func TestPulledSettings(t *testing.T) {
	_, file := goodSkill(t)
	e := start(t, options{
		client: `{"workspace": {"configuration": true}}`,
		answers: map[string]func(string) any{"workspace/configuration": func(string) any {
			return []any{map[string]any{"rules": map[string]any{"link-target": "off"}}}
		}},
	})
	e.open(file, strings.Replace(good, "guide.md", "nothing.md", 1))
	e.wait("no finding", func() bool {
		p, ok := e.latest[protocol.URI(file)]
		return ok && !strings.Contains(ids(p.Diagnostics), "link-target")
	})
}

// TestChangedOnDisk notices what others change, add and remove.
func TestChangedOnDisk(t *testing.T) {
	dir, file := goodSkill(t)
	e := start(t, options{client: `{"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}`, init: `{"advice": false}`})
	e.wait("the registration", func() bool {
		return strings.Contains(strings.Join(e.requests, "\n"), `"workspace/didChangeWatchedFiles"`)
	})
	e.open(file, good)
	e.findings(file, 1)
	guide := filepath.Join(dir, "references", "guide.md")
	changed := func(kind int) {
		e.notify("workspace/didChangeWatchedFiles", protocol.WatchedFilesParams{Changes: []protocol.FileEvent{{URI: protocol.URI(guide), Type: kind}}})
	}
	write(t, dir, map[string]string{"references/guide.md": "See [it](missing.md).\n"})
	changed(2)
	e.wait("a finding in the changed file", func() bool { return len(e.latest[protocol.URI(guide)].Diagnostics) == 1 })
	if err := os.Remove(guide); err != nil {
		t.Fatal(err)
	}
	changed(3)
	e.wait("a finding for the removed file", func() bool {
		return len(e.latest[protocol.URI(guide)].Diagnostics) == 0 && ids(e.latest[protocol.URI(file)].Diagnostics) == "link-target"
	})
}

// TestPoll notices changes for an editor that does not watch files, and outside of its
// workspace.
func TestPoll(t *testing.T) {
	for _, client := range []string{"{}", `{"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}`} {
		dir, file := goodSkill(t)
		tick := make(chan time.Time)
		e := start(t, options{Options: Options{tick: tick}, client: client, init: `{"advice": false}`, folders: []string{t.TempDir()}})
		e.open(file, good)
		e.findings(file, 1)
		tick <- time.Time{}
		tick <- time.Time{} // the look before has ended
		if err := os.Remove(filepath.Join(dir, "references", "guide.md")); err != nil {
			t.Fatal(err)
		}
		tick <- time.Time{}
		e.wait("the finding", func() bool { return ids(e.latest[protocol.URI(file)].Diagnostics) == "link-target" })
	}
}

// TestNested checks a skill inside another: a file of both has the findings of both.
func TestNested(t *testing.T) {
	dir, file := goodSkill(t)
	inner := filepath.Join(dir, "inner", "SKILL.md")
	text := "---\nname: inner\ndescription: Does it. Use when a task names it.\n---\nSee [x](x.md).\n"
	write(t, dir, map[string]string{"inner/SKILL.md": text})
	e := start(t, options{init: `{"advice": false}`})
	e.open(file, good)
	e.open(inner, text)
	if got := ids(e.findings(inner, 1)); got != "link-target" {
		t.Errorf("inner skill: got %s", got)
	}
	e.close(inner)
	e.findings(file, 1)
	e.wait("no findings of the closed skill", func() bool {
		return !strings.Contains(ids(e.latest[protocol.URI(inner)].Diagnostics), "link-target")
	})
}
