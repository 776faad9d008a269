package gitline

import (
	"strings"
	"testing"
)

func TestWrites(t *testing.T) {
	for line, want := range map[string]bool{
		"git add .": true, "git commit -m x": true, "git -C sub commit": true, "git -c user.name=Ann commit": true, "git --no-pager tag v1": true,
		"git branch x": true, "git branch -d x": true, "git stash": true, "git stash pop": true, "git worktree add ../x": true, "git rebase main": true, "git push origin main": true,
		"git status": false, "git log": false, "git branch": false, "git branch -vv": false, "git branch --merged main": false, "git tag -l": false, "git stash list": false,
		"git worktree list": false, "git rebase -x make main": false, "git rebase --exec=make main": false, "git rebase -i main": false, "git rebase --exe make main": false, "git rebase --inter main": false, "git push --rec=x y": false, "git fetch --upload=x y": false, "git rebase --onto a b": true, "git bisect start": true, "git bisect good HEAD~1": true, "git bisect reset": true, "git bisect log": false, "git bisect": false, "git bisect run make": false, "git config core.hooksPath x": false,
		"git -c core.fsmonitor=x commit": false, "git -c core.hooksPath=x commit": false, "git --git-dir=x commit": false, "git --exec-path=x commit": false, "git": false, "git -C": false,
		"git push --receive-pack=x y": false, "git remote add x y": false, "git submodule add x": false, "git init": false, "commit": false, "./git commit": false, "make commit": false,
	} {
		if got := Writes(strings.Fields(line)); got != want {
			t.Errorf("%s: got %v", line, got)
		}
	}
	if Writes(nil) {
		t.Error("nothing writes")
	}
}

func TestScript(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       bool
	}{
		{"a.sh", "set -e\nif x; then git commit -m \"$1\"; fi\n", true},
		{"a.sh", "$(git add .)", true},
		{"a", "#!/usr/bin/env bash\ngit push -u origin \"$B\"\n", true},
		{"a", "git commit\n", false},
		{"a.py", "git commit\n", false},
		{"a.sh", "# git commit\necho 'git commit'\ngit $1\ngit status\n", false},
		{"a.sh", "git commit\nif", false},
	} {
		if got := Script(row.name, row.text); got != row.want {
			t.Errorf("%s %q: got %v", row.name, row.text, got)
		}
	}
}
