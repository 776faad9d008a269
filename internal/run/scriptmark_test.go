package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// marked is a folder with what is remembered of it.
type marked struct {
	t     *testing.T
	env   Env
	parts *Parts
	other string // a folder of --allow-write
}

func newMarked(t *testing.T) marked {
	t.Helper()
	m := marked{t: t, env: Env{Dir: t.TempDir(), Cache: t.TempDir()}, other: t.TempDir()}
	m.parts = New(m.env, Options{Scripts: Scripts{AllowWrite: []string{m.other}}})
	for _, dir := range []string{m.env.Dir + "/sub/deep", m.env.Dir + "/conf", m.other + "/deep"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m marked) write(dir, name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// asks reports whether a run in a folder asks before it uses .env.
func (m marked) asks(dir string) bool {
	m.t.Helper()
	asked := false
	ask := func(context.Context, func() string) (bool, error) {
		asked = true
		return false, nil
	}
	err := ConfirmServer(m.t.Context(), m.env.in(dir), ServerOptions{}, Server{BaseURL: "http://x.invalid/v1", usesFile: true}, ask)
	if asked != (err != nil) {
		m.t.Errorf("asked %t, %v", asked, err)
	}
	return asked
}

// TestScriptMarks checks when a run asks before it uses .env: also while a script runs, if
// its end was never seen, in folders below, in those of --allow-write, and if .env leads to
// another file.
func TestScriptMarks(t *testing.T) {
	for name, test := range map[string]struct {
		where string // the folder of the run: "", or below the working folder, or other
		do    func(m marked)
		asks  bool
	}{
		"no script": {"", func(m marked) { m.write(m.env.Dir, ".env", "x") }, false},
		"unchanged": {"", func(m marked) {
			m.write(m.env.Dir, ".env", "x")
			m.parts.scriptStarts()()
		}, false},
		"changed afterwards by the person": {"", func(m marked) {
			m.write(m.env.Dir, ".env", "x")
			m.parts.scriptStarts()()
			m.write(m.env.Dir, ".env", "changed")
		}, false},
		"running, unchanged": {"", func(m marked) {
			m.write(m.env.Dir, ".env", "x")
			m.parts.scriptStarts()
		}, false},
		"running, new": {"", func(m marked) {
			m.parts.scriptStarts()
			m.write(m.env.Dir, ".env", "x")
		}, true},
		"running, changed": {"", func(m marked) {
			m.write(m.env.Dir, ".env", "x")
			m.parts.scriptStarts()
			m.write(m.env.Dir, ".env", "changed")
		}, true},
		"ended, changed": {"", func(m marked) {
			m.write(m.env.Dir, ".env", "x")
			end := m.parts.scriptStarts()
			m.write(m.env.Dir, ".env", "changed")
			end()
		}, true},
		"one of two has ended": {"", func(m marked) {
			end := m.parts.scriptStarts()
			m.parts.scriptStarts()
			end()
			m.write(m.env.Dir, ".env", "x")
		}, true},
		"another starts after the change": {"", func(m marked) {
			m.parts.scriptStarts()
			m.write(m.env.Dir, ".env", "x")
			m.parts.scriptStarts()()
		}, true},
		"many are running": {"", func(m marked) {
			for range 3 * maxRunning {
				m.parts.scriptStarts()
			}
			m.write(m.env.Dir, ".env", "x")
		}, true},
		"a folder below": {"sub", func(m marked) {
			end := m.parts.scriptStarts()
			m.write(m.env.Dir+"/sub", ".env", "x")
			end()
		}, true},
		"two folders below, running": {"sub/deep", func(m marked) {
			m.parts.scriptStarts()
			m.write(m.env.Dir+"/sub/deep", ".env", "x")
		}, true},
		"a folder below, another script there": {"sub", func(m marked) {
			m.parts.scriptStarts()()
			m.write(m.env.Dir+"/sub", ".env", "x")
			New(m.env.in(m.env.Dir+"/sub"), Options{}).scriptStarts()()
		}, true},
		"the folder above": {"..", func(m marked) {
			m.parts.scriptStarts()()
			m.write(filepath.Dir(m.env.Dir), ".env", "x")
		}, false},
		"--allow-write": {"other", func(m marked) {
			end := m.parts.scriptStarts()
			m.write(m.other, ".env", "x")
			end()
		}, true},
		"below --allow-write": {"other/deep", func(m marked) {
			m.parts.scriptStarts()()
			m.write(m.other+"/deep", ".env", "x")
		}, true},
		"discarded": {"", func(m marked) {
			m.parts.Options.Discard = true
			m.parts.scriptStarts()
			m.write(m.env.Dir, ".env", "x")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMarked(t)
			test.do(m)
			dir := filepath.Join(m.env.Dir, test.where)
			if rest, ok := filepath.Rel("other", test.where); ok == nil && filepath.IsLocal(rest) {
				dir = filepath.Join(m.other, rest)
			}
			if got := m.asks(dir); got != test.asks {
				t.Errorf("asks %t: %+v", got, m.env.loadRecord())
			}
		})
	}
}

// TestScriptMarkLink checks that a chain of links is followed.
func TestScriptMarkLink(t *testing.T) {
	m := newMarked(t)
	m.write(m.env.Dir, "conf/a.env", "x")
	m.write(m.env.Dir, "conf/evil", "y")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(m.env.Dir, name)); err != nil {
			t.Skip(err)
		}
	}
	link("a.env", "conf/current")
	link("conf/current", ".env")
	end := m.parts.scriptStarts()
	if m.asks(m.env.Dir) {
		t.Error("asked before a change")
	}
	if err := os.Remove(filepath.Join(m.env.Dir, "conf/current")); err != nil {
		t.Fatal(err)
	}
	link("evil", "conf/current")
	if !m.asks(m.env.Dir) {
		t.Error("did not ask while the script was running")
	}
	end()
	if !m.asks(m.env.Dir) {
		t.Error("did not ask")
	}
}

