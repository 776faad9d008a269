package doctor

// A program's version is asked only where a skill requires one, because that runs the
// program: in the root folder, with a time limit, and only a program on PATH that is
// neither in a skill nor in the user's project.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"skills/internal/lazyregexp"
	"skills/internal/script"
)

const versionTime = 5 * time.Second

// checkVersion checks a version; the program is run only if a version is
// required.
func (d *Doctor) checkVersion(ctx context.Context, c Check, wanted specifier) Check {
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

// untrusted returns why a program must not be run for its version, or "". A
// trusted program is in a folder of PATH, and with links resolved neither in a
// skill nor below the working directory. A shebang may name any file, and PATH
// may contain a project's folder.
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
// it prints, such as "3.11.2". It returns "" for programs that are not known to
// support this without side effects. The program runs in the root folder,
// outside of any project. If it is a script itself, its interpreter must be in
// a trusted folder.
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
	// Go would download another version of itself.
	result, err := r.Ask(ctx, append([]string{program}, arguments...), nil, "GOTOOLCHAIN=local")
	if d.versions == nil {
		d.versions = map[string]string{}
	}
	if err == nil && !result.TimedOut && !result.Interrupted {
		d.versions[program] = printed().FindString(result.Stdout + "\n" + result.Stderr) // Java prints it there
	}
	return d.versions[program]
}

// printed matches a version in the output of a program.
var printed = lazyregexp.New(`\d+(\.\d+)+`)

// versionArguments returns the arguments that make a program print its version
// without side effects.
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

// specifier is a set of versions: those that all its clauses allow.
type specifier []clause

// clause is one bound; any is true if it ends in ".*".
type clause struct {
	op, version string
	any         bool
}

// clauseForm matches a clause of PEP 440; versions printed by programs have no
// pre- or post-releases.
var clauseForm = lazyregexp.New(`(?i)^(~=|===|==|!=|<=|>=|<|>)\s*v?(\d+(?:\.\d+)*)(?:[-_.]?(?:alpha|beta|preview|pre|post|rev|dev|rc|a|b|c|r)[-_.]?\d*)*(\.\*)?$`)

// parseSpecifier parses clauses separated by commas, such as ">=3.9, <4". The
// empty text allows every version; ok is false if the text is invalid.
func parseSpecifier(text string) (s specifier, ok bool) {
	for one := range strings.SplitSeq(text, ",") {
		one = strings.TrimSpace(one)
		if one == "" {
			continue
		}
		found := clauseForm().FindStringSubmatch(one)
		if found == nil {
			return nil, false
		}
		c := clause{found[1], found[2], found[3] != ""}
		isEquality := c.op == "==" || c.op == "!="
		if c.any && !isEquality {
			return nil, false
		}
		if c.op == "~=" && !strings.Contains(c.version, ".") {
			return nil, false
		}
		s = append(s, c)
	}
	return s, true
}

// Allows reports whether the specifier includes a version.
func (s specifier) Allows(version string) bool {
	return !slices.ContainsFunc(s, func(c clause) bool { return !c.allows(version) })
}

func (c clause) allows(version string) bool {
	parts := strings.Split(version, ".")
	if n := strings.Count(c.version, ".") + 1; c.any && n < len(parts) {
		version = strings.Join(parts[:n], ".")
	}
	order := compare(version, c.version)
	switch c.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case "!=":
		return order != 0
	case "==", "===":
		return order == 0
	case "~=": // all components except the last must match
		same := c.version[:strings.LastIndexByte(c.version, '.')]
		return order >= 0 && clause{"==", same, true}.allows(version)
	}
	return order >= 0
}

// least returns the version of a specifier that is only a lower bound.
func (s specifier) least() (version string, ok bool) {
	if len(s) != 1 || s[0].op != ">=" {
		return "", false
	}
	return s[0].version, true
}

// String returns the clauses, or only the version for a single lower bound.
func (s specifier) String() string {
	if version, ok := s.least(); ok {
		return version
	}
	var out []string
	for _, c := range s {
		text := c.op + c.version
		if c.any {
			text += ".*"
		}
		out = append(out, text)
	}
	return strings.Join(out, ",")
}

// compare orders two versions. Missing components count as 0.
func compare(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

// numbers returns a version's components without trailing zeros.
func numbers(version string) (list []int) {
	for field := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(field) // only digits; the maximum on overflow
		list = append(list, n)
	}
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return list
}
