package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// TestReadme runs every command in the console blocks of the READMEs and of docs
// in a folder with testdata and compares what is printed. Commands that need a
// model get a scripted server. With -update the outputs are rewritten, and so are
// the table of rules and the page of each rule.
func TestReadme(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed, so the console blocks are not run")
	}
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	use := func(tool, arguments string) openaitest.Reply {
		return openaitest.Do(openaitest.Call{ID: "call_0", Name: tool, Arguments: arguments})
	}
	convert := openaitest.Call{ID: "call_1", Name: "run_skill_script", Arguments: `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"value":1,"factor":2.20462}}`}
	conversion := []openaitest.Reply{
		openaitest.Do(openaitest.Call{ID: "call_0", Name: "load_skill", Arguments: `{"skillName":"unit-converter"}`}),
		openaitest.Do(convert),
		openaitest.Text("1 kg is 2.20462 lb."),
	}
	server := openaitest.New(t, slices.Concat(conversion, conversion, // each README
		[]openaitest.Reply{openaitest.Do(convert), openaitest.Text("1 kg is 2.20462 lb.")}, // docs/control.md
		[]openaitest.Reply{ // docs/hooks.md
			openaitest.Do(convert), openaitest.Text("I may not run it."),
			openaitest.Text("The address ann@example.com belongs to Ann."),
			openaitest.Text("I will remember that."), openaitest.Text("I will remember that."), openaitest.Text("You live in Leeds."),
			openaitest.Text("Hello Ann."), openaitest.Text("Ann."),
		},
		[]openaitest.Reply{ // docs/mcp.md
			use("get_weather", `{"location":"Suzhou"}`), use("book_table", `{"restaurant":"Lotus","time":"7 pm"}`),
			openaitest.Text("It is sunny in Suzhou, 25 °C. I may not book a table."),
			use("get_weather", `{"location":"Suzhou"}`), openaitest.Text("It rains in Suzhou, at 10 °C. Take an umbrella."),
			use("todos_add", `{"todos":[{"title":"Pull the code"},{"title":"Build the image"},{"title":"Deploy to Staging"},{"title":"Check the health"}]}`),
			use("PullLatestCode", `{"serviceName":"Order-Server"}`), use("todos_complete", `{"items":[{"id":1,"reason":"pulled"}]}`),
			use("BuildDockerImage", `{"serviceName":"Order-Server"}`), use("todos_complete", `{"items":[{"id":2,"reason":"built"}]}`),
			use("DeployToK8s", `{"serviceName":"Order-Server","cluster":"Staging"}`), use("todos_complete", `{"items":[{"id":3,"reason":"deployed"}]}`),
			use("RunHealthCheck", `{"serviceName":"Order-Server"}`), use("todos_complete", `{"items":[{"id":4,"reason":"healthy"}]}`),
			openaitest.Text("Order-Server runs in Staging and is healthy."),
		},
		conversion)...) // docs/run.md
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The test binary is the program when it is called by that name.
	if err := os.Symlink(self, filepath.Join(bin, "skills")); err != nil {
		t.Fatal(err)
	}
	run := func(dir, command string) string {
		c := exec.Command("sh", "-c", command)
		c.Dir = dir
		c.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + bin, "LANG=C.UTF-8", "OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=sk-test"}
		out, _ := c.CombinedOutput() // exit codes are described around the blocks
		printed := strings.NewReplacer(dir, "/home/me/project", server.URL, "https://api.openai.com/v1").Replace(string(out))
		// Sandbox, time and interpreter differ from machine to machine.
		for _, r := range []struct{ pattern, with string }{
			{`sandbox (landlock|none)\b`, "sandbox bubblewrap"},
			{`"sandbox": "(landlock|none)"`, `"sandbox": "bubblewrap"`},
			{`"duration_ms": \d+`, `"duration_ms": 43`},
			{`"/[^"]*/python3[.\d]*"`, `"/usr/bin/python3"`},
		} {
			printed = regexp.MustCompile(r.pattern).ReplaceAllString(printed, r.with)
		}
		return regexp.MustCompile(`(?m)^warning: scripts run .*\n`).ReplaceAllString(printed, "")
	}
	commands := 0
	for _, page := range append([]string{"../README.md", "../README.zh-CN.md"}, pages...) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		dir, err := filepath.EvalSymlinks(t.TempDir()) // commands may create files
		must(t, err)
		must(t, os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("../testdata")))
		got := regexp.MustCompile("(?s)```console\n(.*?)```").ReplaceAllStringFunc(text, func(block string) string {
			var b strings.Builder
			b.WriteString("```console\n")
			for line := range strings.Lines(block) {
				if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok {
					commands++
					b.WriteString(line + run(dir, command))
				}
			}
			return b.String() + "```"
		})
		got = regexp.MustCompile(`(?s)<!-- rules -->.*?<!-- end -->`).ReplaceAllLiteralString(got, "<!-- rules -->\n"+ruleTable()+"<!-- end -->")
		got = regexp.MustCompile(`(?s)<!-- clients -->.*?<!-- end -->`).ReplaceAllLiteralString(got, "<!-- clients -->\n"+clientTables()+"<!-- end -->")
		comparePage(t, page, text, got)
	}
	compareRulePages(t)
	if commands < 9 {
		t.Errorf("only %d commands were found", commands)
	}
}

