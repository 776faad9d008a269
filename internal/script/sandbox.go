package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

// probeTime is the longest that trying a sandbox may take.
const probeTime = 20 * time.Second

// Limits of a sandboxed script.
const (
	maxProcesses = 256
	maxMemory    = 4 << 30
	maxFile      = 1 << 30
	maxOpen      = 1024
)

// confinement is the sandbox of a runner: tried once, when the first script is
// about to start, and never changed afterwards.
type confinement struct {
	once    sync.Once
	backend sandbox.Backend
	status  sandbox.Status
	err     error
	work    *workFolder
	limits  supervisor.Limits
	roots   roots
	protect []string // besides Protect

	mu        sync.Mutex
	allowRead []string // added during the run
}

// roots are the folders that the user granted, as they were when the sandbox was
// tried: a script that can write beside one must not be able to replace it.
type roots struct {
	dir         string
	read, write []string
	identity    map[string]fs.FileInfo
}

// ExpectedSandbox is the sandbox that scripts will probably get: what is
// installed, without trying it.
func (r *Runner) ExpectedSandbox() sandbox.Status {
	if r.Sandbox == SandboxOff {
		return sandbox.Status{Name: sandbox.None, NotEnforced: []string{"nothing is enforced: --sandbox off"}}
	}
	if _, err := sandbox.CheckDir(r.Dir, r.homes()); err != nil {
		return sandbox.Status{Name: sandbox.None, NotEnforced: []string{err.Error()}}
	}
	found, missing := r.candidates()
	if len(found) == 0 {
		return sandbox.Status{Name: sandbox.None, NotEnforced: missing, Tried: missing}
	}
	return sandbox.Status{Name: found[0].Name, NotEnforced: found[0].NotEnforced(sandbox.Policy{}), Tried: missing}
}

func (r *Runner) candidates() ([]sandbox.Backend, []string) {
	if r.Self == "" {
		return nil, []string{"this program cannot be started again to supervise scripts"}
	}
	untrusted := append(existing(r.Dir), r.Dir)
	for _, dir := range slices.Concat(r.AllowWrite, r.Protect) {
		untrusted = append(untrusted, append(existing(dir), dir)...)
	}
	return sandbox.Candidates(r.Folders(), untrusted)
}

// existing is the real path of a path, if there is one.
func existing(path string) []string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return []string{real}
	}
	return nil
}

// TrySandbox returns the sandbox that scripts get. The first call tries what
// there is, the strongest first: a part of this program runs in it and looks
// whether files and the network are closed to it.
//
// The error is [ErrPolicy] if no policy can be enforced here, and
// [ErrUnconfined] if a sandbox is required and none works. Without an error the
// name can still be [sandbox.None]; see [SandboxAuto].
func (r *Runner) TrySandbox(ctx context.Context) (sandbox.Status, error) {
	c := &r.confinement
	c.once.Do(func() { c.status, c.err = r.chooseSandbox(ctx) })
	return c.status, c.err
}

// Close removes the temporary folder of the scripts, and those that killed runs
// have left. No script can be run afterwards.
func (r *Runner) Close() error {
	c := &r.confinement
	c.once.Do(func() { c.err = errors.New("the runner is closed") })
	if c.work != nil {
		c.work.remove()
	}
	removeStale(r.tempParents())
	return nil
}

