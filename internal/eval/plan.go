package eval

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"skills/internal/builtin"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/lint/git"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/safefile"
	"skills/internal/script/sandbox"
)

// protocol is part of every key: it is increased when equal runs would differ.
const protocol = 1

// arm is one side of a comparison.
type arm struct {
	configuration string
	kind          string // suite.With or suite.Without
	skill         *tree  // nil for none
	with          []tree // further skills
	source        loader.Source
}

// plan decides on arms, folder and runs of a skill.
func (e *Eval) plan(ctx context.Context, b *bench) error {
	for _, step := range []func(context.Context, *bench) error{e.planArms, e.planFolder, e.planRuns} {
		if err := step(ctx, b); err != nil {
			return err
		}
	}
	scripts := func(f treeFile) bool { return strings.HasPrefix(f.name, "scripts/") }
	if s := b.arms[0].skill; s != nil && slices.ContainsFunc(s.files, scripts) && e.o.Run.Approve == "never" && len(e.o.Run.AllowScripts) == 0 && e.o.Stored == "" {
		e.o.Note("the scripts of " + b.suite.Skill + " are not run; pass --allow-script " + runner.ShellWord(b.suite.Skill+"/*") + " to allow it")
	}
	for _, c := range b.suite.Cases {
		if name := b.suite.Skill; strings.Contains(strings.ToLower(c.Prompt), strings.ToLower(name)) {
			e.env.Warn(fmt.Sprintf("case %s: the prompt names the skill %s: it does not show whether the skill triggers, and tells the other arm what is missing", c.ID, name))
		}
	}
	return nil
}

// baseline splits the value of --baseline.
func baseline(value string) (kind, rest string) {
	if kind, rest, ok := strings.Cut(value, ":"); ok {
		return kind + ":", rest
	}
	return value, ""
}

func (e *Eval) planArms(ctx context.Context, b *bench) error {
	skill, err := readTree(b.suite.Dir)
	if err != nil {
		return err
	}
	with, other := &arm{configuration: store.WithSkill, kind: suite.With, skill: &skill}, &arm{configuration: store.WithoutSkill, kind: suite.Without}
	b.arms = []*arm{with, other}
	switch kind, rest := baseline(e.o.Baseline); kind {
	case "none":
		b.arms = b.arms[:1]
	case "dir:":
		dirs := []string{rest}
		if !filepath.IsAbs(rest) {
			dirs[0] = filepath.Join(e.env.Dir, rest)
		}
		found, err := find(ctx, dirs)
		if err != nil || len(found) != 1 {
			return runner.Refuse("name the folder of one skill", "--baseline %s is not a skill", e.o.Baseline)
		}
		old, err := readTree(found[0])
		if err != nil {
			return err
		}
		other.skill, other.configuration = &old, store.OldSkill
	case "ref:":
		archive, err := git.Client{Env: e.env.Environ}.Archive(ctx, b.suite.Dir, rest)
		if err != nil {
			return runner.Hinted(fmt.Errorf("--baseline: %w", err))
		}
		old, err := untar(skill.name, archive)
		if err != nil {
			return err
		}
		other.skill, other.configuration = &old, store.OldSkill
	}
	siblings, err := find(ctx, e.o.With)
	if err != nil {
		return err
	}
	for _, dir := range siblings {
		if dir != b.suite.Dir && filepath.Base(dir) != skill.name {
			t, err := readTree(dir)
			if err != nil {
				return err
			}
			with.with = append(with.with, t)
		}
	}
	other.with = with.with
	b.secrets(with.with)
	if e.o.Demo { // the skill is not in files
		converter, err := builtin.UnitConverter()
		with.skill, with.source, other.source = nil, loader.Memory(converter), loader.Memory()
		return err
	}
	return nil
}

// planFolder selects the iteration: the last one if it is unfinished or played back, else
// a new one.
func (e *Eval) planFolder(_ context.Context, b *bench) error {
	workspace := b.suite.Dir + "-workspace"
	if e.o.Workspace != "" {
		if workspace = e.o.Workspace; len(e.benches) > 1 {
			workspace = filepath.Join(workspace, b.suite.Skill)
		}
	}
	if sandbox.Within(workspace, b.suite.Dir) {
		return runner.Refuse("name a folder outside the skill", "--workspace %s is inside the skill %s", workspace, b.suite.Skill)
	}
	last := iterations(workspace)
	_, err := os.Stat(filepath.Join(iteration(workspace, last), store.BenchmarkFile))
	if !e.o.Offline && (last == 0 || err == nil) {
		last++
	}
	switch b.dir = iteration(workspace, last); {
	case e.o.Stored != "":
		b.dir = e.o.Stored
	case last == 0:
		return runner.Refuse("run it once with a server, and keep the workspace", "--offline: no iteration in %s", workspace)
	}
	for n := last - 1; n > 0 && !e.o.NoCache; n-- {
		b.earlier = append(b.earlier, iteration(workspace, n))
	}
	b.meta = store.Meta{Model: e.server.Model, BaseURL: runner.PublicURL(e.server.BaseURL), Timestamp: time.Now().UTC().Format(time.RFC3339)}
	return nil
}

