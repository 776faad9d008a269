package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"skills/internal/script/supervisor"
)

// versionTime is the longest that a program may take to tell its version.
const versionTime = 5 * time.Second

// ErrVersion says that a program is not asked for its version.
var ErrVersion = errors.New("its version is not known")

// versionWords are what the programs take that can be asked for their version:
// those of which it is known that they do nothing else then.
func versionWords() map[string][]string {
	long := []string{"--version"}
	return map[string][]string{
		"bash": long, "bun": long, "curl": long, "deno": long, "docker": long, "git": long, "gh": long, "jq": long,
		"node": long, "pandoc": long, "perl": {"-v"}, "podman": long, "python": long, "python3": long, "ruby": long, "uv": long,
		"aws": long, "clang": long, "cmake": long, "fzf": long, "gcc": long, "make": long, "psql": long, "rg": long, "rsync": long,
		"sqlite3": long, "tesseract": long, "wget": long, "yq": long, "zsh": long,
		"kubectl": {"version", "--client"}, "openssl": {"version"}, "ssh": {"-V"}, "tmux": {"-V"}, "pdftotext": {"-v"}, "pdftoppm": {"-v"},
		"ffmpeg": {"-version"}, "ffprobe": {"-version"}, "go": {"version"}, "java": {"-version"}, "php": {"-n", "--version"},
	}
}

// Find returns where a program is, as scripts would find it, and whether it is
// there.
func (r *Runner) Find(program string) (path string, ok bool) {
	path, err := r.lookPath(program)
	return path, err == nil
}

// Version asks a program on the search path for its version, in its own words'
// first number: "3.11.2". It is asked in the root folder, where no project's
// files lie that it could heed, with the environment of a script, and not for
// longer than five seconds. [ErrVersion] is all that is wrong with most
// programs: only a few are known to do nothing else when they are asked.
func (r *Runner) Version(ctx context.Context, program string) (string, error) {
	words, known := versionWords()[strings.TrimSuffix(strings.ToLower(filepath.Base(program)), ".exe")]
	if !known || !filepath.IsAbs(program) {
		return "", ErrVersion
	}
	dir := filepath.VolumeName(program) + string(os.PathSeparator)
	runtime.LockOSThread() // see launch
	defer runtime.UnlockOSThread()
	// Go would fetch another version of itself.
	env := set(r.environment(dir), "GOTOOLCHAIN", "local")
	stdout, stderr := newCapture(4<<10, nil), newCapture(4<<10, nil)
	p, err := supervisor.Start(supervisor.Command{Args: append([]string{program}, words...), Dir: dir, Env: env}, stdout, stderr)
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", filepath.Base(program), err)
	}
	why, _ := p.Wait(ctx, versionTime)
	if why == supervisor.Interrupted {
		return "", context.Cause(ctx)
	}
	out, _ := stdout.finish()
	said, _ := stderr.finish() // where Java prints it
	if found := regexp.MustCompile(`\d+(\.\d+)+`).FindString(out + "\n" + said); found != "" && why == supervisor.Exited {
		return found, nil
	}
	return "", ErrVersion
}
