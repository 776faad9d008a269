package loader

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func loadNames(t testing.TB, roots []string, opts FilesOptions) (names []string, skills []*Skill) {
	t.Helper()
	skills, err := Files(roots, opts).Skills(t.Context())
	ok(t, err)
	for _, s := range skills {
		names = append(names, s.Name)
	}
	return names, skills
}

func TestFilesRoots(t *testing.T) {
	root := tree{
		"one/b/SKILL.md": skillText("b"), "one/a/SKILL.md": skillText("a"), "two/c/SKILL.md": skillText("c"), "two/a/SKILL.md": skillText("a"),
		"link": "-> one", "empty/": "", "file.txt": "",
		".git/HEAD": "", ".gitignore": "/mine/*\n", "mine/m/SKILL.md": skillText("m"),
	}.in(t)
	t.Chdir(root)
	tests := []struct {
		name         string
		roots        []string
		optional     bool
		want, notice []string
	}{
		{"none", nil, false, nil, nil},
		{"blank", []string{"", "  "}, false, nil, nil},
		{"in order, by path in each", []string{"two", "one"}, false, []string{"a", "c", "a", "b"}, nil},
		{"twice, by several spellings", []string{"one", "./one/", "link", root + "/one", "one/a"}, false, []string{"a", "b"}, nil},
		{"a skill, its file, a file in it", []string{"one/b", "two/c/SKILL.md"}, false, []string{"b", "c"}, nil},
		{"missing", []string{"no", "one"}, false, []string{"a", "b"}, []string{"no: does not exist"}},
		{"missing, but only tried", []string{"no", "empty", "one"}, true, []string{"a", "b"}, nil},
		{"empty", []string{"empty"}, false, nil, []string{"empty: no skills found in empty (searched 6 levels deep)"}},
		{"a file in no skill", []string{"file.txt"}, false, nil, []string{"file.txt: is not part of a skill"}},
		{"a file, but only tried", []string{"file.txt", "file.txt/skills", "one"}, true, []string{"a", "b"}, nil},
		{"a link as root", []string{"link"}, false, []string{"a", "b"}, nil},
		{"what git does not track", []string{"mine"}, false, []string{"m"}, nil},
	}
	for _, tt := range tests {
		var n notes
		got, _ := loadNames(t, tt.roots, FilesOptions{Optional: tt.optional, Notify: n.add})
		same(t, tt.name, got, tt.want)
		if len(n.all) != len(tt.notice) {
			t.Errorf("%s: notices: got %q, want %q", tt.name, n.text(), tt.notice)
			continue
		}
		for i, want := range tt.notice {
			if got := n.all[i].Path + ": " + n.all[i].Message; !strings.HasPrefix(got, want) || n.all[i].Hint == "" {
				t.Errorf("%s: notice: got %q, want %q and a hint", tt.name, got, want)
			}
		}
	}
}

func TestFilesIsLenient(t *testing.T) {
	long := strings.Repeat("技", 1025)
	tests := []struct {
		name, text        string
		wantName, wantDes string // "" is not loaded
		findings          bool
		notice            string
	}{
		{"fine", skillText("s"), "s", "Does s. Use when testing.", false, ""},
		{"another folder's name", skillText("other"), "other", "Does other. Use when testing.", true, "must match skill name"},
		{"unknown field", "---\nname: s\ndescription: d\nfoo: 1\n---\n", "s", "d", true, "nevertheless"},
		{"long description", "---\nname: s\ndescription: " + long + "\n---\n", "s", long, true, "nevertheless"},
		{"capitals", "---\nname: S\ndescription: d\n---\n", "S", "d", true, "must be lowercase (write name: s)"},
		{"capitals and more", "---\nname: S\ndescription: d\nfoo: 1\n---\n", "S", "d", true, "(and 1 more)"},
		{"colon in a value", "---\nname: s\ndescription: Use when: x, or: y\n---\n", "s", "Use when: x, or: y", true, "Invalid YAML"},
		{"bom", "\ufeff" + skillText("s"), "s", "Does s. Use when testing.", true, ""},
		{"crlf", strings.ReplaceAll(skillText("s"), "\n", "\r\n"), "s", "Does s. Use when testing.", false, ""},
		{"blank lines before", "\n \n" + skillText("s"), "s", "Does s. Use when testing.", true, "nevertheless"},
		{"numbers", "---\nname: 123\ndescription: 1.0\n---\n", "123", "1.0", true, ""},
		{"no frontmatter", "# Text\n", "", "", false, "not loaded"},
		{"not closed", "---\nname: s\ndescription: d\n", "", "", false, "not properly closed"},
		{"no name", "---\ndescription: d\n---\n", "", "", false, "Missing required field in frontmatter: name"},
		{"no description", "---\nname: s\ndescription:\n---\n", "", "", false, "Field 'description' must be a non-empty string"},
		{"neither", "---\nx: y\n---\n", "", "", false, "(and 2 more)"},
		{"a list", "---\n- name\n---\n", "", "", false, "must be a YAML mapping"},
		{"bytes", "---\nname: s\ndescription: \xe9\n---\n", "", "", false, "not loaded"},
		{"empty", "", "", "", false, "not loaded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := tree{"s/SKILL.md": tt.text, "z/SKILL.md": skillText("z")}.in(t)
			var n notes
			names, skills := loadNames(t, []string{root}, FilesOptions{Notify: n.add})
			if skills[len(skills)-1].Name != "z" {
				t.Fatalf("got %q: the good skill is gone", names)
			}
			if !strings.Contains(n.text(), tt.notice) || tt.notice == "" && tt.wantName == "" {
				t.Errorf("notices: got %q, want %q", n.text(), tt.notice)
			}
			if len(n.all) > 1 || strings.Contains(strings.TrimSuffix(n.text(), "\n"), "\n") {
				t.Errorf("notices: got %q, want one line at most", n.text())
			}
			if tt.wantName == "" {
				if len(skills) != 1 || len(n.all) != 1 || n.all[0].Hint == "" {
					t.Errorf("got %q, want it skipped with one notice and a hint; %s", names, n.text())
				}
				return
			}
			if len(skills) != 2 {
				t.Fatalf("got %q, want it loaded; %s", names, n.text())
			}
			s := skills[0]
			if s.Name != tt.wantName || s.Description != tt.wantDes {
				t.Errorf("got %q and %q, want %q and %q", s.Name, s.Description, tt.wantName, tt.wantDes)
			}
			if tt.findings != (len(n.all) > 0) {
				t.Errorf("notices: got %q, want some: %t", n.text(), tt.findings)
			}
			if c, err := s.Contents(t.Context()); err != nil || c.Text != tt.text {
				t.Errorf("text: got %q, %v, want the file's", c.Text, err)
			}
		})
	}
}

