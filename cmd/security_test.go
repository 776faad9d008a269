package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/script/sandbox"
)

// TestSecurityTable checks that SECURITY.md has the same table of what each sandbox
// prevents as run.started and doctor.
func TestSecurityTable(t *testing.T) {
	data, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, row := range sandbox.Enforced() {
		want.WriteString("| " + row.Attempt)
		for _, backend := range []string{sandbox.Bubblewrap, sandbox.Landlock, sandbox.Seatbelt} {
			cell := "**no**"
			if slices.Contains(row.Backends, backend) {
				cell = "yes"
			}
			want.WriteString(" | " + cell)
		}
		want.WriteString(" |\n")
	}
	if !strings.Contains(string(data), want.String()) {
		t.Errorf("SECURITY.md has another table; want\n%s", want.String())
	}
}

// TestSecurityPage verifies that the tests, commands and flags in SECURITY.md exist.
func TestSecurityPage(t *testing.T) {
	data, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`go test (\./\S+) .*?(-run|-fuzz) '?((?:Test|Fuzz)\w+)`).FindAllStringSubmatch(string(data), -1)
	if len(found) < 2 {
		t.Fatalf("only %d tests are named", len(found))
	}
	for _, f := range found {
		files, err := filepath.Glob(filepath.Join("..", f[1], "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no tests: %v", f[1], err)
		}
		var all strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		if !strings.Contains(all.String(), "func "+f[3]) {
			t.Errorf("%s has no test %s", f[1], f[3])
		}
	}
	var help strings.Builder
	for _, command := range []string{"run", "exec", "doctor", "validate", "mcp"} {
		if code := Run(t.Context(), Env{Env: run.Env{Dir: "."}, Stdin: strings.NewReader(""), Stdout: &help, Stderr: &help}, []string{command, "--help"}); code != 0 {
			t.Fatalf("%s --help: exit code %d", command, code)
		}
	}
	for _, flag := range regexp.MustCompile(`--[a-z]+(-[a-z]+)*`).FindAllString(string(data), -1) {
		if !strings.Contains(help.String(), flag) {
			t.Errorf("no command has the flag %s", flag)
		}
	}
}
