package ci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"skills/internal/testing/filetest"
)

// TestActionRelease runs ci/release.sh against a server with releases.
func TestActionRelease(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("which bash is found first differs on Windows")
	}
	for _, program := range []string{"bash", "curl", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	var archive bytes.Buffer
	zipped := gzip.NewWriter(&archive)
	files := tar.NewWriter(zipped)
	const program = "#!/bin/sh\necho released\n"
	if err := errors.Join(files.WriteHeader(&tar.Header{Name: "skills", Mode: 0o755, Size: int64(len(program))}), write(files, program), files.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	name := "skills_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	for label, test := range map[string]struct {
		repository, ref, sums string
		code                  int
		found                 bool
	}{
		"released":         {"o/r", "v1.2.3", fmt.Sprintf("%x  %s\n", sha256.Sum256(archive.Bytes()), name), 0, true},
		"another checksum": {"o/r", "v1.2.3", strings.Repeat("0", 64) + "  " + name + "\n", 1, false},
		"no checksum":      {"o/r", "v1.2.3", strings.Repeat("0", 64) + "  other.tar.gz\n", 1, false},
		"not released":     {"o/r", "v9.9.9", "", 0, false},
		"a branch":         {"o/r", "main", "", 0, false},
		"a local action":   {"", "v1.2.3", "", 0, false},
	} {
		t.Run(label, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/o/r/releases/download/v1.2.3/skills_1.2.3_SHA256SUMS":
					_, _ = io.WriteString(w, test.sums)
				case "/o/r/releases/download/v1.2.3/" + name:
					_, _ = w.Write(archive.Bytes())
				default:
					http.NotFound(w, r)
				}
			}))
			defer server.Close()
			output := filepath.Join(t.TempDir(), "output")
			c := exec.Command("bash", "release.sh")
			c.Env = []string{"PATH=" + os.Getenv("PATH"), "RUNNER_TEMP=" + t.TempDir(), "GITHUB_OUTPUT=" + output, "GITHUB_SERVER_URL=" + server.URL,
				"SKILLS_REPOSITORY=" + test.repository, "SKILLS_REF=" + test.ref}
			out, err := c.CombinedOutput()
			if code := c.ProcessState.ExitCode(); code != test.code {
				t.Fatalf("exit code %d, want %d: %v\n%s", code, test.code, err, out)
			}
			set, _ := os.ReadFile(output) // missing if nothing was set
			path, found := strings.CutPrefix(strings.TrimSpace(string(set)), "binary=")
			if found != test.found {
				t.Fatalf("set %q\n%s", set, out)
			}
			if found {
				if out, err := exec.Command(path).CombinedOutput(); string(out) != "released\n" {
					t.Errorf("the binary prints %q, %v", out, err)
				}
			}
		})
	}
}

func (r *ciRunner) write(name, text string) {
	r.Helper()
	filetest.Write(r, r.dir, map[string]string{name: text})
}
