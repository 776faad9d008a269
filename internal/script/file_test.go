package script

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// skill makes a skill folder with one file that is not executable.
func skill(t *testing.T, name, content string) Script {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Script{Skill: "test-skill", Name: name, Dir: dir}
}

func TestRefusedPaths(t *testing.T) {
	s := skill(t, "scripts/a.sh", "echo\n")
	outside := filepath.Join(filepath.Dir(s.Dir), "outside.sh")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"", ".", "..", "../outside.sh", "scripts/../../outside.sh", "scripts/../scripts/a.sh", "./scripts/a.sh",
		outside, "/etc/passwd", "scripts//a.sh", "scripts/", "scripts", "scripts/a.sh/",
	} {
		s.Name = name
		if _, err := Digest(s); !errors.Is(err, ErrNotScript) {
			t.Errorf("%q: got %v, want ErrNotScript", name, err)
		}
	}
	for _, name := range []string{"scripts/b.sh", "none/a.sh"} {
		s.Name = name
		if _, err := Digest(s); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "opening test-skill/"+name+": ") {
			t.Errorf("%q: got %v, want that it does not exist", name, err)
		}
	}
	s.Name, s.Dir = "a.sh", filepath.Join(s.Dir, "gone")
	if _, err := Digest(s); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no skill folder: got %v, want that it does not exist", err)
	}
}

func TestSource(t *testing.T) {
	content := "#!/bin/sh\n" + strings.Repeat("x", 2*maxHead)
	s := skill(t, "a.sh", content)
	head, size, _, err := Source(s, maxHead)
	if err != nil || size != int64(len(content)) || string(head) != content[:maxHead] {
		t.Errorf("got %d of %d bytes, %v, want the first %d", len(head), size, err, maxHead)
	}
}

func TestDigestMustMatch(t *testing.T) {
	for _, content := range []string{"", "echo\n", strings.Repeat("x", 3*maxHead)} {
		s := skill(t, "a.sh", content)
		sum := sha256.Sum256([]byte(content))
		s.Digest = hex.EncodeToString(sum[:])
		if _, err := Digest(s); err != nil {
			t.Errorf("%d bytes with their digest: %v", len(content), err)
		}
		s.Digest = strings.ToUpper(s.Digest)
		if _, err := Digest(s); err != nil {
			t.Errorf("%d bytes with their digest in upper case: %v", len(content), err)
		}
		if err := os.WriteFile(filepath.Join(s.Dir, "a.sh"), []byte(content+"y"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Digest(s); !errors.Is(err, ErrChanged) {
			t.Errorf("%d bytes and one more: got %v, want ErrChanged", len(content), err)
		}
	}
}
