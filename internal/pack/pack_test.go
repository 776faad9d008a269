package pack

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"time"

	"skills/internal/testing/filetest"
)

// folder writes files below a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	return filetest.Write(t, t.TempDir(), files)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// find returns the target of a name, also of small ones; "" for none.
func find(name string) Target {
	for _, t := range append(Targets(), Target{Name: "bytes", Bytes: 6}, Target{Name: "file", FileBytes: 4}, Target{Name: "archive", Archive: 6}) {
		if t.Name == name {
			return t
		}
	}
	return Target{}
}

// problems packs what must be refused.
func problems(t *testing.T, dir, name, target string) (all []string) {
	t.Helper()
	_, err := Pack(dir, name, find(target))
	var refused Problems
	if !errors.As(err, &refused) {
		t.Fatalf("not refused: %v", err)
	}
	for _, p := range refused {
		all = append(all, p.Message)
		if p.Hint == "" {
			t.Errorf("%s: no hint", p.Message)
		}
	}
	return all
}

func TestPack(t *testing.T) {
	files := map[string]string{"SKILL.md": "x", "b/c.md": "c", "b.md": "b", "Z.md": "z", "run": "#!/bin/sh\n", ".env": "KEY", "evals/e.json": "{}", "b/evals/e.json": "{}", "b/__pycache__/x.pyc": "", "node_modules/x/i.js": ""}
	one, err := Pack(folder(t, files), "tool", Target{})
	must(t, err)
	dir := folder(t, files)
	must(t, errors.Join(os.Chmod(filepath.Join(dir, "run"), 0o700), os.Chmod(filepath.Join(dir, "b.md"), 0o600), os.Chtimes(filepath.Join(dir, "b.md"), time.Unix(1, 0), time.Unix(1, 0))))
	two, err := Pack(dir, "tool", Target{})
	must(t, err)
	if !bytes.Equal(one.Bytes, two.Bytes) || one.Digest != two.Digest {
		t.Error("modes and times change the archive")
	}
	if want := []string{".env", "b/__pycache__/", "evals/", "node_modules/"}; !slices.Equal(one.Skipped, want) {
		t.Errorf("skipped %q, want %q", one.Skipped, want)
	}
	r, err := zip.NewReader(bytes.NewReader(one.Bytes), int64(len(one.Bytes)))
	must(t, err)
	var got []string
	for _, f := range r.File {
		content, err := f.Open()
		must(t, err)
		text, err := io.ReadAll(content)
		must(t, err)
		got = append(got, fmt.Sprintf("%s %v %d %s", f.Name, f.Mode(), f.Modified.UTC().Year(), text))
	}
	want := []string{"tool/SKILL.md -rw-r--r-- 1980 x", "tool/Z.md -rw-r--r-- 1980 z", "tool/b.md -rw-r--r-- 1980 b", "tool/b/c.md -rw-r--r-- 1980 c", "tool/b/evals/e.json -rw-r--r-- 1980 {}", "tool/run -rwxr-xr-x 1980 #!/bin/sh\n"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestLimits(t *testing.T) {
	many := map[string]string{"SKILL.md": "x"}
	for i := range 511 {
		many[fmt.Sprintf("f/%d", i)] = ""
	}
	full := folder(t, many)
	if a, err := Pack(full, "a", find("mcp")); err != nil || a.Files != 512 {
		t.Errorf("exactly as many files as it takes: %v", err)
	}
	three := folder(t, map[string]string{"SKILL.md": "x", "a": "12345", "b": "1"})
	for _, test := range []struct{ dir, name, target, want string }{
		{full, "a", "anthropic", "the skill has 512 files; anthropic takes 200"},
		{full, "a", "openai", "the skill has 512 files; openai takes 500"},
		{three, "a", "bytes", "the skill has 7 bytes; bytes takes 6"},
		{three, "a", "file", "a has 5 bytes; file takes 4"},
		{folder(t, map[string]string{"SKILL.md": "x"}), "my-claude", "anthropic", `the name my-claude contains "claude", which anthropic reserves`},
		{folder(t, map[string]string{"SKILL.md": "x", "b/skill.md": "x"}), "a", "", "an archive holds exactly one SKILL.md; these would be in it: SKILL.md, b/skill.md"},
		{folder(t, map[string]string{"SKILL.md": "x"}), "../a", "", `its name is not a valid folder name: "../a"`},
	} {
		if got := problems(t, test.dir, test.name, test.target); !slices.Equal(got, []string{test.want}) {
			t.Errorf("%s: got %q, want %q", test.target, got, test.want)
		}
	}
}

// TestArchiveLimit checks that the limit applies to the compressed size of an archive.
func TestArchiveLimit(t *testing.T) {
	got := problems(t, folder(t, map[string]string{"SKILL.md": "x"}), "a", "archive")
	if len(got) != 1 || !regexp.MustCompile(`^the archive has [0-9]{3} bytes; archive takes 6$`).MatchString(got[0]) {
		t.Errorf("got %q", got)
	}
}

// TestNames checks that names that some disk or program cannot store are rejected
// before anything is written.
func TestNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other disks do not have these names")
	}
	dir := folder(t, map[string]string{"SKILL.md": "x", "a.md": "", "A.md": "", "caf\u00e9": "", "cafe\u0301": "", "x\x1b[31m": "", "a:b": "", "a\\b": "", "\xff": "",
		"nul": "", "x/COM1.log": "", "b.": "", "c /d": "", "null": "", "a.nul": "", "com10": ""})
	got := problems(t, dir, "a", "")
	want := []string{
		`not every system can have a file with the name "a:b"`, `not every system can have a file with the name "a\\b"`, `"A.md" and "a.md" are one name on some disks`,
		"\"cafe\u0301\" and \"caf\u00e9\" are one name on some disks", `not every system can have a file with the name "x\x1b[31m"`, `not every system can have a file with the name "\xff"`,
		`not every system can have a file with the name "nul"`, `not every system can have a file with the name "x/COM1.log"`,
		`not every system can have a file with the name "b."`, `not every system can have a file with the name "c /d"`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestRefusedFiles checks that links, even harmless ones, and files that are too large
// are rejected without being read.
func TestRefusedFiles(t *testing.T) {
	dir := folder(t, map[string]string{"SKILL.md": "x"})
	large, err := os.Create(filepath.Join(dir, "large"))
	must(t, errors.Join(err, large.Truncate(1<<30), large.Close()))
	want := []string{"large: is too large"}
	if err := os.Symlink("SKILL.md", filepath.Join(dir, "link")); err == nil {
		want = append(want, "link is a link")
	}
	if got := problems(t, dir, "a", ""); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
