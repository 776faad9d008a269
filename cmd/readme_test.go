package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"skills/internal/agent/openaitest"
	"skills/internal/spec/rules"
)

// TestReadme runs every command in the console blocks of the README and of docs
// in the repository's folder and compares what is printed. Commands that need a
// model get a scripted server. With -update the outputs are rewritten, and so is
// the table of rules.
func TestReadme(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Log("no sh, so the console blocks are not run")
		return
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(t,
		openaitest.Do(openaitest.Call{ID: "call_1", Name: "load_skill", Arguments: `{"skillName":"unit-converter"}`}),
		openaitest.Do(openaitest.Call{ID: "call_2", Name: "run_skill_script", Arguments: `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"value":1,"factor":2.20462}}`}),
		openaitest.Say("1 kg is 2.20462 lb."),
		openaitest.Do(openaitest.Call{ID: "call_1", Name: "run_skill_script", Arguments: `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"value":1,"factor":2.20462}}`}),
		openaitest.Say("I may not run it."))
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is the program when it is called by that name.
	if err := os.Symlink(self, filepath.Join(bin, "skills")); err != nil {
		t.Fatal(err)
	}
	run := func(command string) string {
		c := exec.Command("sh", "-c", command)
		c.Dir = ".."
		c.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + bin, "OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=sk-test"}
		out, _ := c.CombinedOutput() // exit codes are described around the blocks
		root, err := filepath.Abs("..")
		if err != nil {
			t.Fatal(err)
		}
		said := strings.ReplaceAll(string(out), root, "/home/me/project")
		// Which sandbox works differs from machine to machine.
		said = regexp.MustCompile(`sandbox (landlock|none)\)`).ReplaceAllString(said, "sandbox bubblewrap)")
		return regexp.MustCompile(`(?m)^warning: scripts run .*\n`).ReplaceAllString(said, "")
	}
	commands := 0
	for _, page := range append([]string{"../README.md"}, pages...) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		got := regexp.MustCompile("(?s)```console\n(.*?)```").ReplaceAllStringFunc(text, func(block string) string {
			var b strings.Builder
			b.WriteString("```console\n")
			for line := range strings.Lines(block) {
				if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok {
					commands++
					b.WriteString(line + run(command))
				}
			}
			return b.String() + "```"
		})
		got = regexp.MustCompile(`(?s)<!-- rules -->.*?<!-- end -->`).ReplaceAllLiteralString(got, "<!-- rules -->\n"+ruleTable()+"<!-- end -->")
		switch {
		case got == text:
		case *update:
			if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s does not show what the program prints; see the difference with: go test ./cmd -run TestReadme -update && git diff\n%s", page, firstDifference(text, got))
		}
	}
	if commands < 9 {
		t.Errorf("only %d commands were found", commands)
	}
}

func ruleTable() string {
	var b strings.Builder
	b.WriteString("| rule | level | checks | source |\n|------|-------|--------|--------|\n")
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.ID, r.Level, r.Title, r.Source)
	}
	return b.String()
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\npage:    %s\nprogram: %s", i+1, a[i], b[i])
		}
	}
	return "one is longer than the other"
}
