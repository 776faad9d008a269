// Package trigger measures whether a model loads a skill when it should, and only then.
package trigger

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/clients"
	"skills/internal/eval/suite"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/runner"
	"skills/internal/spec"
	"skills/internal/spec/frontmatter"
	"skills/internal/transcript"
)

const (
	maxTurns = 3            // in which the skill has to be loaded
	maxCalls = maxTurns + 1 // of a run, with its closing request
)

// Options configures a measurement.
type Options struct {
	Skill     string   // folder of the measured skill
	With      []string // folders searched for the other skills of the catalogue; nil: beside Skill
	Queries   []suite.Query
	Client    *clients.Client // shortens the catalogue as this client does; nil: not at all
	Runs      int             // of each query
	Jobs      int             // runs at the same time
	MaxCalls  int             // of the model; 0: no limit
	MaxTokens int64           // 0: no limit
	Env       runner.Env      // its folder and streams are not used
	Server    runner.Options  // server and limits of a run
	Progress  func()          // called after each run
}

// Harness runs queries against a catalogue of copied skills. It must be closed.
type Harness struct {
	Options
	dir    string // temporary
	target *spec.Document
	others []*spec.Document

	mu      sync.Mutex
	calls   int // including those that started runs may still make
	tokens  int64
	stopped string // the budget that was reached
}

// Open finds the skills of the catalogue. Errors have hints.
func Open(ctx context.Context, o Options) (*Harness, error) {
	h := &Harness{Options: o}
	found, err := loader.Search{}.Find(ctx, o.Skill)
	if err != nil || len(found) == 0 || found[0].File == "" {
		return nil, errors.Join(err, runner.Refuse("name a folder with a SKILL.md", "%s is not a skill", o.Skill))
	}
	h.target = loader.OpenDocument(found[0])
	if h.target.Text("name") == "" || h.target.Text("description") == "" {
		return nil, runner.Refuse("run skills validate "+o.Skill, "%s has no name or no description", found[0].Dir)
	}
	names := []string{h.target.Text("name")}
	search, roots := loader.Search{}, o.With
	if roots == nil {
		search.Depth, roots = 1, []string{filepath.Dir(found[0].Real)}
	}
	for _, root := range roots {
		skills, err := search.Find(ctx, root)
		if err != nil {
			return nil, runner.Hinted(err)
		}
		for _, f := range skills {
			doc := loader.OpenDocument(f)
			if name := doc.Text("name"); f.File != "" && name != "" && doc.Text("description") != "" && !slices.Contains(names, name) {
				names, h.others = append(names, name), append(h.others, doc)
			}
		}
	}
	h.dir, err = os.MkdirTemp("", "skills-trigger-")
	return h, err
}

// Close removes the copies.
func (h *Harness) Close() error { return os.RemoveAll(h.dir) }

// Description returns the description of the measured skill.
func (h *Harness) Description() string { return h.target.Text("description") }

// describe returns a SKILL.md with another description, written as JSON, which is YAML. It
// replaces all up to the next field, because a block's span is its first line.
func describe(doc *spec.Document, description string) []byte {
	i := slices.IndexFunc(doc.Fields, func(f frontmatter.Field) bool { return f.Key == "description" })
	start, end := doc.Lines().Offset(doc.Fields[i].Value.Span.Start), doc.Block().End
	if i+1 < len(doc.Fields) {
		end = doc.Lines().Offset(doc.Fields[i+1].KeySpan.Start)
	}
	return slices.Concat(doc.Source[:start], []byte(printable.JSONText(description)+"\n"), doc.Source[end:])
}

// stage copies the skills' SKILL.md files into a new folder, with the description of the
// target, and shortens the catalogue as the client does.
func (h *Harness) stage(ctx context.Context, description string) (root string, err error) {
	if root, err = os.MkdirTemp(h.dir, "catalogue-"); err != nil {
		return "", err
	}
	docs := append([]*spec.Document{h.target}, h.others...)
	files, list := map[string]int{}, runner.ListOptions{Dir: root, Notify: func(loader.Notice) {}}
	for i, doc := range docs {
		source, dir := doc.Source, filepath.Join(root, fmt.Sprint(i), filepath.Base(doc.Dir))
		if i == 0 {
			source = describe(doc, description)
		}
		file := filepath.Join(dir, "SKILL.md")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(file, source, 0o600)); err != nil {
			return "", err
		}
		files[file], list.Paths = i, append(list.Paths, dir)
	}
	if h.Client == nil {
		return root, nil
	}
	catalogue, _, err := runner.ListClient(ctx, list, h.Client, 0)
	for _, e := range catalogue.Entries {
		i := files[e.Path]
		switch {
		case err != nil:
		case !e.Listed && i == 0:
			err = runner.Refuse("see skills list --client "+h.Client.ID, "%s does not show the skill to its model: %s", h.Client.Title, strings.Join(e.Reasons, "; "))
		case !e.Listed:
			err = os.RemoveAll(filepath.Dir(e.Path))
		case e.Cut > 0:
			text := []rune(e.Description)
			err = os.WriteFile(e.Path, describe(docs[i], string(text[:max(0, len(text)-e.Cut)])+"…"), 0o600)
		}
	}
	return root, err
}

