// Package eval runs the eval cases of skills with and without the skill, and grades the
// runs. A run is one call of package run in a folder of its own.
package eval

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"skills/internal/agent"
	"skills/internal/builtin"
	"skills/internal/eval/judge"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/run"
	"skills/internal/script"
	"skills/internal/script/sandbox"
	"skills/internal/terminal"
)

// Options are the flags of eval.
type Options struct {
	Run         run.Options // server, approval, sandbox and limits of every run
	Paths, With []string    // skills to evaluate, and skills that both arms have; also trees

	JudgeOptions
	Selection
	Reuse

	Baseline  string // see Baselines
	Jobs      int
	Budget    Budget
	Gate      Gate
	Dry       bool   // only [Eval.DryRun] is called, which needs no key
	Workspace string // "" for the folder next to the skill
	Note      func(text string)
	Status    func() *terminal.Status // returns a new line for the progress; nil for none

	among
}

// among is what an eval is among those of several models; empty for one.
type among struct {
	member *member
	shared *meter // of all models
}

// JudgeOptions choose the model that decides assertions.
type JudgeOptions struct {
	JudgeModel, JudgeBaseURL, JudgeKeyEnv string // "" for those of the runs
	JudgeVotes                            int
	Pairwise                              bool // also compare the runs of both arms in pairs
}

// Selection says which cases are run, and how often.
type Selection struct {
	Cases, Tags []string // patterns; all cases if empty
	Runs        int      // of a case in each arm; 0 for the case's own number or DefaultRuns
	Shard       string   // the part of the runs to do, as I/N; "" for all
}

// Reuse says which earlier runs replace new ones.
type Reuse struct {
	NoCache, Offline, Demo bool
	Stored                 string // an iteration to grade again without runs, or ""
	record                 bool   // record the demo instead of playing it
}

// Defaults and values of flags.
const (
	DefaultRuns = 3
	DefaultJobs = 4
	maxRuns     = 1000 // of a case in each arm
	Without     = "without"
)

// Baselines returns the values of --baseline; the last two are continued.
func Baselines() []string { return []string{Without, "none", "ref:", "dir:"} }

// Eval is an evaluation of skills. It must be closed.
type Eval struct {
	env        run.Env
	o          Options
	server     run.Server
	judge      *judge.Judge // nil if nothing is judged
	judged     string       // the judge's model
	judgePrice agent.Price  // of its tokens
	priced     bool         // the prices are those of flags
	skillEvals []*skillEval
	meter      *meter
	temp       *script.TempFolder
	shard      shard // of Options.Shard

	pathWarning sync.Once // of entries that command checks do not get
	loading     sync.Once // of a server that is loading the model

	progress progress
}

// skillEval is the evaluation of one skill.
type skillEval struct {
	suite   *suite.Suite
	arms    []*arm // the one with the skill first
	inputs  map[*suite.Case]snapshot
	top     string     // the iteration
	dir     string     // with the cases: top, or the folder of a model in it
	stored  []string   // iterations whose runs are not repeated
	earlier []string   // those that show how many requests runs take, the last first
	runs    []*caseRun // in the order in which they start
	meta    store.Meta
	kept    bool       // runs of other cases are not removed
	partial bool       // some cases are not selected
	part    store.Part // what the shard has of it

	triggers bool // the runs are those of eval trigger

	key  []string // lines of the eval files that no tool may return
	text []string // lines of the skill that no tool may return without it
}

// caseRun is one run of a case.
type caseRun struct {
	c      *suite.Case
	arm    *arm
	inputs snapshot
	key    string
	stored string    // folder of an equal run that is not repeated, or ""
	turn   int       // the requested one, for the progress
	began  time.Time // likewise
	out    store.Run // complete once it is done
	done   bool
	loaded []string // names of skills
	judged []byte   // new content of judgeFile if stored runs are graded again
	paired []byte   // likewise of the file of its pair

	unpaired bool // its comparison with the baseline was prevented
}