func TestFilesNotASkillFile(t *testing.T) {
	root := tree{"a/skill.md": skillText("a"), "b/SKILL.md/": "", "c/SKILL.md": "-> ../d/x", "d/x": skillText("c"), "e/SKILL.md": skillText("e")}.in(t)
	ok(t, os.MkdirAll(filepath.Join(root, "f"), 0o755))
	ok(t, os.WriteFile(filepath.Join(root, "f", "SKILL.md"), nil, 0o644))
	ok(t, os.Truncate(filepath.Join(root, "f", "SKILL.md"), 1<<30))
	var n notes
	names, _ := loadNames(t, []string{root}, FilesOptions{Notify: n.add})
	same(t, "skills", names, []string{"e"})
	for i, want := range []string{"skill.md must be named SKILL.md", "SKILL.md is a folder", "leaves the skill's folder", "1.0 GiB"} {
		if i >= len(n.all) || !strings.Contains(n.all[i].Message, want) {
			t.Fatalf("notice %d: got %q, want %q", i, n.text(), want)
		}
	}
}

func TestFilesSkill(t *testing.T) {
	text := "---\nname: a\ndescription: d\nlicense: MIT\ncompatibility: any\nallowed-tools: [Read, \"Bash(git:*)\"]\nmetadata: {team: docs}\n---\nBody\n"
	root := tree{"real/a/SKILL.md": text, "real/a/refs/x.md": "xyz", "real/a/scripts/run": "#!/bin/sh\n", "real/a/n/SKILL.md": "", "l": "-> real"}.in(t)
	t.Chdir(root)
	_, skills := loadNames(t, []string{"l"}, FilesOptions{})
	s := skills[0]
	got := []string{s.License, s.Compatibility, s.AllowedTools, s.Dir, s.Location, filepath.ToSlash(s.Origin)}
	same(t, "skill", got, []string{"MIT", "any", "Read Bash(git:*)", filepath.Join(root, "real", "a"), filepath.Join(root, "real", "a", "SKILL.md"), "l/a"})

	if named := Filter(Memory(skills...), func(s *Skill) bool { return s.Metadata["team"] == "docs" }); len(skillNames(t, named)) != 1 {
		t.Errorf("metadata: got %v", s.Metadata)
	}

	// What is listed is read on first use, not before.
	tree{"real/a/refs/late.md": "late"}.write(t, root)
	c, err := s.Contents(t.Context())
	ok(t, err)
	var names []string
	for _, r := range c.Resources {
		names = append(names, r.Name)
	}
	same(t, "resources", names, []string{"refs/late.md", "refs/x.md"})
	if c.Text != text {
		t.Errorf("text: got %q, want the file's", c.Text)
	}
	if len(c.Scripts) != 1 || len(c.Scripts[0].Digest) != 64 || c.Scripts[0].Folder == nil || c.Scripts[0].Name != "scripts/run" || c.Scripts[0].Schema["type"] != "array" || c.Scripts[0].Call != nil {
		t.Errorf("scripts: got %+v", c.Scripts)
	}
	data, size, err := c.Resources[1].Read(t.Context(), 1, 1)
	if string(data) != "y" || size != 3 || err != nil {
		t.Errorf("read: got %q of %d, %v", data, size, err)
	}

	// A file swapped for a link out of the folder after it was listed.
	tree{"secret": "s3cret"}.write(t, root)
	ok(t, os.Remove(filepath.Join(root, "real", "a", "refs", "x.md")))
	tree{"real/a/refs/x.md": "-> ../../../secret"}.write(t, root)
	if data, _, err := c.Resources[1].Read(t.Context(), 0, 0); err == nil {
		t.Errorf("swapped link: read %q, want a refusal", data)
	}
	ok(t, os.RemoveAll(filepath.Join(root, "real", "a", "refs")))
	if _, _, err := c.Resources[0].Read(t.Context(), 0, 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("deleted file: got %v, want ErrNotExist", err)
	}
}