// Measure runs the control and, if that loads the skill, all queries. An error of a run is
// no result; the error returned is that of the configuration or the context.
func (h *Harness) Measure(ctx context.Context) (*Report, error) {
	name := h.target.Text("name")
	r := &Report{SchemaVersion: 1, Skill: name, Siblings: []string{}, Queries: []Query{}}
	for _, doc := range h.others {
		r.Siblings = append(r.Siblings, doc.Text("name"))
	}
	if h.Client != nil {
		r.Client = h.Client.ID
	}
	root, err := h.stage(ctx, h.Description())
	if err != nil {
		return nil, err
	}
	control := suite.Query{Query: "Use the skill " + name + " for this task: tell me briefly what it can do.", ShouldTrigger: true}
	results, err := h.run(ctx, root, []suite.Query{control})
	if err != nil {
		return nil, err
	}
	if r.Control = results[0]; r.Control.Triggered > 0 {
		if r.Queries, err = h.run(ctx, root, h.Options.Queries); err != nil {
			return nil, err
		}
	}
	r.Calls, r.Tokens, r.Stopped = h.calls, h.tokens, h.stopped
	r.rate()
	return r, nil
}

// run runs each query several times, and returns the results in the order of the queries.
func (h *Harness) run(ctx context.Context, root string, queries []suite.Query) ([]Query, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	attempts := make([]*transcript.Result, len(queries)*h.Runs)
	var wait sync.WaitGroup
	free := make(chan bool, max(1, h.Jobs))
	for i := range attempts {
		free <- true
		wait.Go(func() {
			var err error
			if attempts[i], err = h.try(ctx, root, queries[i/h.Runs].Query); err != nil {
				cancel(err)
			}
			<-free
		})
	}
	wait.Wait()
	results := make([]Query, len(queries))
	for i, q := range queries {
		results[i] = h.summarise(q, attempts[i*h.Runs:(i+1)*h.Runs])
	}
	return results, context.Cause(ctx)
}

func (h *Harness) summarise(q suite.Query, attempts []*transcript.Result) Query {
	out := Query{Query: q, Errors: []string{}, Others: []string{}}
	for _, a := range attempts {
		switch {
		case a == nil: // not run
		case slices.Contains(a.SkillsLoaded, h.target.Text("name")):
			out.Runs++
			out.Triggered++
		case a.Status == agent.Completed || a.Limit == "turns":
			out.Runs++
			out.Others = append(out.Others, a.SkillsLoaded...)
		case a.Error != nil:
			out.Errors = append(out.Errors, *a.Error)
		default:
			out.Errors = append(out.Errors, "the run ended early: "+cmp.Or(a.Limit, string(a.Status)))
		}
	}
	slices.Sort(out.Others)
	out.Others = slices.Compact(out.Others)
	if out.Runs > 0 {
		out.Passed = new((2*out.Triggered >= out.Runs) == q.ShouldTrigger)
	}
	return out
}

// try runs a prompt with the skills below root, and no others; nil means that a budget
// prevents it. An error is that of the configuration, or the context's.
func (h *Harness) try(ctx context.Context, root, prompt string) (*transcript.Result, error) {
	h.mu.Lock()
	switch {
	case h.MaxCalls > 0 && h.calls+maxCalls > h.MaxCalls:
		h.stopped = fmt.Sprintf("limit of %d calls", h.MaxCalls)
	case h.MaxTokens > 0 && h.tokens >= h.MaxTokens:
		h.stopped = fmt.Sprintf("limit of %d tokens", h.MaxTokens)
	}
	stop := h.stopped != ""
	if !stop {
		h.calls += maxCalls
	}
	h.mu.Unlock()
	dir, err := os.MkdirTemp(h.dir, "run-")
	if stop || err != nil || ctx.Err() != nil {
		return nil, err
	}
	var output bytes.Buffer
	env, o := h.Env, h.Server
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), &output, io.Discard
	env.Dir, env.Home, env.Config, env.OneProcessor = dir, "", "", nil
	o.Skills, o.Format, o.NoSlash, o.NoBuiltin, o.Approve, o.MaxTurns = []string{root}, "json", true, true, "never", maxTurns
	err = runner.New(env, o).Run(ctx, []string{prompt})
	var refused *runner.Error
	if errors.As(err, &refused) && refused.Code == runner.ExitUsage || ctx.Err() != nil {
		return nil, err
	}
	var result transcript.Result
	if err := json.Unmarshal(output.Bytes(), &result); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls += result.Turns - maxCalls
	if result.Error != nil { // of a request that is no turn
		h.calls++
	}
	if result.Usage != nil {
		h.tokens += result.Usage.InputTokens + result.Usage.OutputTokens
	}
	h.Progress()
	return &result, nil
}