func (r *Runner) chooseSandbox(ctx context.Context) (sandbox.Status, error) {
	none := sandbox.Status{Name: sandbox.None}
	switch r.Sandbox {
	case SandboxOff:
		none.NotEnforced = []string{"nothing is enforced: --sandbox off"}
		return none, nil
	case SandboxAuto, SandboxRequire, "":
	default:
		return none, fmt.Errorf("unknown sandbox mode %q (auto, require or off)", r.Sandbox)
	}
	c := &r.confinement
	c.limits = supervisor.Limits{Processes: maxProcesses, Memory: maxMemory, Data: maxMemory, File: maxFile, Open: maxOpen}
	candidates, tried := r.candidates()
	if len(candidates) > 0 {
		if r.MoreProtect != nil {
			c.protect = r.MoreProtect(ctx)
		}
		p, marker, err := r.probePolicy()
		if err != nil {
			return none, refusePolicy(err)
		}
		for _, b := range candidates {
			err := r.probe(ctx, b, p, marker)
			if err == nil {
				c.backend = b
				return sandbox.Status{Name: b.Name, NotEnforced: b.NotEnforced(p), Tried: tried}, nil
			}
			if ctx.Err() != nil {
				return none, context.Cause(ctx)
			}
			tried = append(tried, b.Name+": "+err.Error())
		}
	}
	none.NotEnforced, none.Tried = tried, tried
	if r.Sandbox != SandboxRequire {
		return none, nil
	}
	return none, &refusal{
		reason: ErrUnconfined,
		text:   fmt.Sprintf("%s, and --sandbox require needs one (%s)", ErrUnconfined, strings.Join(tried, "; ")),
		hint:   "install bubblewrap, or pass --sandbox off if you trust the skill",
	}
}

// refusePolicy is the error for a policy that cannot be built.
func refusePolicy(err error) error {
	hint := "pass --sandbox off to run scripts without a sandbox"
	if errors.Is(err, sandbox.ErrTooWide) {
		hint = "change to a project's folder, or pass --sandbox off to run scripts without a sandbox"
	}
	return &refusal{reason: ErrPolicy, text: fmt.Sprintf("%s: %v", ErrPolicy, err), hint: hint}
}

// CheckWrite says why a folder cannot be one of [Runner.AllowWrite]: it is
// missing, or wraps [sandbox.ErrTooWide].
func (r *Runner) CheckWrite(dir string) error {
	_, err := sandbox.CheckWrite(dir, r.homes())
	return err
}

// AllowReading lets scripts read one more path from now on, because the user
// said so. It must be absolute.
func (r *Runner) AllowReading(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	c := &r.confinement
	c.mu.Lock()
	defer c.mu.Unlock()
	c.allowRead = append(c.allowRead, real)
	return nil
}

// homes are the home folders of the user: what HOME says, and what the system
// says.
func (r *Runner) homes() []string {
	home, _ := sandbox.Lookup(r.Env, "HOME")
	if home == "" {
		home, _ = sandbox.Lookup(r.Env, "USERPROFILE")
	}
	var homes []string
	for _, dir := range []string{home, userHome()} {
		if filepath.IsAbs(dir) && filepath.Dir(dir) != dir && !slices.Contains(homes, dir) {
			homes = append(homes, dir)
		}
	}
	return homes
}

// resolveRoots resolves the granted folders once.
func (r *Runner) resolveRoots() (got roots, err error) {
	if _, err := sandbox.CheckDir(r.Dir, r.homes()); err != nil {
		return got, err
	}
	got.identity = map[string]fs.FileInfo{}
	resolve := func(path string) (string, error) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return "", err
		}
		info, err := os.Stat(real)
		got.identity[real] = info
		return real, err
	}
	if got.dir, err = resolve(r.Dir); err != nil {
		return got, err
	}
	for _, list := range []struct {
		to   *[]string
		from []string
	}{{&got.read, r.AllowRead}, {&got.write, r.AllowWrite}} {
		for _, path := range list.from {
			real, err := resolve(path)
			if err != nil {
				return got, err
			}
			*list.to = append(*list.to, real)
		}
	}
	return got, nil
}

// check fails if one of the folders is another one by now.
func (r roots) check() error {
	for path, before := range r.identity {
		if now, err := os.Lstat(path); err != nil || !os.SameFile(before, now) {
			return fmt.Errorf("%s was replaced during the run", path)
		}
	}
	return nil
}

// config is what the policies of this runner's scripts have in common.
func (r *Runner) config() sandbox.Config {
	c := &r.confinement
	c.mu.Lock()
	defer c.mu.Unlock()
	return sandbox.Config{
		Dir: c.roots.dir, Given: r.Dir, Temp: c.work.temp(), Env: r.Env, Homes: r.homes(),
		AllowRead: slices.Concat(c.roots.read, c.allowRead), AllowWrite: c.roots.write,
		Protect: slices.Concat(r.Protect, c.protect), Private: r.Private, Net: r.AllowNet, MemFile: maxFile,
	}
}

