package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A skill that is the working folder, or has it inside, keeps what it is made of;
// and that more can be put beside it is said.
func TestOwnSkillAsWorkingFolder(t *testing.T) {
	t.Parallel()
	const attempts = "for f in \"$SKILL_DIR/SKILL.md\" \"$SKILL_DIR/scripts/a.sh\" \"$SKILL_DIR/scripts/b.sh\" \"$SKILL_DIR/run.sh\"; do (echo x >>\"$f\") 2>/dev/null && echo \"changed $f\"; done\n" +
		"(mv \"$SKILL_DIR/scripts\" \"$SKILL_DIR/scripts2\") 2>/dev/null && echo moved\necho x >result && echo done\n"
	for _, test := range []struct{ where, script, said string }{
		{".", "scripts/a.sh", "the working folder is a skill"},
		{".", "run.sh", "the working folder is a skill"},
		{"scripts", "scripts/a.sh", "the working folder is a part of the skill"},
	} {
		var s Script
		onEachKind(t, func(r *Runner) {
			s = skill(t, "scripts/a.sh", attempts)
			write(t, s.Dir, map[string]string{"SKILL.md": "x\n", "scripts/b.sh": "echo\n", "run.sh": attempts})
			s.Name, r.Dir = test.script, filepath.Join(s.Dir, test.where)
		}, func(t *testing.T, _ string, r *Runner) {
			result := run(t, r, s)
			want := "done\n"
			if test.where == "." && test.script != "run.sh" {
				want = "changed " + s.Dir + "/run.sh\n" + want // neither named by the format nor the one that is run
			}
			if result.Stdout != want {
				t.Errorf("in %s: got %+v, want %q", test.where, result, want)
			}
			if said := strings.Join(r.choice.policy.unknown, "\n"); !strings.Contains(said, test.said) {
				t.Errorf("in %s: said %q, want %q", test.where, said, test.said)
			}
		}, kindBubble)
	}
}

// A place that holds what is worked on cannot be closed, and that is said; a
// crowd of skills is kept up to a bound.
func TestPolicyUnknown(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "work")
	files := map[string]string{}
	for i := range surveyKept + 1 {
		files[filepath.Join("skills", strings.Repeat("x", i+1), "SKILL.md")] = "x"
	}
	write(t, dir, files)
	r := &Runner{Dir: dir, Self: self, Env: []string{"HOME=" + t.TempDir(), "GNUPGHOME=" + base}}
	p, clean, err := r.policy()
	if err != nil {
		t.Fatal(err)
	}
	defer clean()
	said := strings.Join(p.unknown, "\n")
	for _, want := range []string{"GNUPGHOME names " + base, "more than 64 skills"} {
		if !strings.Contains(said, want) {
			t.Errorf("said %q, want %q", said, want)
		}
	}
	if len(p.protect) != surveyKept {
		t.Errorf("%d places are protected, want %d", len(p.protect), surveyKept)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		t.Error("a repository was made")
	}
}

// What was protected and is gone meanwhile, for somebody has removed it, keeps no
// script from running.
func TestProtectedGone(t *testing.T) {
	t.Parallel()
	onEachKind(t, func(r *Runner) {
		write(t, r.Dir, map[string]string{"some/skill/SKILL.md": "x"})
	}, func(t *testing.T, _ string, r *Runner) {
		if err := os.RemoveAll(filepath.Join(r.Dir, "some")); err != nil {
			t.Fatal(err)
		}
		if result := run(t, r, skill(t, "a.sh", "echo ran\n")); result.Stdout != "ran\n" {
			t.Errorf("got %+v", result)
		}
	}, kindOf, kindBubble)
}
