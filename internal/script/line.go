package script

// A command line of a model runs in a shell, in the sandbox that a script of the same skill
// would get. Every line has a shell of its own, so that nothing is left running. What a
// file tool of this program may read and write is the same policy, see [Workspace.Access].

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"skills/internal/script/sandbox"
)

// Line is a command line for a shell.
type Line struct {
	Text    string        // as bash, or without it sh, reads it
	Skill   string        // folder of the skill where it starts, absolute; "" for the working folder
	Folders []string      // folders of other skills that it may read, absolute
	Timeout time.Duration // 0 for that of scripts
	// Unsandboxed is true if the user agreed to run it without a sandbox if none works.
	Unsandboxed bool
	History     bool      // it may write the history of Git repositories in the working folder
	Output      io.Writer // receives the whole output; may be nil. It must be safe for concurrent use.
}

// Workspace is a runner for tools that work where its scripts do. It is safe for concurrent
// use like the runner.
type Workspace struct{ *Runner }

// shells are the programs that run a line, best first.
func shells() []string { return []string{"bash", "sh"} }

// shell returns the path of the program that runs a line, or an [ErrInterpreter].
func (w Workspace) shell() (string, error) {
	for _, name := range shells() {
		path, ok := w.Find(name)
		if ok {
			return path, nil
		}
	}
	return "", missing("a command", "install bash", shells()...)
}

// RunLine runs a command line and waits for its end, like Run. It works in r.Dir, or in the
// folder of its skill, which stays read-only.
func (w Workspace) RunLine(ctx context.Context, line Line) (Result, error) {
	err := checkArguments([]string{line.Text})
	if err != nil {
		return Result{}, err
	}
	shell, err := w.shell()
	if err != nil {
		return Result{}, err
	}
	text := line.Text
	if line.Skill != "" {
		text = `cd -- "$SKILL_DIR" || exit; ` + text
	}
	words := commandWords(line.Text)
	return w.runSandboxed(ctx, Script{Name: "the command", Dir: line.Skill, Unsandboxed: line.Unsandboxed, History: line.History, line: &line}, []string{shell, "-c", text}, words)
}

// commandWords returns what may be paths in a command line.
func commandWords(text string) (words []string) {
	word := ""
	for _, c := range text + " " {
		switch c {
		case ' ', '\t', '\n', '\'', '"', ';', '|', '&', '(', ')', '<', '>', '`', '=', ':', ',':
			if word != "" {
				words = append(words, word)
			}
			word = ""
		default:
			word += string(c)
		}
	}
	return words
}

// environment returns what command lines get besides the environment of scripts:
// published skills say python where there is only python3.
func (w Workspace) environment() []string {
	_, has := w.Find("python")
	_, has3 := w.Find("python3")
	if has || !has3 || w.active.work == nil {
		return nil
	}
	dir := filepath.Join(w.active.work.Dir, binName)
	path, _ := sandbox.Lookup(w.Env, "PATH")
	return []string{"PATH=" + path + string(filepath.ListSeparator) + dir}
}

// granted returns what the user granted, and what is protected.
func (w Workspace) granted(ctx context.Context) (sandbox.Config, error) {
	g := &w.active.granting
	g.once.Do(func() {
		g.config, g.err = w.resolveGranted()
		if g.err == nil && w.MoreProtect != nil {
			g.config.Protect = slices.Concat(w.Protect, w.MoreProtect(ctx))
		}
	})
	return g.config, g.err
}

// existingFolder returns a list of one folder, or of none for "".
func existingFolder(dir string) []string {
	if dir == "" {
		return nil
	}
	return []string{dir}
}

// binName is the folder in the work folder with the names that command lines expect.
const binName = "bin"

// addIdentity writes a file with the name and the address of the user's settings of Git, as
// the only global settings of command lines and scripts. It returns its path, "" for none.
func (w Workspace) addIdentity() (string, error) {
	text := sandbox.GitIdentity(homesOf(w.Env))
	if text == "" {
		return "", nil
	}
	path := filepath.Join(w.active.work.Dir, identityName)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// identityName is the file in the work folder with the user's name for commits.
const identityName = "gitconfig"

// addNames makes the folder of environment, which no script can change.
func (w Workspace) addNames() (string, error) {
	python, ok := w.Find("python3")
	if _, has := w.Find("python"); has || !ok {
		return "", nil
	}
	dir := filepath.Join(w.active.work.Dir, binName)
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		err = os.Symlink(python, filepath.Join(dir, "python"))
	}
	return dir, err
}

// Access returns the policy of a command line in the working folder, for tools of this
// program that read and write files in its place: they may do what the line may. folders are
// those of skills. The policy is enforced by the caller, also where there is no sandbox.
func (w Workspace) Access(ctx context.Context, folders []string) (sandbox.Policy, error) {
	w.active.mu.Lock()
	config := w.active.config
	w.active.mu.Unlock()
	if config.Dir == "" { // no sandbox was needed yet
		granted, err := w.granted(ctx)
		if errors.Is(err, sandbox.ErrTooWide) { // also with --sandbox off, because files are protected without one
			return sandbox.Policy{}, newError(ErrPolicy, "change to the folder of a project", "no files can be used here: %v", err)
		}
		if err != nil {
			return sandbox.Policy{}, refusePolicy(err)
		}
		config = granted
	}
	config.Skills = folders
	p, err := sandbox.New(config)
	if err != nil {
		return p, refusePolicy(err)
	}
	return p, nil
}

// TmpFolder returns the folder that programs in the sandbox see as /tmp; "" if that is the
// system's, or before the first of them.
func (w Workspace) TmpFolder() string {
	dir, _ := w.active.shared.Load().(string)
	return dir
}
