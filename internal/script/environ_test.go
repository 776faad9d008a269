package script

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"skills/internal/script/sandbox"
)

func TestEnvironment(t *testing.T) {
	r := &Runner{
		Dir: filepath.FromSlash("/work place"),
		Env: []string{
			"PATH=/first", "PATH=/bin", "HOME=/home/x", "LANG=de_DE.UTF-8", "LC_ALL=C", "TZ=UTC",
			"OPENAI_API_KEY=sk-secret", "AWS_SECRET_ACCESS_KEY=s", "LC_GITHUB_TOKEN=s", "LD_PRELOAD=/x.so",
			"BASH_ENV=/x.sh", "BASH_FUNC_ls%%=() { :; }", "PYTHONPATH=/x", "NODE_OPTIONS=-r /x", "SSH_AUTH_SOCK=/x",
			"PWD=/elsewhere", "SKILL_DIR=/elsewhere", "TERM=xterm", "MY_TOKEN=t=1", "EMPTY=", "odd",
		},
		PassEnv: []string{"MY_TOKEN", "EMPTY", "NOT_THERE", "SKILL_DIR"},
	}
	want := []string{
		"PATH=/bin", "HOME=/home/x", "TZ=UTC", "LANG=de_DE.UTF-8", "LC_ALL=C",
		"TERM=dumb", "NO_COLOR=1", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "PYTHONUTF8=1",
		"MY_TOKEN=t=1", "EMPTY=", "PWD=" + r.Dir, "SKILL_DIR=/skills/x",
	}
	if got := (&exec.Cmd{Env: r.scriptEnvironment(sandbox.Policy{}, "/skills/x", nil)}).Environ(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	r.PassEnv = []string{"TERM"}
	if term, _ := sandbox.Lookup(r.environment(), "TERM"); term != "xterm" {
		t.Errorf("TERM passed by name: got %q, want xterm", term)
	}
	if _, found := sandbox.Lookup([]string{"Path=x"}, "PATH"); found != (runtime.GOOS == "windows") {
		t.Errorf("Lookup of another case: %t", found)
	}
}
