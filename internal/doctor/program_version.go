package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"skills/internal/script"
)

// versionTime is the longest that a program may take to print its version.
const versionTime = 5 * time.Second

// checkVersion compares a program's version with the wanted one. A program is
// run only if a version is wanted.
func (d *Doctor) checkVersion(ctx context.Context, c Check, wanted Specifier) Check {
	c.Wanted = wanted.String()
	if len(wanted) == 0 {
		c.Hint = ""
		return c
	}
	why := d.untrusted(c.Path)
	if why == "" {
		c.Version = d.version(ctx, c.Path)
	}
	least, single := wanted.least()
	switch {
	case c.Version == "":
		want := c.Wanted
		if single {
			want += " or later"
		}
		c.State, c.Message, c.Hint = Unsure, want+" is needed, and its version is not known"+why, ""
	case wanted.Allows(c.Version):
		c.Hint = ""
	case single:
		c.State, c.Message = Missing, fmt.Sprintf("%s is older than %s", c.Version, least)
	default:
		c.State, c.Message = Missing, fmt.Sprintf("%s is installed, and %s is needed", c.Version, wanted)
	}
	return c
}

// untrusted says why a program must not be run for its version, "" if it may: it
// is in a folder of PATH, and neither in a skill nor below the working folder,
// links resolved. A shebang line may name any file, and PATH may contain a folder
// of a project.
func (d *Doctor) untrusted(path string) string {
	switch {
	case !slices.Contains(d.Runner.Folders(), filepath.Dir(path)):
		return ": it is not on PATH, so it is not run"
	case !d.Runner.Trusted(path):
		return ": it is in the working folder or in a skill, so it is not run"
	}
	return ""
}

// version runs a program once for its version and returns the first number that
// it prints: "3.11.2"; "" for most programs, of which few are known to do nothing
// else. It runs in the root folder, where no project's files can influence it. If
// it is a script itself, its interpreter comes from trusted folders only.
func (d *Doctor) version(ctx context.Context, program string) string {
	if known, ok := d.versions[program]; ok {
		return known
	}
	arguments := versionArguments(strings.TrimSuffix(strings.ToLower(filepath.Base(program)), ".exe"))
	if arguments == nil {
		return ""
	}
	folders := slices.DeleteFunc(d.Runner.Folders(), func(dir string) bool { return !d.Runner.Trusted(dir) })
	r := &script.Runner{
		Dir:     filepath.VolumeName(program) + string(filepath.Separator),
		Env:     append(slices.Clone(d.Runner.Env), "PATH="+strings.Join(folders, string(os.PathListSeparator))),
		Timeout: versionTime,
	}
	// Go would fetch another version of itself.
	result, err := r.Ask(ctx, append([]string{program}, arguments...), nil, "GOTOOLCHAIN=local")
	if d.versions == nil {
		d.versions = map[string]string{}
	}
	if err == nil && !result.TimedOut && !result.Interrupted {
		d.versions[program] = regexp.MustCompile(`\d+(\.\d+)+`).FindString(result.Stdout + "\n" + result.Stderr) // Java prints it there
	}
	return d.versions[program]
}

// versionArguments are the arguments with which a program prints its version and
// is known to do nothing else.
func versionArguments(program string) []string {
	for arguments, programs := range map[string]string{
		"--version": "bash bun curl deno docker git gh jq node pandoc podman python python3 ruby uv aws clang cmake fzf gcc make psql rg rsync " +
			"sqlite3 tesseract wget yq zsh",
		"-v": "perl pdftotext pdftoppm", "-V": "ssh tmux", "version": "openssl go", "-version": "ffmpeg ffprobe java",
		"version --client": "kubectl", "-n --version": "php",
	} {
		if slices.Contains(strings.Fields(programs), program) {
			return strings.Fields(arguments)
		}
	}
	return nil
}