// probePolicy prepares what sandboxes need, and is the policy that is tried.
func (r *Runner) probePolicy() (p sandbox.Policy, marker string, err error) {
	c := &r.confinement
	if c.roots, err = r.resolveRoots(); err != nil {
		return p, "", err
	}
	if c.work, err = r.newWorkFolder(c.roots.write); err != nil {
		return p, "", err
	}
	program, err := r.self()
	if err != nil {
		return p, "", fmt.Errorf("finding this program: %w", err)
	}
	config := r.config()
	config.Skill, config.Programs = config.Dir, []string{program}
	p, err = sandbox.New(config)
	return p, c.work.marker(), err
}

// self is the path of our own program as others can find it.
func (r *Runner) self() (string, error) {
	if r.Self == "/proc/self/exe" {
		return os.Executable()
	}
	return r.Self, nil
}

// probe tries whether a backend enforces a policy: a part of this program takes
// the place of a script.
func (r *Runner) probe(ctx context.Context, b sandbox.Backend, p sandbox.Policy, marker string) error {
	program, err := r.self()
	if err != nil {
		return err
	}
	words := append([]string{program}, sandbox.ProbeArguments(p, marker)...)
	stdout, stderr := newCapture(DefaultOutputCap, nil), newCapture(DefaultOutputCap, nil)
	why, end, err := r.launch(ctx, b, words, p, r.sandboxEnvironment(p, p.Dir, nil), stdout, stderr, probeTime)
	if err != nil {
		return err
	}
	said, _ := stdout.finish()
	trouble, _ := stderr.finish()
	switch {
	case why == supervisor.Interrupted:
		return context.Cause(ctx)
	case why == supervisor.TimedOut:
		return errors.New("trying it took too long")
	case end.Err != nil:
		return end.Err
	case end.Code == 0 && said == sandbox.ProbePassed:
		if escaped := filepath.Join(filepath.Dir(marker), sandbox.EscapeName); os.Remove(escaped) == nil {
			return fmt.Errorf("%s could be written", escaped)
		}
		return nil
	}
	for line := range strings.Lines(trouble) {
		if line = strings.TrimSpace(line); line != "" {
			return errors.New(line)
		}
	}
	return fmt.Errorf("trying it ended with code %d", end.Code)
}

// launch starts a command in a sandbox and waits for its end.
func (r *Runner) launch(ctx context.Context, b sandbox.Backend, command []string, p sandbox.Policy, env []string, stdout, stderr *capture, limit time.Duration) (supervisor.Ending, supervisor.Outcome, error) {
	words, setup := b.Wrap(command, p)
	c := supervisor.Command{Args: words, Dir: p.Dir, Env: env, Self: r.Self, Setup: setup}
	if b.Name != "" {
		c.Limits = r.confinement.limits
	}
	// The kernel ends a script without a supervisor when the thread that started
	// it goes away (Pdeathsig); the runtime never ends a thread that a goroutine
	// holds.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	process, err := supervisor.Start(c, stdout, stderr)
	if err != nil {
		return 0, supervisor.Outcome{}, err
	}
	why, end := process.Wait(ctx, limit)
	return why, end, nil
}

// policyFor is the policy for one script.
func (r *Runner) policyFor(s Script, command []string) (sandbox.Policy, []cache, error) {
	c := &r.confinement
	if c.backend.Name == "" { // nothing is enforced
		return sandbox.Policy{Dir: r.Dir}, nil, nil
	}
	if err := c.roots.check(); err != nil {
		return sandbox.Policy{}, nil, refusePolicy(err)
	}
	config := r.config()
	config.Skill, config.Script = s.Dir, filepath.Join(s.Dir, filepath.FromSlash(s.Name))
	config.Programs = []string{command[0], r.Interpreter(command)}
	caches, kept, err := r.caches(s, config.Temp, command)
	if err != nil {
		return sandbox.Policy{}, nil, refusePolicy(err)
	}
	if kept != "" {
		config.Caches = []string{kept}
	}
	p, err := sandbox.New(config)
	if err != nil {
		return p, nil, refusePolicy(err)
	}
	return p, caches, nil
}
