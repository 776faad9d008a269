// Package ci checks the files that others run: the action, the workflows, the hooks of
// pre-commit, the release, and the programs in this folder.
package ci

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v4"

	"skills/cmd"
	"skills/internal/fault"
	"skills/internal/run"
	"skills/internal/testing/filetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"skills": func() { os.Exit(cmd.Run(cmd.SignalContext(), cmd.OS(), os.Args[1:])) },
	})
}

// readYAML reads a file of the repository into v.
func readYAML(t *testing.T, name string, v any) {
	t.Helper()
	if err := yaml.Unmarshal(readRepo(t, name), v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func readRepo(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// step is a step of a workflow or of a composite action.
type step struct {
	ID, Name, Uses, Run, Shell string
	With, Env                  map[string]string
}

// checkStep checks the rules for every step: third-party actions are pinned to a
// commit, and nothing is interpolated into a script.
func checkStep(t *testing.T, file string, s step) {
	t.Helper()
	if s.Uses != "" && s.Uses != "./" && !regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`).MatchString(s.Uses) {
		t.Errorf("%s: %s is not pinned to a commit", file, s.Uses)
	}
	if strings.Contains(s.Run, "${{") {
		t.Errorf("%s: an expression in the text of a program: %s", file, s.Run)
	}
	if (s.Uses == "") == (s.Run == "") {
		t.Errorf("%s: a step must have either uses or run: %+v", file, s)
	}
}

func TestActionFile(t *testing.T) {
	var action struct {
		Name, Description string
		Inputs            map[string]struct {
			Description string
			Default     *string
		}
		Outputs map[string]struct{ Description, Value string }
		Runs    struct {
			Using string
			Steps []step
		}
	}
	readYAML(t, "action.yml", &action)
	if action.Name == "" || action.Description == "" || action.Runs.Using != "composite" || len(action.Runs.Steps) == 0 {
		t.Errorf("the action lacks a name, a description or steps, or is not composite: %+v", action)
	}
	text := string(readRepo(t, "action.yml"))
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`\$\{\{ inputs\.([\w-]+) \}\}`).FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
		if _, ok := action.Inputs[m[1]]; !ok {
			t.Errorf("the input %s is used, but not declared", m[1])
		}
	}
	for name, in := range action.Inputs {
		if in.Description == "" || in.Default == nil || !used[name] {
			t.Errorf("the input %s lacks a description or a default, or is not used", name)
		}
	}
	script := string(readRepo(t, "ci/action.sh")) + string(readRepo(t, "ci/release.sh"))
	ids := map[string]bool{}
	for _, s := range action.Runs.Steps {
		checkStep(t, "action.yml", s)
		ids[s.ID] = true
		if s.Run != "" && s.Shell != "bash" {
			t.Errorf("the step %s names no shell, which composite actions must", s.Name)
		}
		for name := range s.Env {
			if !strings.Contains(script, name) {
				t.Errorf("the script does not know the variable %s", name)
			}
		}
	}
	for name, out := range action.Outputs {
		m := regexp.MustCompile(`^\$\{\{ steps\.([\w-]+)\.outputs\.([\w-]+) \}\}$`).FindStringSubmatch(out.Value)
		if m == nil || !ids[m[1]] || !strings.Contains(script, m[2]+"=") {
			t.Errorf("the output %s is never set: %s", name, out.Value)
		}
	}
}

func TestWorkflow(t *testing.T) {
	const file = ".github/workflows/ci.yml"
	var workflow struct {
		On          map[string]any
		Permissions map[string]string
		Jobs        map[string]struct {
			RunsOn   string `yaml:"runs-on"`
			Strategy struct {
				Matrix struct{ OS []string }
			}
			Steps []step
		}
	}
	readYAML(t, file, &workflow)
	if len(workflow.On) == 0 || len(workflow.Permissions) != 1 || workflow.Permissions["contents"] != "read" {
		t.Errorf("got on %v, permissions %v, want some events and the right to read only", workflow.On, workflow.Permissions)
	}
	makefile := string(readRepo(t, "Makefile"))
	target := regexp.MustCompile(`^make (\w+)$`)
	local, systems, all := false, 0, ""
	for name, job := range workflow.Jobs {
		if job.RunsOn == "" || len(job.Steps) == 0 {
			t.Errorf("the job %s does not say where it runs, or what", name)
		}
		systems = max(systems, len(job.Strategy.Matrix.OS))
		for _, s := range job.Steps {
			checkStep(t, file, s)
			local = local || s.Uses == "./"
			all += s.Run + "\n"
			if m := target.FindStringSubmatch(s.Run); m != nil && !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("the Makefile has no target %s", m[1])
			}
			if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
				t.Errorf("the job %s leaves credentials in the checkout", name)
			}
		}
	}
	if !local || systems != 3 {
		t.Errorf("the action itself is used: %t; systems that are tested: %d, want 3", local, systems)
	}
	for _, want := range []string{"make check", "pre-commit", "goreleaser"} {
		if !strings.Contains(all, want) {
			t.Errorf("no step runs %s", want)
		}
	}
}

func TestReleaseFile(t *testing.T) {
	var release struct {
		Version int
		Builds  []struct {
			Binary              string
			Env, Flags, Ldflags []string
			Goos, Goarch        []string
		}
		Checksum struct{ Algorithm string }
	}
	readYAML(t, ".goreleaser.yaml", &release)
	if release.Version != 2 || len(release.Builds) != 1 || release.Checksum.Algorithm != "sha256" {
		t.Fatalf("got %+v, want one build and checksums", release)
	}
	b := release.Builds[0]
	if b.Binary != "skills" || !slices.Contains(b.Env, "CGO_ENABLED=0") || !slices.Contains(b.Flags, "-trimpath") {
		t.Errorf("got %+v", b)
	}
	if want := `-s -w -X skills/cmd.Version={{ .Tag }} -X skills/cmd.Repository={{ trimsuffix .GitURL ".git" }}`; !slices.Equal(b.Ldflags, []string{want}) {
		t.Errorf("linker flags: got %q, want %s", b.Ldflags, want)
	}
	for _, name := range []string{"Version", "Repository"} { // what the linker sets
		if !regexp.MustCompile(`(?m)^\t` + name + ` string$`).Match(readRepo(t, "cmd/version.go")) {
			t.Errorf("the linker sets %s, which does not exist", name)
		}
	}
	var platforms []string
	for _, system := range b.Goos {
		for _, arch := range b.Goarch {
			platforms = append(platforms, system+"/"+arch)
		}
	}
	m := regexp.MustCompile(`(?m)^PLATFORMS +:= (.+)$`).FindSubmatch(readRepo(t, "Makefile"))
	if m == nil || strings.Join(platforms, " ") != string(m[1]) {
		t.Errorf("platforms\ngot  %s\nwant %s, as in the Makefile", strings.Join(platforms, " "), m)
	}
}

// TestReleaseNames compares the archive names of the action and of a release.
func TestReleaseNames(t *testing.T) {
	var release struct {
		Archives []struct {
			Template string `yaml:"name_template"`
		}
		Checksum struct {
			Template string `yaml:"name_template"`
		}
	}
	readYAML(t, ".goreleaser.yaml", &release)
	script := string(readRepo(t, "ci/release.sh"))
	names := strings.NewReplacer("{{ .ProjectName }}", "skills", "{{ .Version }}", "${version}", "{{ .Os }}", "${os}", "{{ .Arch }}", "${arch}")
	for _, want := range []string{names.Replace(release.Archives[0].Template) + ".tar.gz", names.Replace(release.Checksum.Template)} {
		if !strings.Contains(script, want) {
			t.Errorf("ci/release.sh does not name %s", want)
		}
	}
}

// TestNpmPackage checks that the npm package starts the program on every platform that
// the Makefile builds.
func TestNpmPackage(t *testing.T) {
	var pack struct {
		Name    string
		Bin     map[string]string
		OS, CPU []string
	}
	readYAML(t, "ci/npm/package.json", &pack)
	if pack.Name == "skills" || pack.Bin["skills"] != "skills.mjs" {
		t.Errorf("got %+v, want another name than skills, and the command skills", pack)
	}
	start := string(readRepo(t, "ci/npm/skills.mjs"))
	m := regexp.MustCompile(`(?m)^PLATFORMS +:= (.+)$`).FindSubmatch(readRepo(t, "Makefile"))
	for platform := range strings.FieldsSeq(string(m[1])) {
		for word := range strings.SplitSeq(platform, "/") {
			if !strings.Contains(start, `"`+word+`"`) {
				t.Errorf("skills.mjs does not know %s", word)
			}
		}
	}
}

// TestNoPlaceholders checks that commands in the documentation can be copied without
// changes.
func TestNoPlaceholders(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../README.md", "../README.zh-CN.md", "../action.yml", "../.pre-commit-hooks.yaml", "../CONTRIBUTING.md") {
		text := readRepo(t, strings.TrimPrefix(page, "../"))
		if m := regexp.MustCompile(`OWNER|your-org|example/skills|<address`).Find(text); m != nil {
			t.Errorf("%s has the placeholder %s", page, m)
		}
	}
}

// TestReadmeBlocks checks that both READMEs show the same commands and files, apart
// from comments, that the workflow and the hook work in any repository without changes,
// and that the example configuration has every key.
func TestReadmeBlocks(t *testing.T) {
	fenced := regexp.MustCompile("(?s)```(sh|yaml|console)\n(.*?)```")
	blocks := func(page string) map[string][]string {
		found := map[string][]string{}
		for _, m := range fenced.FindAllStringSubmatch(string(readRepo(t, page)), -1) {
			text := regexp.MustCompile(`(?m)(^| +)# .*$`).ReplaceAllString(m[2], "")
			found[m[1]] = append(found[m[1]], text)
		}
		return found
	}
	english, chinese := blocks("README.md"), blocks("README.zh-CN.md")
	for kind := range english {
		if !slices.Equal(english[kind], chinese[kind]) {
			t.Errorf("the %s blocks differ\nREADME.md:       %q\nREADME.zh-CN.md: %q", kind, english[kind], chinese[kind])
		}
	}
	for _, page := range []string{"README.md", "README.zh-CN.md"} {
		if n := strings.Count(string(readRepo(t, page)), "\n"); n >= 220 {
			t.Errorf("%s has %d lines, want fewer than 220", page, n)
		}
	}
	if len(english["yaml"]) != 3 {
		t.Fatalf("got %d blocks of YAML, want a workflow, a hook and a configuration", len(english["yaml"]))
	}
	for i, want := range []string{"uses: ./tools/skills\n", "repo: local\n"} {
		if !strings.Contains(english["yaml"][i], want) {
			t.Errorf("%q has no %q", english["yaml"][i], want)
		}
	}

	dir := t.TempDir()
	filetest.File(t, filepath.Join(dir, ".skills.yaml"), english["yaml"][2])
	filetest.File(t, filepath.Join(dir, "SKILL.md"), "---\nname: x\n---\n")
	var out, errs bytes.Buffer
	env := cmd.Env{Env: run.Env{Dir: dir}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	if code := cmd.Run(t.Context(), env, []string{"validate"}); code != fault.Failed {
		t.Errorf("exit code %d with the configuration: %s", code, errs.String())
	}
	out.Reset()
	var schema struct{ Properties map[string]any }
	if code := cmd.Run(t.Context(), env, []string{"validate", "--config-schema"}); code != 0 || json.Unmarshal(out.Bytes(), &schema) != nil {
		t.Fatalf("exit code %d, output %s", code, out.String())
	}
	for key := range schema.Properties {
		if !strings.Contains("\n"+english["yaml"][2], "\n"+key+":") {
			t.Errorf("the configuration does not show %s", key)
		}
	}
}
