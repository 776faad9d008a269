package audit

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// TestContentDigest compares the digest with those in ToolHive's own tests.
func TestContentDigest(t *testing.T) {
	for want, list := range map[string][]lockedFile{
		"sha256:79d1b89c9733bc5a3c51bd715612a85ab13add6933cb9aa7cc1ae44fd5d181a3": {{name: "a.txt", content: []byte("hello world")}},
		"sha256:9b46342aaebede490f12bf67a5ecb4be507c7684ee5e11a0511b54c701f464bd": {
			{name: "refs/guide.md", content: []byte("guide")}, {name: "SKILL.md", content: []byte("# Skill")},
		},
	} {
		if got := contentDigest(list); got != want {
			t.Errorf("%v: %s, not %s", list, got, want)
		}
	}
}

// TestHostileLocks reads lock files that somebody has made to be expensive or confusing.
func TestHostileLocks(t *testing.T) {
	bomb := "a: &a [x]\n"
	for i := 'b'; i < 'z'; i++ {
		bomb += fmt.Sprintf("%c: &%[1]c [%s*%c]\n", i, strings.Repeat(fmt.Sprintf("*%c, ", i-1), 30), i-1)
	}
	for name, src := range map[string]string{
		"aliases": bomb + "dependencies: *y\n", "nesting": strings.Repeat("[", 100_000), "mapping": "lockfile_version: '1'\ndependencies: {a: b}\n",
		"half a conflict": "<<<<<<< a\nlockfile_version: '1'\n", "markers": strings.Repeat("<<<<<<<\n=======\n>>>>>>>\n", 50_000), "empty": "",
		"key": "version = 1\n[skills]\na = 1\n", "null": `{"version": 1, "skills": {"a": null}}`, "NUL": "\x00",
	} {
		dir := t.TempDir()
		for _, f := range lockFiles() {
			filetest.File(t, filepath.Join(dir, filepath.FromSlash(f.path)), src)
			entries, _, err := f.load(filepath.Join(dir, filepath.FromSlash(f.path)))
			if err == nil && len(entries) > maxLocks {
				t.Errorf("%s as %s: %d entries", name, f.path, len(entries))
			}
		}
	}
}

func FuzzLocks(f *testing.F) {
	f.Add("lockfile_version: '1'\ndependencies:\n- repo_url: a\n  deployed_file_hashes: {a: b}\n")
	f.Add("version = 1\n[skills.a]\nsource = 'x'\n")
	f.Add("{\"version\": 1,\n<<<<<<< a\n\"skills\": {}}\n=======\n\"skills\": {\"a\": {}}}\n>>>>>>> b\n")
	f.Fuzz(func(t *testing.T, src string) {
		ours, theirs, _ := sides([]byte(src))
		for _, format := range lockFiles() {
			for _, side := range [][]byte{ours, theirs} {
				if _, err := format.parse(side); err != nil {
					_ = format.damaged("x", side, err).Error()
				}
			}
		}
	})
}
