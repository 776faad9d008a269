package loader

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	py, md := "print(1)", "text"
	tests := []struct {
		name               string
		tree               tree
		resources, scripts []string
	}{
		{"names are relative", tree{"references/FAQ.md": md, "data.json": "{}", "scripts/x.py": py, "run.sh": "", "pic.png": ""},
			[]string{"data.json", "pic.png", "references/FAQ.md"}, []string{"run.sh", "scripts/x.py"}},
		{"any text", tree{"assets/page.html": "", "LICENSE": "", "Makefile": "", "q.sql": ""}, []string{"LICENSE", "Makefile", "assets/page.html", "q.sql"}, nil},
		{"SKILL.md never", tree{"SKILL.md": md, "a/SKILL.md": md, "b/skill.MD": md, "a/other.md": md}, []string{"a/other.md"}, nil},
		{"case of extensions", tree{"A.JSON": "", "B.Py": ""}, []string{"A.JSON"}, []string{"B.Py"}},
		{"depth", tree{"1/2/3/4/5/6/7/8/in.md": md}, []string{"1/2/3/4/5/6/7/8/in.md"}, nil},
		{"shebangs", tree{"scripts/tool": "#!/bin/sh\n", "scripts/in/t": "#!x", "scripts/plain": "#", "tool": "#!/bin/sh\n", "scripts/n.md": "# x"},
			[]string{"scripts/n.md", "scripts/plain", "tool"}, []string{"scripts/in/t", "scripts/tool"}},
		{"hidden and generated", tree{".hid.md": md, ".d/a.md": md, "node_modules/a.md": md, "__pycache__/x.py": py, "x/.git/a.md": md}, nil, nil},
		{"links", tree{"in.md": "-> real.md", "real.md": md, "out.md": "-> ../../etc.md", "up.md": "-> ../other/x.md", "gone.md": "-> no.md", "abs.md": "-> /etc/hosts"},
			[]string{"in.md", "real.md"}, nil},
		{"links to folders", tree{"refs": "-> docs", "docs/a.md": md, "out": "-> ..", "docs/loop": "-> ..", "docs/self": "-> .", "docs/z": "-> ../more", "more/b.md": md, "more/back": "-> ../docs"},
			[]string{"docs/a.md", "docs/z/b.md", "more/b.md", "more/back/a.md", "refs/a.md"}, nil},
		{"several dots", tree{"a.min.js": "", "b.tar.md": md, ".md": md}, []string{"b.tar.md"}, []string{"a.min.js"}},
		{"order", tree{"b.md": md, "a/z.md": md, "a.md": md, "a-b.md": md}, []string{"a-b.md", "a.md", "a/z.md", "b.md"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			outer := tree{"other/x.md": md, "etc.md": md}.in(t)
			dir := filepath.Join(outer, "skill")
			tt.tree.write(t, dir)
			var n notes
			list, err := List(t.Context(), dir, Extensions{}, n.add)
			ok(t, err)
			same(t, "resources", list.Resources, tt.resources)
			same(t, "scripts", list.Scripts, tt.scripts)
			if len(n.all) > 0 {
				t.Errorf("notices: got %s want none", n.text())
			}
		})
	}
}

func TestListExtensions(t *testing.T) {
	dir := tree{"a.md": "", "b.json": "", "scripts/c.py": "", "scripts/d.lua": "", "scripts/e": "#!/bin/sh\n"}.in(t)
	for _, tt := range []struct {
		ext                Extensions
		resources, scripts []string
	}{
		{Extensions{Resources: []string{".md"}}, []string{"a.md"}, []string{"scripts/c.py", "scripts/e"}},
		{Extensions{Scripts: []string{".lua"}}, []string{"a.md", "b.json", "scripts/c.py", "scripts/e"}, []string{"scripts/d.lua"}},
		{Extensions{Resources: []string{".json", ".py"}, Scripts: []string{".lua"}}, []string{"b.json", "scripts/c.py"}, []string{"scripts/d.lua"}},
		{Extensions{Hide: []string{"scripts/*", "b.*"}}, []string{"a.md"}, nil},
		{Extensions{Hide: []string{"scripts/"}}, []string{"a.md", "b.json"}, nil},
		{Extensions{Hide: []string{"**/*.md", "c.py", "scripts/e"}}, []string{"b.json", "scripts/d.lua"}, nil},
	} {
		list, err := List(t.Context(), dir, tt.ext, nil)
		ok(t, err)
		same(t, "resources", list.Resources, tt.resources)
		same(t, "scripts", list.Scripts, tt.scripts)
	}
}

