package script

// The sandbox of a runner is chosen once, before the first script: the strongest one that
// passes a test, in which a part of this program tries to escape.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"skills/internal/script/sandbox"
	"skills/internal/script/supervisor"
)

const probeTime = 20 * time.Second

var errProbeTime = errors.New("the sandbox check timed out")

// limits returns the limits of a sandboxed script.
func limits() supervisor.Limits {
	return supervisor.Limits{Processes: 256, Memory: 4 << 30, Data: 4 << 30, File: sandbox.MaxFile, Open: 1024}
}

// notEnforcedOff describes what a run without a sandbox does not enforce.
const notEnforcedOff = "nothing is enforced: --sandbox off"

// activeSandbox is the sandbox of a runner. It is determined when the first
// script is about to start, and not changed afterwards.
type activeSandbox struct {
	once    sync.Once
	backend sandbox.Backend
	status  sandbox.Status
	err     error
	work    *TempFolder
	limits  supervisor.Limits
	// identity is a file with settings of Git; "" for none.
	identity string
	self     string       // this program, as other processes can find it
	temp     atomic.Value // config.Temp, which other goroutines read
	shared   atomic.Value // the same, if it is /tmp in the sandbox

	probeTime time.Duration // replaces the time limit of the test in tests

	granting struct {
		once   sync.Once
		config sandbox.Config // without a temporary folder
		err    error
	}

	mu     sync.Mutex
	config sandbox.Config // shared by the policies of all scripts; AllowRead and Known may grow
}

// ExpectedSandbox returns the sandbox that scripts will probably get, without
// testing it.
func (r *Runner) ExpectedSandbox() sandbox.Status {
	none := sandbox.Status{Name: sandbox.None, NotEnforced: []string{notEnforcedOff}}
	if r.Sandbox == SandboxOff {
		return none
	}
	if _, err := sandbox.CheckWrite("the working folder", r.Dir, homesOf(r.Env)); err != nil {
		none.NotEnforced = []string{err.Error()}
		return none
	}
	found, missing := prober{r}.candidates()
	if len(found) == 0 {
		return sandbox.Status{Name: sandbox.None, NotEnforced: missing, Tried: missing}
	}
	return sandbox.Status{Name: found[0].Name, NotEnforced: found[0].NotEnforced(sandbox.Policy{}), Tried: missing}
}

// prober finds the strongest sandbox that works.
type prober struct{ *Runner }

func (p prober) candidates() ([]sandbox.Backend, []string) {
	if p.Self == "" {
		return nil, []string{"this program cannot be started again to supervise scripts"}
	}
	return sandbox.Candidates(p.Folders(), p.Untrusted())
}

// Untrusted returns the folders from which no program is started.
func (r *Runner) Untrusted() (untrusted []string) {
	for _, dir := range slices.Concat([]string{r.Dir}, r.AllowWrite, r.Protect) {
		untrusted = append(untrusted, dir, sandbox.Real(dir))
	}
	return untrusted
}

// Trusted reports whether neither a script nor a skill can have created a
// program at this path.
func (r *Runner) Trusted(path string) bool {
	_, ok := sandbox.Trusted(path, r.Untrusted())
	return ok
}

// TrySandbox returns the sandbox of scripts. The first call tests the installed
// ones, strongest first. The error is [ErrPolicy], or [ErrNoSandbox] if a
// sandbox is required; without an error the name may still be [sandbox.None].
func (r *Runner) TrySandbox(ctx context.Context) (sandbox.Status, error) {
	a := &r.active
	a.once.Do(func() { a.status, a.err = prober{r}.choose(ctx) })
	return a.status, a.err
}

// Temp returns the temporary folder of the scripts, "" before the first sandboxed one.
func (r *Runner) Temp() string {
	temp, _ := r.active.temp.Load().(string)
	return temp
}

// Close removes the temporary folder of the scripts, and those left by killed
// runs. No script can be run afterwards.
func (r *Runner) Close() error {
	a := &r.active
	a.once.Do(func() { a.err = errors.New("the runner is closed") })
	if a.work != nil {
		a.work.Remove()
	}
	for _, parent := range (workFolders{r}).parents() {
		RemoveStale(parent, workPrefix)
	}
	return nil
}

func (p prober) choose(ctx context.Context) (sandbox.Status, error) {
	none := sandbox.Status{Name: sandbox.None}
	switch p.Sandbox {
	case SandboxOff:
		none.NotEnforced = []string{notEnforcedOff}
		return none, nil
	case SandboxAuto, SandboxRequire, "":
	default:
		return none, fmt.Errorf("unknown sandbox mode %q (auto, require or off)", p.Sandbox)
	}
	candidates, tried := p.candidates()
	if len(candidates) > 0 {
		policy, err := p.policy(ctx)
		if err != nil {
			return none, refusePolicy(err)
		}
		neutral, err := p.neutral()
		if err != nil {
			return none, refusePolicy(err)
		}
		for _, b := range candidates {
			b, err := p.try(ctx, b, neutral)
			if err == nil {
				p.active.backend = b
				if p.Lines && b.Name == sandbox.Bubblewrap {
					p.active.shared.Store(p.Temp())
				}
				return sandbox.Status{Name: b.Name, NotEnforced: b.NotEnforced(policy), Tried: tried}, nil
			}
			if ctx.Err() != nil {
				return none, context.Cause(ctx)
			}
			// Another script could be the reason, to get a weaker sandbox.
			if _, replaced := errors.AsType[sandbox.ReplacedError](err); replaced || errors.Is(err, errProbeTime) {
				return none, refusePolicy(err)
			}
			tried = append(tried, b.Name+": "+err.Error())
		}
	}
	none.NotEnforced, none.Tried = tried, tried
	if p.Sandbox == SandboxRequire {
		return none, noSandbox(", and one is required", tried)
	}
	return none, nil
}

