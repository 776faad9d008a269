package eval

// Grading decides the assertions of a run from its files, by programs or by a judge. Equal
// requests to the judge are answered by what it said before, so that grading again is free.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/eval/check"
	"skills/internal/eval/judge"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
	"skills/internal/redact"
	"skills/internal/run"
	"skills/internal/transcript"
)

// sentences returns what the judge decides.
func sentences(checks []suite.Check) (list []string) {
	for _, c := range checks {
		if c.Type == "judge" {
			sentence := c.Criteria
			if c.Not {
				sentence = "This is not true of the work: " + sentence
			}
			list = append(list, sentence)
		}
	}
	return list
}

// grader decides the assertions of runs.
type grader struct{ *Eval }

// open prepares the judge if an assertion needs one. A judge at another origin than
// the executor's server does not get the executor's key.
func (g grader) open(ctx context.Context) (err error) {
	for _, s := range g.skillEvals {
		s.meta.Pairwise = s.meta.Pairwise || g.o.Pairwise
		hasSentences := slices.ContainsFunc(s.suite.Cases, func(c suite.Case) bool { return len(sentences(c.Checks)) > 0 })
		if hasSentences || s.meta.Pairwise {
			g.judged = cmp.Or(g.o.JudgeModel, s.meta.Judge, g.server.Model, s.meta.Model)
			s.meta.Judge = g.judged
		}
	}
	if g.judged == "" || g.o.Offline || g.o.Dry {
		return nil
	}
	err = g.readServer(ctx)
	if err != nil {
		return err
	}
	server, same, err := g.judgeServer()
	if err != nil {
		return err
	}
	switch m := g.o.member; {
	case m != nil && g.o.JudgeModel == "":
		g.o.Note(m.name + " judges the answers of all models, its own too; name another with --judge-model")
	case same && g.judged == g.server.Model && m == nil:
		g.o.Note("the model judges its own answers; name another with --judge-model")
	}
	g.judge, err = judge.New(server, g.judged, g.o.JudgeVotes)
	if err != nil {
		return fault.Usage("check --judge-base-url", "the judge: %w", err)
	}
	g.judge.Used = func(u *model.Usage) { g.meter.usedAt(g.judgePrice, u) }
	g.judge.Loading = g.noteLoading
	return nil
}

// OpenJudge returns a judge without runs: the model of the options. The Eval, which counts
// what it uses, must be closed.
func OpenJudge(ctx context.Context, env run.Env, o Options) (*Eval, *judge.Judge, error) {
	o.Baseline, o.Jobs = "none", DefaultJobs
	e, err := open(ctx, env, o)
	if err == nil {
		err = e.readServer(ctx)
	}
	if err == nil {
		err = e.o.Budget.check()
	}
	if err != nil {
		e.Close()
		return nil, nil, fault.AsUsageIfHinted(err)
	}
	server := e.server.Connection("skills/"+env.Version, o.Run.Server.Retries)
	server.Transport = model.Before(e.meter.request)
	j, err := judge.New(server, e.server.Model, o.JudgeVotes)
	if err != nil {
		e.Close()
		return nil, nil, fault.Usage("check --base-url", "the judge: %w", err)
	}
	j.Used, j.Loading = e.meter.used, e.noteLoading
	return e, j, nil
}

// Spent is what an eval has used so far.
type Spent struct {
	Requests int      `json:"requests"`
	Tokens   int64    `json:"tokens"`            // those that the server reported
	Cost     *float64 `json:"cost"`              // nil without a price
	Stopped  string   `json:"stopped,omitempty"` // the budget that was reached
}

// SpentBy returns what an eval has used.
func SpentBy(e *Eval) Spent {
	usage, stopped := e.meter.read()
	s := Spent{Requests: e.meter.calls, Tokens: usage.InputTokens + usage.OutputTokens, Stopped: stopped}
	if e.o.Budget.Price != (agent.Price{}) {
		s.Cost = new(e.meter.spent())
	}
	return s
}

// IsBudget reports whether a budget has prevented a request.
func IsBudget(err error) bool { return errors.Is(err, budgetError{}) }

// IsRefusal reports whether a server would refuse every other request too.
func IsRefusal(err error) bool { return isFatal(err) }