func TestParseExtension(t *testing.T) {
	for text, want := range map[string]string{".md": ".md", "MD": ".md", " .Py ": ".py", "": "", ".": "", "a.md": "", "*.md": "", "a/b": ""} {
		got, err := ParseExtension(text)
		if (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestMatchName(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{{"pdf-*", "pdf-forms", true}, {"PDF", "pdf", true}, {"p?f", "pdf", true}, {"pdf", "pdf-forms", false}, {"*", "x", true}, {"[a-c]*", "b1", true}} {
		if got := MatchName([]string{"other", tt.pattern}, tt.name); got != tt.want {
			t.Errorf("%s and %s: got %t", tt.pattern, tt.name, got)
		}
	}
	for _, bad := range []string{"[a", "", " "} {
		if CheckNamePattern(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestBinaryType(t *testing.T) {
	for data, want := range map[string]string{"": "", "text ü": "", "\x89PNG\r\n\x1a\n": "image/png", "%PDF-1.7\n\xe2\xe3": "application/pdf", "a\x00b": "application/octet-stream", "caf\xe9 au": "not UTF-8 text"} {
		if got := BinaryType([]byte(data), false); got != want {
			t.Errorf("%q: got %q, want %q", data, got, want)
		}
	}
	if BinaryType([]byte("cut \xe6\x8a"), true) != "" || BinaryType([]byte("cut \xe6\x8a"), false) == "" {
		t.Error("a character that is cut off belongs to text where the data goes on, and only there")
	}
}

func TestListIsBounded(t *testing.T) {
	many := tree{}
	for i := range maxListed + 5 {
		many[fmt.Sprintf("f%05d.md", i)] = ""
	}
	tests := []struct {
		name, notice string
		tree         tree
		want         int
	}{
		{"files", "only 2000 files", many, maxListed},
		{"levels", "only 8 levels", tree{"1/2/3/4/5/6/7/8/9/x.md": "", "a.md": ""}, 1},
	}
	for _, tt := range tests {
		var n notes
		list, err := List(t.Context(), tt.tree.in(t), Extensions{}, n.add)
		ok(t, err)
		if len(list.Resources) != tt.want || len(n.all) != 1 || !strings.Contains(n.all[0].Message, tt.notice) {
			t.Errorf("%s: got %d files and %s want %d and %q", tt.name, len(list.Resources), n.text(), tt.want, tt.notice)
		}
	}
}

func TestListErrors(t *testing.T) {
	dir := tree{"a.md": ""}.in(t)
	if _, err := List(t.Context(), filepath.Join(dir, "no"), Extensions{}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := List(ctx, dir, Extensions{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestReadFile(t *testing.T) {
	dir := tree{"s/a.txt": "0123456789", "s/in": "-> a.txt", "s/out": "-> ../secret", "s/d/": "", "secret": "s3cret", "s-evil/x": "s3cret"}.in(t)
	dir = filepath.Join(dir, "s")
	tests := []struct {
		name          string
		offset, limit int64
		want          string
		size          int64
		err           string
	}{
		{"a.txt", 0, 0, "0123456789", 10, ""},
		{"a.txt", 3, 4, "3456", 10, ""},
		{"a.txt", 8, 100, "89", 10, ""},
		{"a.txt", 10, 5, "", 10, ""},
		{"a.txt", 1 << 60, 5, "", 10, ""},
		{"a.txt", 0, 1 << 60, "0123456789", 10, ""},
		{"a.txt", -1, 5, "", 0, "before the start"},
		{"in", 0, 2, "01", 10, ""},
		{"out", 0, 0, "", 0, "escapes"},
		{"../secret", 0, 0, "", 0, "escapes from parent"},
		{"../s-evil/x", 0, 0, "", 0, "escapes from parent"},
		{"/etc/hosts", 0, 0, "", 0, "escapes from parent"},
		{"d", 0, 0, "", 0, "is a folder"},
		{"none", 0, 0, "", 0, "no such file"},
		{"a.txt\x00", 0, 0, "", 0, "reading"},
	}
	for _, tt := range tests {
		data, size, err := ReadFile(t.Context(), dir, tt.name, tt.offset, tt.limit)
		if string(data) != tt.want || size != tt.size {
			t.Errorf("%q from %d: got %q of %d, want %q of %d", tt.name, tt.offset, data, size, tt.want, tt.size)
		}
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%q: got error %v, want %q", tt.name, err, tt.err)
		}
	}
	if _, _, err := ReadFile(t.Context(), filepath.Join(dir, "no"), "x", 0, 0); err == nil {
		t.Error("missing folder: got no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := ReadFile(ctx, dir, "a.txt", 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestReadFileIsBounded(t *testing.T) {
	dir := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(dir, "big"), nil, 0o644))
	ok(t, os.Truncate(filepath.Join(dir, "big"), 1<<40))
	data, size, err := ReadFile(t.Context(), dir, "big", 1<<39, 0)
	if err != nil || len(data) != MaxRead || size != 1<<40 {
		t.Errorf("got %d of %d, %v; want %d", len(data), size, err, MaxRead)
	}
}
