package lsp

// The worker checks one skill at a time. While it does, changes pile up in the marks of the
// skills, so that fast typing costs no more than the machine has: there is no delay, and
// nothing is checked twice for the same state.

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"skills/internal/lint"
	"skills/internal/lsp/protocol"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// worker checks the marked skills of a state.
type worker struct{ *state }

// skill is a skill with open files.
type skill struct {
	dir, file  string // absolute paths of the folder and its SKILL.md
	open       bool
	generation uint64 // of its state, increased by each change
	checked    uint64 // the generation whose findings were sent
	touched    uint64 // when it was changed last; the latest is checked first
	result     *result
	found      map[string][]protocol.Diagnostic // what was sent, by path
}

// snapshot is what a check works on.
type snapshot struct {
	dir        string
	generation uint64
	encoding   protocol.Encoding
	docs       map[string]document // open files of the skill, by path
	options    lint.Options
	strict     bool
}

// result is a checked skill. Requests use its document one after another.
type result struct {
	snapshot
	sync.Mutex
	opened *lint.Opened // nil if the skill is excluded, or with err
	err    error
	texts  map[string]protocol.Text // of files, by path
	files  *rules.Files             // computed on first use
}

// mark marks a skill as changed. The caller holds mu.
func (s *state) mark(k *skill) {
	k.generation++
	s.clock++
	k.touched = s.clock
}

// markAround marks the skills that contain a path. The caller holds mu.
func (s *state) markAround(path string) {
	for dir, k := range s.skills {
		if isBelow(dir, path) {
			s.mark(k)
		}
	}
}

// markAllLocked marks all skills. The caller holds mu.
func (s *state) markAllLocked() {
	for _, k := range s.skills {
		s.mark(k)
	}
}

// markAll marks all skills, and wakes the worker.
func (s *state) markAll() {
	s.mu.Lock()
	s.markAllLocked()
	s.mu.Unlock()
	s.awaken()
}

// awaken wakes the worker.
func (s *state) awaken() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// work checks marked skills until the context ends.
func (w worker) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		for ctx.Err() == nil {
			snap, ok := w.next()
			if !ok {
				break
			}
			r := w.check(ctx, snap)
			if ctx.Err() == nil {
				w.publish(r)
			}
		}
	}
}

// next returns a snapshot of the marked skill that was changed last.
func (s *state) next() (snapshot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var latest *skill
	for _, k := range s.skills {
		if k.checked != k.generation && (latest == nil || k.touched > latest.touched) {
			latest = k
		}
	}
	if latest == nil {
		return snapshot{}, false
	}
	return s.snapshot(latest), true
}

// snapshot returns the state of a skill. The caller holds mu.
func (s *state) snapshot(k *skill) snapshot {
	snap := snapshot{dir: k.dir, generation: k.generation, encoding: s.encoding, docs: map[string]document{}, options: s.opts.Lint}
	if !k.open {
		return snap
	}
	o := &snap.options
	o.Dir = s.workspaceOf(k.dir)
	o.Unsaved = map[string][]byte{}
	for path, d := range s.docs {
		if d.known && isBelow(k.dir, path) {
			snap.docs[path], o.Unsaved[path] = *d, d.text
		}
	}
	set := s.settings
	o.Profile = cmp.Or(set.Profile, o.Profile)
	o.Clients = slices.Concat(o.Clients, set.Clients)
	levels := map[string]spec.Level{}
	for _, from := range []map[string]spec.Level{o.Levels, set.Levels} {
		for id, level := range from {
			levels[id] = level
		}
	}
	o.Levels, o.Least, o.FixLevel = levels, set.least(), set.least()
	o.ConfigFile, o.Baseline = cmp.Or(set.configFile, o.ConfigFile), cmp.Or(set.baseline, o.Baseline)
	o.ForceExclude, o.Tokens = true, true
	o.Crashed = func(rule string, cause any) { s.crashed(cmp.Or(rule, "a check"), cause) }
	snap.strict = s.opts.Strict || set.Strict
	o.Paths = []string{k.file}
	if d, ok := snap.docs[k.file]; !isOnDisk(k.file) {
		o.Paths = []string{k.dir}
		if ok {
			o.Paths, o.Stdin, o.StdinFilename = []string{lint.Stdin}, bytes.NewReader(d.text), k.file
		}
	}
	return snap
}

// check checks a skill, unless the result is there already.
func (w worker) check(ctx context.Context, snap snapshot) (r *result) {
	w.mu.Lock()
	k := w.skills[snap.dir]
	if k != nil && k.result != nil && k.result.generation == snap.generation {
		w.mu.Unlock()
		return k.result
	}
	w.mu.Unlock()
	r = &result{snapshot: snap, texts: map[string]protocol.Text{}}
	if snap.options.Paths == nil {
		return r
	}
	defer func() {
		if cause := recover(); cause != nil {
			w.crashed("a check", cause)
			r.opened, r.err = nil, fmt.Errorf("internal error: %v", cause)
		}
	}()
	r.opened, r.err = w.opts.open(ctx, snap.options)
	return r
}

// found returns the findings of a result as the protocol has them, none after a panic.
func (w worker) found(r *result) (found map[string][]protocol.Diagnostic) {
	r.Lock()
	defer r.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			w.crashed("the findings", cause)
			found = map[string][]protocol.Diagnostic{}
		}
	}()
	return r.found(w.opts.Page)
}

// publish sends the findings of a result, unless the state has changed since. A file that
// is in two skills, one inside the other, has the findings of both.
func (w worker) publish(r *result) {
	found := w.found(r)
	w.mu.Lock()
	k := w.skills[r.dir]
	if k == nil || k.generation != r.generation {
		w.mu.Unlock()
		return // it is marked, or gone
	}
	changed := map[string]bool{}
	for path := range k.found {
		changed[path] = true
	}
	for path := range found {
		changed[path] = true
	}
	for path, d := range r.docs {
		if d.skill == r.dir {
			changed[path] = true // the editor learns that this version was checked
		}
	}
	k.checked, k.result, k.found = r.generation, r, found
	if !k.open {
		delete(w.skills, r.dir)
	}
	var all []protocol.PublishParams
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		p := protocol.PublishParams{URI: protocol.URI(path), Diagnostics: []protocol.Diagnostic{}}
		if d, ok := w.docs[path]; ok {
			p.URI = d.uri
			if _, checked := r.docs[path]; checked {
				p.Version = &d.version
			}
		}
		for _, dir := range slices.Sorted(maps.Keys(w.skills)) {
			p.Diagnostics = append(p.Diagnostics, w.skills[dir].found[path]...)
		}
		all = append(all, p)
	}
	w.mu.Unlock()
	for _, p := range all {
		w.send("textDocument/publishDiagnostics", p)
	}
	if r.err != nil {
		w.showError(r.err)
	}
	if w.opts.OnCheck != nil {
		w.opts.OnCheck(r.dir)
	}
}