// judgeServer returns the server of the judge, and whether it is the executor's. A server
// of the user's own configuration has its own key.
func (g grader) judgeServer() (server model.Server, same bool, err error) {
	name, o := "skills/"+g.env.Version, g.o.Run.Server
	base := g.server
	if g.o.member != nil && g.o.member.judge != nil {
		base = *g.o.member.judge
	}
	server = base.Connection(name, o.Retries)
	own, err := run.NamedServer(g.env, run.ServerOptions{Model: g.o.JudgeModel, BaseURL: g.o.JudgeBaseURL, KeyEnv: g.o.JudgeKeyEnv})
	if err != nil {
		return server, false, err
	}
	if own != nil {
		base = *own
		server, g.judged = own.Connection(name, o.Retries), own.Model
	}
	g.judgePrice = g.o.Budget.Price
	if base.Price != nil && !g.priced {
		g.judgePrice = *base.Price
	}
	if g.o.JudgeBaseURL != "" && origin(g.o.JudgeBaseURL) != origin(server.BaseURL) {
		server.APIKey, server.Headers = "", nil
	}
	server.BaseURL, server.Transport = cmp.Or(g.o.JudgeBaseURL, server.BaseURL), model.Before(g.meter.request)
	if g.o.JudgeKeyEnv != "" && own == nil {
		server.APIKey = g.env.Getenv(g.o.JudgeKeyEnv)
		if server.APIKey == "" {
			return server, false, fault.Usage("set it, or omit --judge-key-env", "the environment variable %s is not set", g.o.JudgeKeyEnv)
		}
	}
	return server, origin(server.BaseURL) == origin(g.server.BaseURL), nil
}

// origin returns scheme and host of a URL.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// grade reads the files of a run in the folder dir and decides its assertions. Its time
// and the judge's answers are those in the run's own folder.
func (g grader) grade(ctx context.Context, s *skillEval, r *caseRun, dir string) error {
	var trace check.Trace
	result, err := transcript.ReadFile(filepath.Join(dir, transcriptFile), trace.Add)
	if err != nil {
		return err
	}
	if trace.Old() {
		hint := "run the eval again to repeat it; all old grades are kept"
		return failure{&fault.Error{Err: errors.New("it was stored by an earlier version, and cannot be compared"), Hint: hint}}
	}
	out := &r.out
	out.Answer, out.Turns, r.loaded = result.Text, result.Turns, result.SkillsLoaded
	out.ToolCalls, out.Calls, out.Failures = map[string]int{}, new(len(trace.Calls)), new(int)
	t := out.Timing
	out.Timing = store.Timing{Key: t.Key, Removed: t.Removed, Answer: t.Answer, Start: t.Start, End: t.End}
	out.Executor = t.End.Sub(*t.Start).Truncate(time.Millisecond).Seconds()
	for _, call := range trace.Calls {
		out.ToolCalls[call.Name]++
		if !call.Result.OK {
			*out.Failures++
		}
		out.Error = cmp.Or(out.Error, s.leak(r.arm, call))
	}
	if u := result.Usage; u != nil && trace.Usage >= result.Turns { // otherwise tokens and cost are incomplete
		out.Tokens = new(u.InputTokens + u.OutputTokens)
		if g.o.Budget.Price != (agent.Price{}) {
			out.Cost = new(g.o.Budget.Price.Cost(*u))
		} else if g.isReplay() {
			out.Cost = t.Cost
		}
	}
	if out.Error != "" {
		out.Key = "" // it is run again next time
		return nil
	}
	began := time.Now()
	out.Outcomes, err = g.decide(ctx, s, r, trace, dir, t)
	out.Grader = time.Since(began).Seconds()
	if g.o.Offline {
		out.Grader = t.Grader // all times are those of the recording
	}
	return err
}

