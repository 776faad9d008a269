package loader

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/spec"
)

func TestReadSkillFile(t *testing.T) {
	root := tree{
		"good/SKILL.md": "text", "lower/skill.md": "text", "folder/SKILL.md/": "", "none/": "",
		"inside/SKILL.md": "-> real/file", "inside/real/file": "text",
		"leaves/SKILL.md": "-> ../good/SKILL.md", "dangling/SKILL.md": "-> nothing", "tofolder/SKILL.md": "-> sub", "tofolder/sub/": "",
		"outfolder/SKILL.md": "-> ../good", "loop/SKILL.md": "-> SKILL.md",
		"link": "-> good", "empty/SKILL.md": "",
	}.in(t)
	ok(t, os.Mkdir(filepath.Join(root, "absolute"), 0o755))
	ok(t, os.Symlink(filepath.Join(root, "good", "SKILL.md"), filepath.Join(root, "absolute", "SKILL.md")))
	tests := []struct{ dir, entry, text, fault string }{
		{"good", "SKILL.md", "text", ""},
		{"link", "SKILL.md", "text", ""},
		{"inside", "SKILL.md", "text", ""},
		{"empty", "SKILL.md", "", ""},
		{"lower", "skill.md", "text", "skill.md must be named SKILL.md"},
		{"folder", "SKILL.md", "", "SKILL.md is a folder, not a file"},
		{"none", "", "", "Missing required file: SKILL.md"},
		{"none", "SKILL.md", "", "cannot read SKILL.md: no such file"}, // gone since it was listed
		{"nowhere", "SKILL.md", "", "cannot read SKILL.md: "},
		{"leaves", "SKILL.md", "", "SKILL.md is a link that leaves the skill's folder (to ../good/SKILL.md)"},
		{"absolute", "SKILL.md", "", "SKILL.md is a link that leaves the skill's folder"},
		{"dangling", "SKILL.md", "", "SKILL.md is a link to nothing, which does not exist"},
		{"tofolder", "SKILL.md", "", "SKILL.md is a folder, not a file"},
		{"outfolder", "SKILL.md", "", "SKILL.md is a link that leaves the skill's folder"},
		{"loop", "SKILL.md", "", "cannot read SKILL.md: too many levels"},
	}
	for _, tt := range tests {
		src, fault := ReadSkillFile(filepath.Join(root, tt.dir), tt.entry)
		if string(src) != tt.text {
			t.Errorf("%s: got text %q, want %q", tt.dir, src, tt.text)
		}
		switch {
		case tt.fault == "" && fault != nil:
			t.Errorf("%s: got fault %q, want none", tt.dir, fault.Message)
		case tt.fault != "" && (fault == nil || fault.Rule != "skill-file" || !strings.HasPrefix(filepath.ToSlash(fault.Message), tt.fault)):
			t.Errorf("%s: got fault %+v, want %q", tt.dir, fault, tt.fault)
		}
	}
}

func TestReadSkillFileSize(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "SKILL.md")
	for size, want := range map[int64]string{
		MaxSkillFile:     "",
		MaxSkillFile + 1: "SKILL.md is 8.0 MiB, the limit is 8 MiB",
		13 << 20:         "SKILL.md is 13.0 MiB, the limit is 8 MiB",
		1 << 30:          "SKILL.md is 1.0 GiB, the limit is 8 MiB",
	} {
		ok(t, os.WriteFile(path, nil, 0o644))
		ok(t, os.Truncate(path, size)) // sparse: takes no room
		src, fault := ReadSkillFile(dir, "SKILL.md")
		switch {
		case want == "" && (fault != nil || int64(len(src)) != size):
			t.Errorf("%d bytes: got %d bytes and %+v, want them all", size, len(src), fault)
		case want != "" && (src != nil || fault == nil || fault.Message != want):
			t.Errorf("%d bytes: got %d bytes and %+v, want %q", size, len(src), fault, want)
		}
	}
	for n, want := range map[int64]string{5: "5 bytes", 1536: "1.5 KiB"} {
		if got := spec.FormatSize(n); got != want {
			t.Errorf("spec.FormatSize(%d): got %s, want %s", n, got, want)
		}
	}
}

func TestOpenDocument(t *testing.T) {
	root := tree{"my-skill/SKILL.md": skillText("my-skill"), "low/skill.md": skillText("low"), "link": "-> my-skill", "none/": ""}.in(t)
	t.Chdir(root)
	open := func(dir string) *spec.Document {
		t.Helper()
		f, err := Search{}.Inspect(t.Context(), dir)
		ok(t, err)
		return OpenDocument(f)
	}
	tests := []struct{ path, wantPath, dir, target, file, name, fault string }{
		{"my-skill", "my-skill/SKILL.md", "my-skill", "", "SKILL.md", "my-skill", ""},
		{"link", "link/SKILL.md", "link", "my-skill", "SKILL.md", "my-skill", ""},
		{"low", "low/skill.md", "low", "", "skill.md", "low", "skill.md must be named SKILL.md"},
		{"none", "none", "none", "", "", "", "Missing required file: SKILL.md"},
	}
	for _, tt := range tests {
		d := open(tt.path)
		fault := ""
		if len(d.Faults) > 0 {
			fault = d.Faults[0].Message
		}
		got := []string{filepath.ToSlash(d.Path), d.Dir, d.LinkTarget, d.File, d.Text("name"), fault}
		same(t, tt.path, got, []string{tt.wantPath, tt.dir, tt.target, tt.file, tt.name, tt.fault})
	}
	t.Chdir("my-skill")
	if d := open("."); d.Path != "SKILL.md" || d.Dir != "my-skill" || len(d.Faults) > 0 {
		t.Errorf("here: got %q in %q with %v", d.Path, d.Dir, d.Faults)
	}
}

// TestReadEmptyFile checks that an empty file is distinguished from one that was not
// read.
func TestReadEmptyFile(t *testing.T) {
	dir := tree{"SKILL.md": ""}.in(t)
	for _, buffer := range [][]byte{nil, make([]byte, 9)} {
		if src, _, fault := readSkillFile(dir, skillFileName, buffer); src == nil || fault != nil {
			t.Errorf("got %v, %v", src, fault)
		}
	}
}

// TestBufferKeepsItsSize checks that a buffer serves a larger file after a smaller one.
func TestBufferKeepsItsSize(t *testing.T) {
	dir := tree{"small/SKILL.md": "ab", "large/SKILL.md": "abcdef"}.in(t)
	buffer := make([]byte, 9)
	small, _, _ := readSkillFile(filepath.Join(dir, "small"), skillFileName, buffer)
	large, _, _ := readSkillFile(filepath.Join(dir, "large"), skillFileName, small)
	if string(large) != "abcdef" || &large[0] != &buffer[0] {
		t.Errorf("got %q in another buffer", large)
	}
}
