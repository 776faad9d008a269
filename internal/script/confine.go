package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Confinement is what stands around the scripts of a runner.
type Confinement struct {
	Name string // "bubblewrap", "landlock", "seatbelt" or "none"
	// Gaps says what of the policy is not enforced here, in words; with none,
	// why there is no confinement.
	Gaps []string
	// Tried says why each stronger kind was not taken.
	Tried []string
}

// confined is a confinement that was chosen.
type confined struct {
	fence  fence
	policy policy
	clean  func() // removes what was made for it
	told   Confinement
}

// choice is the confinement of a runner: chosen once, at the first question,
// and never changed afterwards, so that no script falls out of it.
type choice struct {
	once sync.Once
	confined
	err error
}

// probeTime is the longest that trying a fence may take.
const probeTime = 20 * time.Second

// Confinement says what stands around scripts. The first call tries what there
// is: by running a part of our own program behind each fence, the strongest
// first, which looks whether secrets, files and the network are closed to it.
func (r *Runner) Confinement(ctx context.Context) (Confinement, error) {
	c, err := r.confine(ctx)
	return c.told, err
}

// Close removes the temporary folder of the scripts. No script is run
// afterwards.
func (r *Runner) Close() error {
	r.choice.once.Do(func() { r.choice.err = errors.New("choosing the confinement: the runner is closed") })
	if r.choice.clean != nil {
		r.choice.clean()
	}
	return nil
}

// confine chooses the confinement for the runner's mode.
func (r *Runner) confine(ctx context.Context) (confined, error) {
	r.choice.once.Do(func() { r.choice.confined, r.choice.err = r.choose(ctx) })
	return r.choice.confined, r.choice.err
}

func (r *Runner) choose(ctx context.Context) (confined, error) {
	open := confined{fence: unfenced{r.Self}, policy: policy{dir: r.Dir}, told: Confinement{Name: nameNone}}
	switch r.Sandbox {
	case SandboxOff:
		open.told.Gaps = []string{"nothing is confined: --sandbox off"}
		return open, nil
	case SandboxAuto, SandboxRequire, "":
	default:
		return confined{}, fmt.Errorf("choosing the confinement: unknown mode %q (auto, require or off)", r.Sandbox)
	}
	for _, dir := range r.AllowWrite {
		if err := r.CheckWrite(dir); err != nil {
			return confined{}, err // an opening never opens everything
		}
	}
	got, tried := r.strongest(ctx)
	if got.fence != nil {
		got.told = Confinement{Name: got.fence.name(), Gaps: append(got.fence.gaps(got.policy), got.policy.unknown...), Tried: tried}
		return got, nil
	}
	open.told.Gaps, open.told.Tried = tried, tried
	if r.Sandbox != SandboxRequire {
		return open, nil
	}
	return confined{}, &refusal{
		reason: ErrUnconfined,
		text:   fmt.Sprintf("%s, and confinement is required (%s)", ErrUnconfined, strings.Join(tried, "; ")),
		hint:   "allow it to run unconfined with --sandbox off, if you trust the skill",
	}
}

// strongest is the strongest fence that holds the policy, and why no stronger
// one does.
func (r *Runner) strongest(ctx context.Context) (got confined, tried []string) {
	fences := r.fences()
	if len(fences) == 0 {
		return got, []string{"there is no confinement for this system"}
	}
	p, clean, err := r.policy()
	if err != nil {
		return got, []string{err.Error()}
	}
	for _, f := range fences {
		err := f.suits(p)
		if err == nil {
			err = r.probe(ctx, f, p)
		}
		if err == nil {
			return confined{fence: f, policy: p, clean: clean}, tried
		}
		tried = append(tried, f.name()+": "+err.Error())
	}
	clean()
	return got, tried
}

// probe tries whether a fence holds a policy, with everything as it is for a
// script: a part of our own program takes the script's place.
func (r *Runner) probe(ctx context.Context, f fence, p policy) error {
	program, err := selfPath(r.Self)
	if err != nil {
		return fmt.Errorf("finding our own program: %w", err)
	}
	l, err := f.launch(append([]string{program, probeWord}, probeArguments(p, f.open(p))...), p, r.confinedEnvironment(p, p.dir))
	if err != nil {
		return err
	}
	process, err := start(l, DefaultOutputCap, nil)
	if err != nil {
		return err
	}
	why := process.supervise(ctx, probeTime)
	process.drain()
	said, _ := process.stdout.finish()
	trouble, _ := process.stderr.finish()
	end := process.outcome()
	switch {
	case why == interrupted:
		return context.Cause(ctx)
	case why == timedOut:
		return errors.New("trying it took too long")
	case end.err != nil:
		return end.err
	case end.code == 0 && said == probePassed:
		return nil
	}
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(trouble), "\n"), func(line string) bool { return line == "" })
	if len(lines) == 0 {
		return fmt.Errorf("trying it ended with code %d", end.code)
	}
	return errors.New(lines[0])
}
