package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// TestFrameworkPage runs every command of docs/framework.md: none needs a server.
func TestFrameworkPage(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	_, table, _ := strings.Cut(filetest.Read(t, "../docs/framework.md"), "<!-- framework -->")
	bin, dir := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	filetest.Must(t, err)
	filetest.Must(t, os.Symlink(self, filepath.Join(bin, "skills")))
	repository, err := filepath.Abs("..")
	filetest.Must(t, err)
	for _, name := range []string{"testdata", "README.md"} {
		filetest.Must(t, os.Symlink(filepath.Join(repository, name), filepath.Join(dir, name)))
	}
	rows := regexp.MustCompile("(?m)^\\| [^|]+ \\| [^|]+ \\| `([^|]+)` \\|$").FindAllStringSubmatch(table, -1)
	if len(rows) < 20 {
		t.Fatalf("found %d commands", len(rows))
	}
	for _, row := range rows {
		c := exec.Command("sh", "-c", row[1])
		c.Dir = dir
		c.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + bin, "LANG=C.UTF-8"}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", row[1], err, out)
		}
	}
}