func iteration(workspace string, n int) string {
	return filepath.Join(workspace, "iteration-"+strconv.Itoa(n))
}

// iterations returns the number of the last iteration in a workspace, 0 without any.
func iterations(workspace string) (n int) {
	for {
		if _, err := os.Stat(iteration(workspace, n+1)); err != nil {
			return n
		}
		n++
	}
}

// planRuns lists the runs so that the arms alternate, and that a budget leaves all cases
// with the same number of runs. A case that a played iteration lacks is one run, which
// fails.
func (e *Eval) planRuns(_ context.Context, b *bench) (err error) {
	stored := map[string]store.Run{}
	if e.o.Offline || e.o.Stored != "" {
		runs, meta, err := store.Read(b.dir)
		if err != nil {
			return err
		}
		b.meta, b.meta.Notes, b.meta.Runs = meta, nil, 0
		for _, r := range runs {
			stored[filepath.FromSlash(r.Slug+"/"+r.Configuration+"/run-"+strconv.Itoa(r.Number))] = r
		}
	}
	rel, err := filepath.Rel(b.dir, b.suite.Dir)
	b.meta.Skill, b.meta.SkillPath = b.suite.Skill, filepath.ToSlash(rel)
	for number, before := 1, -1; before < len(b.runs) && err == nil; number++ {
		before = len(b.runs)
		for i := range b.suite.Cases {
			c := &b.suite.Cases[i]
			arms := slices.Clone(b.arms)
			if (i+number)%2 == 0 {
				slices.Reverse(arms)
			}
			for _, a := range arms {
				r := &run{c: c, arm: a, number: number, dir: filepath.Join(c.Slug, a.configuration, "run-"+strconv.Itoa(number))}
				old, ok := stored[r.dir]
				wanted := ok || number == 1 && e.o.Stored == ""
				if r.out = old; len(stored) == 0 {
					wanted = number <= e.count(c)
				}
				if !wanted || len(a.checks(c)) == 0 {
					continue
				}
				if len(stored) > 0 {
					r.stored = filepath.Join(b.dir, r.dir)
				} else if r.key, err = e.key(r); err != nil {
					return err
				} else {
					r.stored = b.find(r)
				}
				b.runs, b.meta.Runs = append(b.runs, r), number
			}
		}
	}
	return err
}

// count returns the number of runs of a case in an arm.
func (e *Eval) count(c *suite.Case) int {
	switch {
	case e.o.Adaptive:
		return adaptive
	case e.o.Runs > 0:
		return e.o.Runs
	case c.Runs > 0:
		return c.Runs
	}
	return DefaultRuns
}

// checks returns the assertions of a case that hold for the arm.
func (a *arm) checks(c *suite.Case) []suite.Check {
	return slices.DeleteFunc(slices.Clone(c.Checks), func(check suite.Check) bool { return check.Arm == suite.With && a.kind != suite.With })
}

// find returns the folder of a complete run with the same key, or "".
func (b *bench) find(r *run) string {
	for _, dir := range append([]string{b.dir}, b.earlier...) {
		dir = filepath.Join(dir, r.dir)
		if rec, err := readRecord(dir); err == nil && rec.Key == r.key {
			return dir
		}
	}
	return ""
}

// key returns the digest of everything that a run depends on.
func (e *Eval) key(r *run) (string, error) {
	o, inputs, digests := e.o.Run, map[string]string{}, []string{}
	for _, f := range r.c.Files {
		data, err := safefile.ReadRegular(f.Source, maxFile)
		if err != nil {
			return "", runner.Refuse("correct the path in "+r.c.Path, "case %s: input %s: %w", r.c.ID, f.Path, err)
		}
		inputs[f.Path] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	for _, t := range r.arm.trees() {
		digests = append(digests, t.digest())
	}
	text := printable.JSONText([]any{
		protocol, r.number, digests, r.c.Prompt, r.c.System, inputs, r.c.MaxTurns, e.model(r.c), e.server.BaseURL,
		o.Params, o.MaxTurns, o.MaxToolCalls, o.MaxRepeats, o.Yes, o.AllowScripts, o.Sandbox, o.AllowNet, o.AllowRead, o.AllowWrite, o.PassEnv, o.Hooks,
	})
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text))), nil
}

// trees returns the skills of the arm.
func (a *arm) trees() []tree {
	if a.skill == nil {
		return a.with
	}
	return append(slices.Clone(a.with), *a.skill)
}

// model returns the model of a case: that of the flag, the case, or the environment.
func (e *Eval) model(c *suite.Case) string {
	if e.o.Run.Model == "" && c.Model != "" {
		return c.Model
	}
	return e.server.Model
}

// record is the content of run.json, which is written last: a run with it is complete.
type record struct {
	Key      string    `json:"key"`
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	Duration int64     `json:"duration_ms"`
	Removed  []string  `json:"removed_inputs,omitempty"`
}

const recordFile = "run.json"

func readRecord(dir string) (r record, err error) {
	data, err := safefile.ReadRegular(filepath.Join(dir, recordFile), maxFile)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	return r, err
}
