package config

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/fault"
)

func TestLoadUser(t *testing.T) {
	root := tree(t, map[string]string{
		"good.yaml":   "hooks:\n  before: [check.sh --strict, 'other']\n  after:\n    - log\n",
		"empty.yaml":  "# nothing yet\n",
		"null.yaml":   "hooks:\n",
		"folder/":     "",
		"broken.yaml": "hooks: [",
		"key.yaml":    "hook: {}\n",
		"kind.yaml":   "hooks:\n  befor: [x]\n",
		"list.yaml":   "hooks:\n  before: x\n",
		"item.yaml":   "hooks:\n  before: [[x]]\n",
		"latin.yaml":  "hooks: \xe9\n",
	})
	at := func(name string) string { return filepath.Join(root, name) }
	u, err := LoadUser(at("good.yaml"))
	if err != nil || len(u.Hooks) != 3 || u.Hooks[0] != (Entry{Name: "before", Text: "check.sh --strict", Line: 2, Column: u.Hooks[0].Column}) || u.Hooks[2].Name != "after" || u.Hooks[2].Text != "log" {
		t.Errorf("got %+v, %v", u, err)
	}
	if err := u.Hooks[2].Wrong("c.yaml", "h", errors.New("oh")); err.Error() != "c.yaml:4:7: oh" {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"empty.yaml", "null.yaml", "nothing.yaml"} {
		if u, err := LoadUser(at(name)); err != nil || u.Hooks != nil {
			t.Errorf("%s: got %+v, %v", name, u, err)
		}
	}
	for name, want := range map[string]string{
		"folder":      "is not a regular file",
		"broken.yaml": "invalid YAML",
		"key.yaml":    `1:1: unknown key "hook"`,
		"kind.yaml":   `2:3: unknown key "befor"`,
		"list.yaml":   "before must be a list",
		"item.yaml":   "must be text",
		"latin.yaml":  "is not valid UTF-8",
	} {
		_, err := LoadUser(at(name))
		var bad *fault.Error
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || bad.Hint == "" || strings.Contains(bad.Hint, "--no-config") {
			t.Errorf("%s: got %v (%q), want %q", name, err, bad.Hint, want)
		}
	}
}

// TestHooksOfARepository checks that a repository's configuration cannot name programs.
func TestHooksOfARepository(t *testing.T) {
	_, err := Parse(FileName, []byte("hooks:\n  before: [x]\n"))
	var bad *fault.Error
	if !errors.As(err, &bad) || bad.Line != 1 || !strings.Contains(err.Error(), "hooks cannot come from a repository") || !strings.Contains(bad.Hint, "--hook") {
		t.Errorf("got %v", err)
	}
}