// TestFormatsPage checks that docs/validate.md names the formats of validate.
func TestFormatsPage(t *testing.T) {
	names := formatNames()
	last := len(names) - 1
	want := "`--format` writes `" + strings.Join(names[:last], "`, `") + "` or `" + names[last] + "`."
	if text := filetest.Read(t, "../docs/validate.md"); !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
		t.Errorf("docs/validate.md lacks: %s", want)
	}
}

// comparePage compares a page with its expected content, or rewrites it.
func comparePage(t *testing.T, page, text, got string) {
	t.Helper()
	switch {
	case got == text:
	case filetest.Update():
		must(t, os.WriteFile(page, []byte(got), 0o644))
	default:
		t.Errorf("%s does not show what the program prints; see the difference with: go test ./cmd -run TestReadme -update && git diff\n%s", page, firstDifference(text, got))
	}
}

// compareRulePages compares the facts at the end of the pages in docs/rules with the
// rules. Pages of rules that no longer exist are removed.
func compareRulePages(t *testing.T) {
	t.Helper()
	stale := map[string]bool{}
	pages, err := filepath.Glob("../docs/rules/*")
	must(t, err)
	for _, page := range pages {
		stale[page] = true
	}
	for _, r := range rules.All() {
		page := filepath.Join("..", "docs", "rules", r.ID+".md")
		delete(stale, page)
		text, err := os.ReadFile(page)
		must(t, err)
		comparePage(t, page, string(text), ruleMarkdown(r))
	}
	for page := range stale {
		if !filetest.Update() {
			t.Errorf("%s belongs to no rule", page)
			continue
		}
		must(t, os.Remove(page))
	}
}

// ruleMarkdown is the page that skills rules ID prints, with a link to the list.
func ruleMarkdown(r *spec.Rule) string {
	return rules.Explain(r) + "\n[All rules](../rules.md)\n"
}

func ruleTable() string {
	var b strings.Builder
	b.WriteString("| rule | level | checks | source |\n|------|-------|--------|--------|\n")
	for _, r := range rules.All() {
		fmt.Fprintf(&b, "| [`%s`](rules/%[1]s.md) | %s | %s | %s |\n", r.ID, r.Level, r.Title, r.Source)
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

// TestReadmeLocal checks that the READMEs have the three commands that a run without a server
// names.
func TestReadmeLocal(t *testing.T) {
	var errs bytes.Buffer
	env := Env{Env: run.Env{Dir: t.TempDir()}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs}
	Run(t.Context(), env, []string{"run", "hello"})
	_, hint, _ := strings.Cut(errs.String(), "without a key: ")
	commands := strings.Split(hint, "; ")[:3]
	for _, page := range []string{"../README.md", "../README.zh-CN.md"} {
		text := filetest.Read(t, page)
		for _, c := range commands {
			if !strings.Contains(text, "\n"+strings.TrimSuffix(c, " PROMPT")) {
				t.Errorf("%s lacks the command %s", page, c)
			}
		}
	}
}