// decide decides the assertions of a run, in their order.
func (g grader) decide(ctx context.Context, s *skillEval, r *caseRun, trace check.Trace, dir string, t store.Timing) (outcomes []store.Outcome, err error) {
	work, err := os.MkdirTemp(g.temp.Dir, "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if g.o.Offline {
		t.Answer = "" // what a replay left has no copy of the answer
	}
	outputs, err := rebuild(r.inputs, filepath.Join(dir, store.OutputsFolder), t, work)
	if err != nil {
		return nil, err
	}
	evidence := check.Evidence{
		Skill: s.suite.Skill, Run: r.out, Dir: work, Inputs: r.c.Files, Trace: trace, Command: g.command(s, work),
	}
	checks := r.arm.checks(r.c)
	var judged []store.Outcome
	if list := sentences(checks); len(list) > 0 {
		request := judge.Request{
			Prompt: r.c.Said(cmp.Or(r.c.Baseline, r.c.Prompt)), Expected: r.c.Expected, Answer: r.out.Answer, Calls: trace.Calls, Hidden: s.text,
			Sentences: list, Files: map[string][]byte{},
		}
		for name, f := range outputs {
			request.Files[name] = f.Data
		}
		judged, err = g.ask(ctx, r, request, t.Judging)
		if err != nil {
			return nil, err
		}
	}
	for _, c := range checks {
		var o store.Outcome
		if c.Type == "judge" {
			o, judged = judged[0], judged[1:] // which has decided its opposite, where c.Not is set
		} else {
			o = check.Grade(ctx, c, evidence)
		}
		o.Type, o.Arm, o.Weight = c.Type, c.Arm, 1
		if c.Weight != nil {
			o.Weight = *c.Weight
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, context.Cause(ctx)
}

// ask has the judge decide sentences about a run, unless the run's folder has the outcomes
// of an equal request. paid is what these cost, if it is known.
func (g grader) ask(ctx context.Context, r *caseRun, request judge.Request, paid *float64) ([]store.Outcome, error) {
	file := filepath.Join(r.out.Dir, judgeFile)
	var known struct {
		Key      string          `json:"key"`
		Outcomes []store.Outcome `json:"outcomes"`
		Usage    *model.Usage    `json:"usage,omitempty"` // nil if the server did not report it
	}
	key := digest([]any{request.Key(), g.judged, g.o.JudgeVotes})
	data, err := files.ReadRegular(file, maxBytes)
	mayReuse := g.o.Stored == "" || !g.o.NoCache
	same := err == nil && json.Unmarshal(data, &known) == nil && known.Key == key
	if mayReuse && same {
		g.judgeUsage(r, known.Usage)
		if g.isReplay() && r.out.Judging == nil {
			r.out.Judging = paid
		}
		return known.Outcomes, nil
	}
	if g.judge == nil {
		return nil, failure{errors.New("the judge failed: no stored answer to this request")}
	}
	total := usageSum{sum: &model.Usage{}}
	request.Used = total.add
	outcomes, err := g.judge.Grade(ctx, request)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx) // of the interrupt, whatever it did to the request
	}
	if err != nil && isFatal(err) && g.o.Stored == "" {
		return nil, fatal(fmt.Errorf("the judge: %w", err))
	}
	if err != nil && !errors.Is(err, budgetError{}) {
		g.judgeUsage(r, total.sum)
		err = failure{fmt.Errorf("the judge failed: %w", err)}
	}
	if err != nil {
		return nil, err
	}
	known.Key, known.Outcomes, known.Usage = key, outcomes, total.sum
	g.judgeUsage(r, known.Usage)
	data = []byte(printable.JSONText(known) + "\n")
	if g.o.Stored != "" {
		r.judged = data // aggregate writes it, once no run can fail
		return outcomes, nil
	}
	return outcomes, files.Save(ctx, file, data)
}

// judgeUsage sets what judging a run used, if it is known.
func (g grader) judgeUsage(r *caseRun, u *model.Usage) {
	if u == nil {
		return
	}
	r.out.Judged, r.out.Judging = g.judging(*u)
}

// judging returns the tokens and the cost of the judge, nil without a price.
func (g grader) judging(u model.Usage) (tokens *int64, cost *float64) {
	if price := cmp.Or(g.judgePrice, g.o.Budget.Price); price != (agent.Price{}) {
		cost = new(price.Cost(u))
	}
	return new(u.InputTokens + u.OutputTokens), cost
}

// command returns the function that runs the programs of assertions: sandboxed, in the
// folder work, with the skill's folder readable. Without a sandbox they need -y.
func (g grader) command(s *skillEval, work string) func(context.Context, []string, time.Duration) (string, int, error) {
	if g.o.Run.Scripts.Sandbox == "off" && !g.o.Run.Approval.Yes {
		return nil
	}
	return func(ctx context.Context, argv []string, timeout time.Duration) (string, int, error) {
		env, o := g.env, g.o.Run
		env.Dir, o.Scripts.Timeout = work, cmp.Or(timeout, o.Scripts.Timeout)
		scripts, err := run.NewScripts(env, o, redact.New(nil))
		if err != nil {
			return "", 0, err
		}
		defer scripts.Close()
		scripts.Cache, scripts.Filter = "", nil
		g.pathWarning.Do(func() { run.WarnOfPath(g.env, scripts, "command checks") })
		words := slices.Clone(argv)
		for i, word := range words {
			if strings.HasPrefix(word, "evals/") { // next to the cases, not in the run's folder
				words[i] = filepath.Join(s.suite.Dir, filepath.FromSlash(word))
			}
		}
		result, err := scripts.RunProgram(ctx, s.suite.Dir, words)
		if err == nil && (result.TimedOut || result.Signal != "") {
			err = errors.New(result.Text())
		}
		return result.Stdout, result.ExitCode, err
	}
}
