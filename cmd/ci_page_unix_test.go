//go:build unix

package cmd

// The workflows of docs/ci.md for evals on several machines are read as YAML. Their commands
// are run as the services run them: a folder for each job, artifacts copied between them.

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// step is a step of a job of GitHub.
type step struct {
	Uses string            `yaml:"uses"`
	Run  string            `yaml:"run"`
	With map[string]string `yaml:"with"`
	Env  map[string]string `yaml:"env"`
}

// machine runs the commands of jobs with the program of this test.
type machine struct {
	t   *testing.T
	bin string
	url string
}

func newMachine(t *testing.T) *machine {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err == nil {
			io.WriteString(w, openaitest.Text("carmine").Completion(asked.Model))
		}
	}))
	t.Cleanup(server.Close)
	bin := t.TempDir()
	self, err := os.Executable()
	must(t, err)
	must(t, os.Symlink(self, filepath.Join(bin, "skills")))
	return &machine{t, bin, server.URL}
}

// checkout returns the folder of a new job, with two skills.
func (m *machine) checkout() string {
	dir, err := filepath.EvalSymlinks(m.t.TempDir())
	must(m.t, err)
	for _, name := range []string{"reds", "blues"} {
		filetest.Write(m.t, filepath.Join(dir, ".claude/skills", name), map[string]string{
			"SKILL.md": "---\nname: " + name + "\ndescription: Knows colors. Use when asked for a color.\n---\nRed is carmine.\n",
			"evals/evals.json": `{"skill_name":"` + name + `","evals":[
				{"id":1,"prompt":"What is red?","assertions":[{"type":"contains","value":"carmine"}]},
				{"id":2,"prompt":"What is dark red?","assertions":[{"type":"contains","value":"carmine"}]},
				{"id":3,"prompt":"What is light red?","assertions":[{"type":"contains","value":"carmine"}]}]}`,
		})
	}
	return dir
}

// run runs a command of a job, unless it installs the program.
func (m *machine) run(dir, command string, env ...string) {
	m.t.Helper()
	if strings.HasPrefix(command, "go build -C tools/skills ") {
		return
	}
	c := exec.Command("bash", "-e", "-c", command)
	c.Dir = dir
	c.Env = append([]string{"PATH=" + m.bin + ":" + os.Getenv("PATH"), "HOME=" + m.bin, "OPENAI_BASE_URL=" + m.url, "OPENAI_API_KEY=sk-test", "GITHUB_STEP_SUMMARY=" + filepath.Join(dir, "summary")}, env...)
	if out, err := c.CombinedOutput(); err != nil {
		m.t.Errorf("%s: %v\n%s", command, err, out)
	}
}

// workflow returns the YAML block of docs/ci.md that begins with the name of its file.
func workflow(t *testing.T, name, after string, into any) {
	t.Helper()
	_, page, _ := strings.Cut(filetest.Read(t, "../docs/ci.md"), after)
	_, page, found := strings.Cut(page, "```yaml\n# "+name+"\n")
	text, _, _ := strings.Cut(page, "```")
	if err := yaml.Unmarshal([]byte(text), into); err != nil || !found {
		t.Fatalf("%s: %v", name, err)
	}
}

// checkResult checks that a job has joined all runs of both skills.
func checkResult(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"reds", "blues"} {
		text := filetest.Read(t, filepath.Join(dir, "results", name, "iteration-1", "benchmark.json"))
		var b struct {
			Runs       []any
			Statistics struct{ Verdict string }
		}
		if err := json.Unmarshal([]byte(text), &b); err != nil || len(b.Runs) != 18 || b.Statistics.Verdict != "inconclusive" {
			t.Errorf("%s: %d runs, %v", name, len(b.Runs), err)
		}
	}
}

// TestEvalWorkflows runs the jobs of both workflows.
func TestEvalWorkflows(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	t.Run("github", func(t *testing.T) {
		var w struct {
			Jobs map[string]struct {
				Needs    string
				Strategy struct{ Matrix struct{ Shard []int } }
				Steps    []step
			}
		}
		workflow(t, ".github/workflows/evals.yml", "## Evals on several machines", &w)
		m, artifacts := newMachine(t), t.TempDir()
		do := func(job string, values map[string]string) (dir string) {
			dir = m.checkout()
			fill := func(text string) string {
				return regexp.MustCompile(`\$\{\{ (\S+) \}\}`).ReplaceAllStringFunc(text, func(s string) string { return values[strings.Fields(s)[1]] })
			}
			for _, s := range w.Jobs[job].Steps {
				action, _, _ := strings.Cut(s.Uses, "@")
				switch from := filepath.Join(dir, s.With["path"]); action {
				case "actions/upload-artifact":
					must(t, os.CopyFS(filepath.Join(artifacts, fill(s.With["name"])), os.DirFS(from)))
				case "actions/download-artifact": // a folder for each artifact
					names, err := filepath.Glob(filepath.Join(artifacts, s.With["pattern"]))
					must(t, err)
					for _, name := range names {
						must(t, os.CopyFS(filepath.Join(from, filepath.Base(name)), os.DirFS(name)))
					}
				case "actions/checkout", "actions/setup-go":
				case "":
					m.run(dir, fill(s.Run))
				default:
					t.Errorf("unknown action %s", s.Uses)
				}
			}
			return dir
		}
		shards := w.Jobs["part"].Strategy.Matrix.Shard
		for _, shard := range shards {
			do("part", map[string]string{"matrix.shard": fmt.Sprint(shard), "strategy.job-total": fmt.Sprint(len(shards))})
		}
		dir := do("merge", nil)
		checkResult(t, dir)
		if summary := filetest.Read(t, filepath.Join(dir, "summary")); strings.Count(summary, "\n## ") != 1 || !strings.HasPrefix(summary, "## ") {
			t.Errorf("the summary is\n%s", summary)
		}
		checkResult(t, filepath.Dir(renamed(t, filepath.Join(artifacts, "evals"), "results")))
	})
	t.Run("gitlab", func(t *testing.T) {
		var w map[string]yaml.Node
		workflow(t, ".gitlab-ci.yml", "the parts of all jobs arrive in one folder", &w)
		type job struct {
			Parallel  int
			Script    []string
			Artifacts struct{ Paths []string }
		}
		var part, report job
		for name, into := range map[string]*job{"eval-part": &part, "eval-report": &report} {
			node := w[name]
			must(t, node.Decode(into))
		}
		m := newMachine(t)
		last := m.checkout()
		for i := 1; i <= part.Parallel; i++ {
			dir := m.checkout()
			for _, command := range part.Script {
				m.run(dir, command, fmt.Sprint("CI_NODE_INDEX=", i), fmt.Sprint("CI_NODE_TOTAL=", part.Parallel))
			}
			for _, path := range part.Artifacts.Paths { // hidden files are the same in all of them
				for file, text := range visible(t, filepath.Join(dir, path)) {
					filetest.Write(t, filepath.Join(last, path), map[string]string{file: text})
				}
			}
		}
		for _, command := range report.Script {
			m.run(last, command)
		}
		checkResult(t, last)
	})
}

// renamed moves a folder to another name next to it.
func renamed(t *testing.T, dir, name string) string {
	t.Helper()
	to := filepath.Join(filepath.Dir(dir), name)
	must(t, os.Rename(dir, to))
	return to
}

// visible returns the files below a folder by their names.
func visible(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		all[rel] = filetest.Read(t, path)
		return err
	}))
	return all
}
