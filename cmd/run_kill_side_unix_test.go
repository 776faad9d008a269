//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/openaitest"
	"skills/internal/agent/skills"
	"skills/internal/session"
	"skills/internal/todo"
)

// together checks that the states of a session are those that the results in it
// speak of: an item for each that was added, a skill where one was loaded.
func together(t *testing.T, file string) {
	t.Helper()
	f, err := session.Look(file)
	if err != nil {
		t.Error(err)
		return
	}
	got, err := f.Invoking(t.Context(), &agent.Invoking{})
	if err != nil {
		t.Error(err)
		return
	}
	added, loads := 0, false
	for _, m := range got.Messages {
		if m.Role == agent.ToolRole && !strings.HasPrefix(m.Text, "Error: ") {
			loads = loads || m.Name == "load_skill"
			if m.Name == "todos_add" {
				added++
			}
		}
	}
	items, err := todo.Items(f.Session())
	if err != nil {
		t.Error(err)
	}
	loaded, err := skills.Loaded(f.Session())
	if err != nil {
		t.Error(err)
	}
	if len(items) != added || (len(loaded) > 0) != loads {
		t.Errorf("%s: %d items on the list and %d results that speak of one; loaded: %v and %q", file, len(items), added, loads, loaded)
	}
}

// What calls did that had ended behind one that had not is in the session of a
// run that is killed, and is told to the model in the order of the calls.
func TestKillBesideSlowCall(t *testing.T) {
	dir := t.TempDir()
	makeFile(t, filepath.Join(dir, "skills/waits/SKILL.md"), "---\nname: waits\ndescription: Waits.\n---\nWait.\n")
	makeFile(t, filepath.Join(dir, "skills/waits/scripts/wait.sh"), "#!/bin/sh\n[ \"$1\" = long ] && exec sleep 60\necho ran\n")
	run := func(id, argument string) openaitest.Call {
		return openaitest.Call{ID: id, Name: "run_skill_script", Arguments: `{"skillName":"waits","scriptName":"scripts/wait.sh","arguments":["` + argument + `"]}`}
	}
	server := openaitest.New(t, openaitest.Do(run("c1", "short"), run("c2", "long"), run("c3", "short"),
		openaitest.Call{ID: "c4", Name: "todos_add", Arguments: `{"todos":[{"title":"buy milk"}]}`},
		openaitest.Call{ID: "c5", Name: "load_skill", Arguments: `{"skillName":"waits"}`}), openaitest.Say("done"))
	file, bin := filepath.Join(dir, "s.jsonl"), program(t)
	start := func(prompt string) *exec.Cmd {
		c := exec.Command(bin, "run", "-q", "--parallel", "-y", "--sandbox", "off", "--session", file, "--base-url", server.URL, prompt)
		c.Dir, c.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		return c
	}
	c := start("go")
	must(t, c.Start())
	stored := func() bool {
		data, err := os.ReadFile(file)
		return err == nil && strings.Count(string(data), `"tool_call_id"`) == 4
	}
	for deadline := time.Now().Add(20 * time.Second); !stored() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // looking again
	}
	must(t, c.Process.Kill())
	_ = c.Wait()
	together(t, file)
	if out, err := start("more").Output(); err != nil || string(out) != "done\n" {
		t.Fatalf("it does not go on: %v\n%s", err, out)
	}
	var got []string
	for _, m := range server.Requests()[1].Messages {
		if m.Role == "tool" {
			text, _, _ := strings.Cut(m.Text, "\n")
			got = append(got, m.CallID+" "+text)
		}
	}
	if len(got) != 5 || !strings.HasPrefix(got[3], `c4 [{"id":1,"title":"buy milk"`) || !strings.HasPrefix(got[4], "c5 ---") ||
		!slices.Equal(got[:3], []string{"c1 ran", "c2 Error: the run was interrupted before this call ended.", "c3 ran"}) {
		t.Errorf("the model is told %q", got)
	}
}
