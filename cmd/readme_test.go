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

// TestReadme runs every command of the README's console blocks in the
// repository's folder and compares what is printed; commands that ask a model
// talk to a scripted server. With -update the outputs are rewritten, and so is
// the table of rules.
func TestReadme(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Log("no sh, so the console blocks are not run")
		return
	}
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
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
		out, _ := c.CombinedOutput() // exit codes are told in the text around
		root, err := filepath.Abs("..")
		if err != nil {
			t.Fatal(err)
		}
		said := strings.ReplaceAll(string(out), root, "/home/me/project")
		// What a machine has to confine scripts with is its own affair.
		said = regexp.MustCompile(`sandbox (landlock|none)\)`).ReplaceAllString(said, "sandbox bubblewrap)")
		return regexp.MustCompile(`(?m)^warning: scripts are .*\n`).ReplaceAllString(said, "")
	}
	commands := 0
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
	if commands < 5 {
		t.Errorf("only %d commands were found", commands)
	}
	got = regexp.MustCompile(`(?s)<!-- rules -->.*?<!-- end -->`).ReplaceAllLiteralString(got, "<!-- rules -->\n"+ruleTable()+"<!-- end -->")
	if got == text {
		return
	}
	if *update {
		if err := os.WriteFile("../README.md", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the README does not say what the program prints; see the difference with: go test ./cmd -run TestReadme -update && git diff README.md\n%s", firstDifference(text, got))
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
			return fmt.Sprintf("line %d\nREADME:  %s\nprogram: %s", i+1, a[i], b[i])
		}
	}
	return "one is longer than the other"
}