// noSandbox returns the error for scripts that require a sandbox.
func noSandbox(why string, tried []string) error {
	return newError(ErrNoSandbox, "install bubblewrap, or pass --sandbox off if you trust the skill", "%s%s (%s)", ErrNoSandbox, why, strings.Join(tried, "; "))
}

// refusePolicy returns the error for a policy that cannot be built.
func refusePolicy(err error) error {
	hint := "pass --sandbox off to run scripts without a sandbox"
	if link, ok := errors.AsType[*sandbox.LinkError](err); ok {
		hint = "if you trust the link, change to " + link.Real + " or name it, or " + hint
	} else if errors.Is(err, sandbox.ErrTooWide) {
		hint = "change to a project's folder, or " + hint
	}
	return newError(ErrPolicy, hint, "%s: %v", ErrPolicy, err)
}

// policy prepares what sandboxes need, and returns the policy of a script without a
// skill, for what cannot be enforced.
func (p prober) policy(ctx context.Context) (none sandbox.Policy, err error) {
	a := &p.active
	a.limits = limits()
	granted, err := Workspace{p.Runner}.granted(ctx)
	if err != nil {
		return none, err
	}
	a.work, err = workFolders{p.Runner}.create()
	if err != nil {
		return none, err
	}
	granted.Temp = filepath.Join(a.work.Dir, tempName)
	if p.Lines {
		names, err := Workspace{p.Runner}.addNames()
		if err != nil {
			return none, err
		}
		a.identity, err = Workspace{p.Runner}.addIdentity()
		if err != nil {
			return none, err
		}
		granted.AllowRead = slices.Concat(granted.AllowRead, existingFolder(names), existingFolder(a.identity))
	}
	a.mu.Lock()
	a.config = granted
	a.mu.Unlock()
	a.temp.Store(granted.Temp)
	a.self = p.Self
	if a.self == "/proc/self/exe" { // refers to another program in other processes
		a.self, err = os.Executable()
		if err != nil {
			return none, fmt.Errorf("finding this program: %w", err)
		}
	}
	config := granted
	config.Skill, config.Programs, config.AllowRead = config.Dir, []string{a.self}, append(slices.Clone(config.AllowRead), a.self)
	return sandbox.Outline(config)
}

// neutral returns a policy for the test that no script can influence, so that none can
// make the test fail and get a weaker sandbox for the next one.
func (p prober) neutral() (sandbox.Policy, error) {
	config := p.active.config
	config.Programs = []string{p.active.self}
	return sandbox.Neutral(config, filepath.Join(p.active.work.Dir, probeName))
}

// try tests a backend. A bubblewrap that cannot mount descriptors mounts paths, which are
// compared inside.
func (p prober) try(ctx context.Context, b sandbox.Backend, policy sandbox.Policy) (sandbox.Backend, error) {
	b.Descriptors = b.Name == sandbox.Bubblewrap
	err := p.probe(ctx, b, policy)
	if err != nil && b.Descriptors && strings.Contains(err.Error(), "bind-fd") { // bwrap: Unknown option --ro-bind-fd
		b.Descriptors = false
		err = p.probe(ctx, b, policy)
	}
	return b, err
}

// probe runs a part of this program in place of a script, to test a backend.
func (p prober) probe(ctx context.Context, b sandbox.Backend, policy sandbox.Policy) error {
	marker := filepath.Join(p.active.work.Dir, sandbox.MarkerName)
	words := append([]string{p.active.self}, sandbox.ProbeArguments(policy, marker)...)
	result, err := p.execute(ctx, wrap(p.Runner, b, words, policy, p.scriptEnvironment(policy, policy.Dir, nil)), cmp.Or(p.active.probeTime, probeTime), nil)
	line, _, _ := strings.Cut(strings.TrimSpace(result.Stderr), "\n")
	switch {
	case result.TimedOut:
		return errProbeTime
	case err != nil && line != "":
		return fmt.Errorf("%w: %s", err, line)
	case err != nil:
		return err
	case result.OK() && result.Stdout == sandbox.ProbePassed:
		if escaped := filepath.Join(filepath.Dir(marker), sandbox.EscapeName); os.Remove(escaped) == nil {
			return fmt.Errorf("%s could be written", escaped)
		}
		return nil
	}
	if line != "" {
		return errors.New(line)
	}
	return fmt.Errorf("the sandbox check failed with exit code %d", result.ExitCode)
}

func wrap(r *Runner, b sandbox.Backend, command []string, p sandbox.Policy, env []string) supervisor.Command {
	c := supervisor.Command{Args: b.Wrap(command, p), Dir: p.Dir, Env: env, Self: r.Self, Backend: b, Policy: p}
	if b.Name != "" {
		c.Limits = r.active.limits
	}
	return c
}