// TestScriptMarkBefore checks that a .env in a folder below is not asked about if it is
// older than the first script.
func TestScriptMarkBefore(t *testing.T) {
	m := newMarked(t)
	m.write(m.env.Dir, "sub/.env", "x")
	if envState(m.env.Dir+"/sub").Changed == 0 {
		t.Skip("there is no time of the last change of state")
	}
	if err := m.env.saveRecord(folderRecord{Scripts: time.Now().Add(time.Hour).UnixNano()}); err != nil {
		t.Fatal(err)
	}
	if m.asks(m.env.Dir + "/sub") {
		t.Error("asked")
	}
}

// TestScriptMarkApproved checks that a yes, or --env-file, is remembered until the next
// change, also in a folder below and while a script runs.
func TestScriptMarkApproved(t *testing.T) {
	for _, where := range []string{"", "sub"} {
		for _, named := range []bool{true, false} {
			m := newMarked(t)
			dir := filepath.Join(m.env.Dir, where)
			m.parts.scriptStarts()
			m.write(dir, ".env", "x")
			o := ServerOptions{}
			if named {
				o.EnvFile = ".env"
			}
			yes := func(context.Context, func() string) (bool, error) { return true, nil }
			if named {
				yes = func(context.Context, func() string) (bool, error) { return false, errors.New("asked") }
			}
			if err := ConfirmServer(t.Context(), m.env.in(dir), o, Server{BaseURL: "http://x.invalid/v1", usesFile: true}, yes); err != nil {
				t.Fatal(err)
			}
			if m.asks(dir) {
				t.Errorf("%q, named %t: asked again", where, named)
			}
			m.write(dir, ".env", "changed")
			if !m.asks(dir) {
				t.Errorf("%q, named %t: did not ask", where, named)
			}
		}
	}
}