// New finds skills, cases and stored runs. An error is about flags, files or the server.
func New(ctx context.Context, env run.Env, o Options) (*Eval, error) {
	if err := o.checkRun(); err != nil {
		return nil, err
	}
	e, err := open(ctx, env, o)
	if err == nil {
		err = e.load(ctx)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// open prepares what all runs have in common. The Eval must be closed after an error too.
func open(ctx context.Context, env run.Env, o Options) (e *Eval, err error) {
	e = &Eval{env: env, o: o, meter: cmp.Or(o.shared, &meter{Budget: o.Budget})}
	e.priced = o.Budget.Price != (agent.Price{})
	if err := e.check(); err != nil {
		return e, err
	}
	var seen sync.Map
	e.env.Warn = func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if _, again := seen.LoadOrStore(text, true); !again {
			e.progress.line.Hold()
			defer e.progress.line.Release()
			env.Warn("%s", text)
		}
	}
	e.env.Notify = func(n loader.Notice) { // problems of the skill's copy were reported before
		if _, again := seen.LoadOrStore(n, true); !again && !strings.HasPrefix(n.Path, e.temp.Dir) {
			e.progress.line.Hold()
			defer e.progress.line.Release()
			env.Notify(n)
		}
	}
	const prefix = "skills-eval-"
	script.RemoveStale(os.TempDir(), prefix)
	e.temp, err = script.NewTempFolder("", prefix)
	if err != nil {
		return e, err
	}
	e.temp.Dir = sandbox.Real(e.temp.Dir) // as scripts see it
	if o.Demo {
		e.o.Offline, e.o.Paths = !o.record, []string{filepath.Join(e.temp.Dir, "unit-converter")}
		e.o.Run.Approval.Scripts = []string{"unit-converter/*"}
		if err := os.CopyFS(e.o.Paths[0], builtin.DemoEvals()); err != nil {
			return e, err
		}
		if err := os.CopyFS(e.o.Paths[0]+"-workspace", builtin.DemoRuns()); err != nil {
			return e, err
		}
	}
	return e, e.resolvePaths()
}

// findServer finds the server of the runs, if there are any.
func (e *Eval) findServer(ctx context.Context) (err error) {
	if !e.o.Offline && e.o.Stored == "" {
		err = e.readServer(ctx)
	}
	if e.o.Dry && e.server.Model != "" {
		return nil
	}
	return err
}

// readServer finds the server, and asks before a .env is used that the user should look at.
func (e *Eval) readServer(ctx context.Context) (err error) {
	e.server, err = run.FindServer(e.env, e.o.Run.Server, run.ReadVariables(ctx, e.env, e.o.Run.Server))
	if err == nil && !e.o.Dry {
		err = run.ConfirmServer(ctx, e.env, e.o.Run.Server, e.server, e.o.Run.Approval.Confirm)
	}
	if err == nil && e.o.Budget.Price == (agent.Price{}) && e.server.Price != nil {
		e.o.Budget.Price = *e.server.Price
		e.meter.setPrice(e.o.Budget.Price)
	}
	if err == nil && e.server.Name != "" {
		e.o.Run.Server.Found = &e.server // runs have no configuration of the user
	}
	return err
}

// loadSuites reads the cases of the skills that have some, and finds the server.
func (p planner) loadSuites(ctx context.Context) error {
	skills, err := p.o.Paths, error(nil)
	if !p.o.Demo { // whose skill is not in files
		skills, err = choose(ctx, p.Eval, p.o.Paths, p.o.Run.Skills.Choice)
		if err != nil {
			return err
		}
	}
	for _, dir := range skills {
		s, problems, err := suite.Load(ctx, dir)
		if err != nil {
			return err
		}
		if err := firstError(problems); err != nil {
			return err
		}
		for _, found := range problems {
			if found.Level == suite.Note {
				continue
			}
			p.env.Warn("%s:%d: %s", found.Path, found.Line, found.Message)
		}
		all := len(s.Cases)
		s.Cases = slices.DeleteFunc(s.Cases, p.excluded)
		if len(s.Cases) > 0 {
			p.skillEvals = append(p.skillEvals, &skillEval{suite: s, partial: len(s.Cases) < all})
		}
	}
	if len(p.skillEvals) == 0 && len(p.o.Cases)+len(p.o.Tags) > 0 {
		return fault.Usage("omit them to run all cases", "no case matches --case and --tag")
	}
	if len(p.skillEvals) == 0 {
		return fault.Usage("write some with skills eval init PATH, or read those of another tool with skills eval import PATH", "no eval cases found in %s", printable.Plural(len(skills), "skill"))
	}
	if err := p.findServer(ctx); err != nil {
		return err
	}
	return p.o.Budget.check()
}

// load reads the cases and plans their runs.
func (e *Eval) load(ctx context.Context) error {
	if err := (planner{e}).loadSuites(ctx); err != nil {
		return err
	}
	for _, s := range e.skillEvals {
		for i := range s.suite.Cases {
			planner{e}.resolve(&s.suite.Cases[i])
		}
		p := planner{e}
		for _, plan := range []func(context.Context, *skillEval) error{p.arms, p.folder, p.runs} {
			if err := plan(ctx, s); err != nil {
				return err
			}
		}
	}
	if err := (grader{e}).open(ctx); err != nil {
		return err
	}
	keepShard(e)
	return nil
}

// Close removes temporary files.
func (e *Eval) Close() {
	if e.temp != nil {
		e.temp.Remove()
	}
}

// Skills returns the number of skills with cases.
func (e *Eval) Skills() int { return len(e.skillEvals) }

// resolvePaths makes the paths of flags independent of the folder that a run works in. A
// .env file among a case's inputs must not select the server.
func (e *Eval) resolvePaths() error {
	for _, list := range [][]string{e.o.Run.Scripts.AllowRead, e.o.Run.Scripts.AllowWrite, e.o.Paths, e.o.With} {
		for i := range list {
			list[i] = e.absolute(list[i])
		}
	}
	e.o.Workspace, e.o.Stored, e.o.Run.Server.EnvFile = e.absolute(e.o.Workspace), e.absolute(e.o.Stored), e.absolute(e.o.Run.Server.EnvFile)
	if e.o.Stored != "" {
		e.o.Stored = sandbox.Real(e.o.Stored) // the user may name a link
		if dirs, _, _ := store.Iterations(e.o.Stored); len(dirs) > 0 {
			e.o.Stored = store.Latest(dirs)
		}
		if err := store.Check(e.o.Stored); err != nil {
			return fault.AsUsageIfHinted(err)
		}
		if _, err := os.Lstat(filepath.Join(e.o.Stored, store.TriggerFile)); err == nil {
			return fault.Usage("print it with skills eval report", "%s has the runs of eval trigger, which have no assertions", e.o.Stored)
		}
	}
	if e.o.Stored != "" && len(e.o.Paths) == 0 {
		_, meta, err := store.Read(e.o.Stored)
		if err != nil {
			return fault.AsUsageIfHinted(err)
		}
		e.o.Paths = []string{filepath.Join(e.o.Stored, filepath.FromSlash(meta.SkillPath))}
	}
	if e.o.Run.Server.EnvFile != "" {
		return nil
	}
	e.o.Run.Server.EnvFile = filepath.Join(e.env.Dir, ".env")
	if info, err := os.Stat(e.o.Run.Server.EnvFile); err == nil && info.Mode().IsRegular() && !e.o.Offline {
		e.o.Run.Server.EnvFound = true
		return nil
	}
	e.o.Run.Server.EnvFile = filepath.Join(e.temp.Dir, "variables")
	return os.WriteFile(e.o.Run.Server.EnvFile, nil, 0o600)
}
