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

// version is what a program printed as its version.
type version struct {
	text  string // "" for none
	unrun string // why the program was not run, "" if it was
}

// checkVersion compares a program's version with the wanted one. A program is
// run only if a version is wanted.
func (d *Doctor) checkVersion(ctx context.Context, c Check, wanted Specifier) Check {
	c.Wanted = wanted.String()
	if len(wanted) == 0 {
		c.Hint = ""
		return c
	}
	v := d.version(ctx, c.Path)
	c.Version = v.text
	least, single := wanted.least()
	switch {
	case c.Version == "":
		want := c.Wanted
		if single {
			want += " or later"
		}
		c.State, c.Message, c.Hint = Unsure, want+" is needed, and its version is not known", ""
		if v.unrun != "" {
			c.Message += ": " + v.unrun
		}
	case wanted.Allows(c.Version):
		c.Hint = ""
	case single:
		c.State, c.Message = Missing, fmt.Sprintf("%s is older than %s", c.Version, least)
	default:
		c.State, c.Message = Missing, fmt.Sprintf("%s is installed, and %s is needed", c.Version, wanted)
	}
	return c
}

// version runs a program once for its version, if it can be trusted: it is in a
// folder of PATH, and neither in a skill nor below the working folder, links
// resolved. A shebang line may name any file, and PATH may contain a folder of
// a project: those are never run.
func (d *Doctor) version(ctx context.Context, path string) version {
	if known, ok := d.versions[path]; ok {
		return known
	}
	v := version{unrun: d.untrusted(path)}
	if v.unrun == "" {
		v.text = d.askVersion(ctx, path)
	}
	if d.versions == nil {
		d.versions = map[string]version{}
	}
	d.versions[path] = v
	return v
}

// untrusted says why a program must not be run, "" if it may.
func (d *Doctor) untrusted(path string) string {
	if !slices.Contains(d.Runner.Folders(), filepath.Dir(path)) {
		return "it is not on PATH, so it is not run"
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "it cannot be opened"
	}
	for _, p := range []string{path, real} {
		if why := d.untrustedFolder(filepath.Dir(p)); why != "" {
			return why
		}
	}
	return ""
}

// untrustedFolder says why programs of a folder must not be run, "" if they may.
func (d *Doctor) untrustedFolder(dir string) string {
	work, _ := os.Stat(d.Runner.Dir)
	for {
		if info, err := os.Stat(dir); err == nil && work != nil && os.SameFile(info, work) {
			return "it is below the working folder, so it is not run"
		}
		for _, name := range []string{"SKILL.md", "skill.md"} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return "it is part of a skill, so it is not run"
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// askVersion runs a program for its version and returns the first number that it
// prints: "3.11.2"; "" for most programs, of which few are known to do nothing
// else. It runs in the root folder, where no project's files can influence it. If
// it is a script itself, its interpreter comes from trusted folders only.
func (d *Doctor) askVersion(ctx context.Context, program string) string {
	arguments := versionArguments(strings.TrimSuffix(strings.ToLower(filepath.Base(program)), ".exe"))
	if arguments == nil {
		return ""
	}
	folders := slices.DeleteFunc(d.Runner.Folders(), func(dir string) bool {
		real, err := filepath.EvalSymlinks(dir)
		return err != nil || d.untrustedFolder(dir) != "" || d.untrustedFolder(real) != ""
	})
	r := &script.Runner{
		Dir:     filepath.VolumeName(program) + string(filepath.Separator),
		Env:     append(slices.Clone(d.Runner.Env), "PATH="+strings.Join(folders, string(os.PathListSeparator))),
		Timeout: versionTime,
	}
	// Go would fetch another version of itself.
	result, err := r.Ask(ctx, append([]string{program}, arguments...), nil, "GOTOOLCHAIN=local")
	if err != nil || result.TimedOut || result.Interrupted {
		return ""
	}
	return regexp.MustCompile(`\d+(\.\d+)+`).FindString(result.Stdout + "\n" + result.Stderr) // Java prints it there
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