func TestFilesErrors(t *testing.T) {
	root := tree{"a/SKILL.md": skillText("a")}.in(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Files([]string{root}, FilesOptions{}).Skills(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	_, skills := loadNames(t, []string{root}, FilesOptions{})
	ok(t, os.RemoveAll(root))
	if _, err := skills[0].Contents(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "reading skill a: cannot read SKILL.md: ") {
		t.Errorf("folder gone: got %v", err)
	}
	tree{"a/x.md": "", "a/SKILL.md": skillText("a") + "More.\n"}.write(t, root)
	if c, err := skills[0].Contents(t.Context()); err != nil || len(c.Resources) != 1 || !strings.HasSuffix(c.Text, "More.\n") {
		t.Errorf("folder back: got %v, %v; a failure must not be kept, and the text is that of now", c, err)
	}
}

// TestFilesPrecedence checks that a nearer folder comes before the repository's, and
// the project before the home folder.
func TestFilesPrecedence(t *testing.T) {
	root := tree{
		"r/.git/HEAD": "", "r/.agents/skills/x/SKILL.md": skillText("x"), "r/w/.claude/skills/x/SKILL.md": skillText("X"),
		"home/.agents/skills/x/SKILL.md": skillText("x"), "home/.claude/skills/h/SKILL.md": skillText("h"),
	}.in(t)
	var n notes
	roots := DefaultRoots(filepath.Join(root, "r", "w"), filepath.Join(root, "home"))
	skills, err := Deduplicate(Files(roots, FilesOptions{Optional: true}), n.add).Skills(t.Context())
	ok(t, err)
	var got []string
	for _, s := range skills {
		rel, _ := below(root, s.Origin)
		got = append(got, rel)
	}
	same(t, "skills", got, []string{"r/w/.claude/skills/x", "home/.claude/skills/h"})
	if len(n.all) != 2 || !strings.Contains(n.text(), filepath.Join("w", ".claude")) || !slices.ContainsFunc(n.all, func(n Notice) bool { return strings.Contains(n.Path, "home") }) {
		t.Errorf("notices: got %q, want two that name both places", n.text())
	}
}

func BenchmarkFiles1000(b *testing.B) {
	root := manySkills(b, 1000)
	for b.Loop() {
		skills, err := Files([]string{root}, FilesOptions{}).Skills(b.Context())
		if err != nil || len(skills) != 1000 {
			b.Fatalf("got %d, %v", len(skills), err)
		}
	}
}

// TestScriptedAlone checks that a folder with nothing but its SKILL.md is not read
// again to search for scripts.
func TestScriptedAlone(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"alone", "script"} {
		text := "---\nname: " + dir + "\ndescription: Does it.\n---\n"
		if err := errors.Join(os.MkdirAll(filepath.Join(root, dir), 0o755), os.WriteFile(filepath.Join(root, dir, "SKILL.md"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "script", "run.sh"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	found, err := Files([]string{root}, FilesOptions{}).Skills(t.Context())
	if err != nil || len(found) != 2 {
		t.Fatalf("got %v, %v", found, err)
	}
	if has, err := found[1].Scripted(t.Context()); !has || err != nil {
		t.Errorf("script: got %t, %v", has, err)
	}
	if err := os.RemoveAll(filepath.Join(root, "alone")); err != nil {
		t.Fatal(err)
	}
	if has, err := found[0].Scripted(t.Context()); has || err != nil {
		t.Errorf("alone: got %t, %v; the folder was read", has, err)
	}
}

// TestFilesKeepTexts checks that skills and notices keep their texts when the next file
// is read into the same buffer.
func TestFilesKeepTexts(t *testing.T) {
	dir := t.TempDir()
	const n = 40
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("skill-%02d", i))
		text := fmt.Sprintf("---\nname: Wrong-%02d\ndescription: Does %02d of them.\nlicense: Licence-%02d\ncompatibility: Needs %02d\nallowed-tools: Tools-%02d\n---\n", i, i, i, i, i)
		if err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "SKILL.md"), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var notices []Notice
	list, err := Files([]string{dir}, FilesOptions{Notify: func(n Notice) { notices = append(notices, n) }}).Skills(t.Context())
	if err != nil || len(list) != n || len(notices) != n {
		t.Fatalf("%d skills, %d notices, %v", len(list), len(notices), err)
	}
	for i, s := range list {
		num := fmt.Sprintf("%02d", i)
		for _, text := range []string{s.Name, s.Description, s.License, s.Compatibility, s.AllowedTools, notices[i].Path, notices[i].Message, notices[i].Hint} {
			if !strings.Contains(text, num) {
				t.Errorf("skill %s: %q", num, text)
			}
		}
	}
}
