package skills_test

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/loader"
	"skills/internal/script"
	"skills/internal/testing/filetest"
)

// bench is a provider with a session, as a run has them.
type bench struct {
	*testing.T
	provider *skills.Provider
	session  *agent.Session
	context  agent.Context
	confined policyOptions
}

func newBench(t *testing.T, opt skills.Options) *bench {
	t.Helper()
	b := &bench{T: t, session: agent.NewSession()}
	opt.Scripts = b.confinement(cmp.Or(opt.Scripts.Dir, "/home/ann/a b"))
	provider, err := skills.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	b.provider = provider
	b.begin()
	return b
}

// begin begins a run of the session.
func (b *bench) begin() {
	b.Helper()
	c, err := b.provider.Invoking(b.Context(), &agent.Invoking{Session: b.session})
	if err != nil {
		b.Fatal(err)
	}
	b.context = c
}

func (b *bench) invocation(tool, arguments string) *agent.Invocation {
	b.Helper()
	i := slices.IndexFunc(b.context.Tools, func(t agent.Tool) bool { return t.Name == tool })
	if i < 0 {
		b.Fatalf("there is no tool %q", tool)
	}
	return &agent.Invocation{
		Tool: &b.context.Tools[i], Call: agent.ToolCall{ID: "call1", Name: tool, Arguments: arguments},
		Arguments: json.RawMessage(arguments), Session: b.session, Emit: func(agent.Event) {},
	}
}

// call calls a tool with JSON arguments, as the loop does.
func (b *bench) call(tool, arguments string) agent.ToolResult {
	b.Helper()
	return b.execute(b.invocation(tool, arguments))
}

func (b *bench) execute(inv *agent.Invocation) agent.ToolResult {
	b.Helper()
	result, err := perform(b.Context(), inv)
	if err != nil {
		b.Fatalf("%s: %v", inv.Call.Name, err)
	}
	return result
}

// refused calls a tool and wants an answer that begins in this way.
func (b *bench) refused(tool, arguments, want string) {
	b.Helper()
	got := b.call(tool, arguments)
	if !strings.HasPrefix(got.Text, want) || !got.Failed || got.Process != nil {
		b.Errorf("%s(%s)\ngot  %q (failed %t)\nwant %q, failed", tool, arguments, got.Text, got.Failed, want)
	}
}

// text calls a tool and wants exactly this answer.
func (b *bench) text(tool, arguments, want string) {
	b.Helper()
	if got := b.call(tool, arguments); got.Text != want || got.Failed {
		b.Errorf("%s(%s)\ngot  %q (failed %t)\nwant %q", tool, arguments, got.Text, got.Failed, want)
	}
}

func (b *bench) toolNames() []string {
	var names []string
	for _, t := range b.context.Tools {
		names = append(names, t.Name)
	}
	return names
}

// tree writes files below a new folder whose path has no links.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return filetest.Write(t, root, files)
}

func files(root string) loader.Source { return loader.Files([]string{root}, loader.FilesOptions{}) }

// memory is a skill without files.
func memory(name, description string, contents loader.Contents) *loader.Skill {
	return &loader.Skill{
		Name: name, Description: description, Origin: "test",
		Load: func(context.Context) (loader.Contents, error) { return contents, nil },
	}
}

// converter is the skill of the framework's documents, as files.
func converter(t *testing.T) string {
	t.Helper()
	return tree(t, map[string]string{
		"unit-converter/SKILL.md": "---\nname: unit-converter\ndescription: Converts units. Use when asked to convert miles, kilometers, pounds, or kilograms.\n---\n" +
			"1. Review **references/conversion-table.md**.\n2. Run **scripts/convert.py** with `--value <value> --factor <factor>`.\n",
		"unit-converter/references/conversion-table.md": "| kilograms | pounds | 2.20462 |\n",
		"unit-converter/scripts/convert.py": "import argparse, json\nparser = argparse.ArgumentParser()\n" +
			"parser.add_argument('--value', type=float)\nparser.add_argument('--factor', type=float)\nparser.add_argument('--label')\n" +
			"a = parser.parse_args()\nprint(json.dumps({'result': a.value * a.factor}))\n",
		"other/SKILL.md": "---\nname: other\ndescription: Does something else.\n---\nNothing.\n",
	})
}

// recorder is a runner that runs nothing and remembers what it was given.
type recorder struct {
	mu     sync.Mutex
	ran    []string
	result script.Result
	err    error

	interpreter string // "" for /bin/interpreter
}

func (r *recorder) Command(s script.Script, args []string) ([]string, error) {
	if r.err != nil {
		return nil, r.err
	}
	return append([]string{cmp.Or(r.interpreter, "/bin/interpreter"), filepath.Join(s.Dir, filepath.FromSlash(s.Name))}, args...), nil
}

func (r *recorder) Run(_ context.Context, s script.Script, args []string) (script.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return script.Result{}, r.err
	}
	r.ran = append(r.ran, s.Skill+"/"+s.Name+" "+strings.Join(args, "|"))
	return r.result, nil
}
