package loader

// Skills for an agent, from folders. The source is asked before each turn, so it searches
// again only if a folder has another stamp, and reads a skill again only if its own have.
// What is wrong with a skill is a notice; one without a name or description is skipped.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// FilesOptions configures [Files].
type FilesOptions struct {
	// Optional means that the roots may be missing, empty or files, such as a
	// program named skills, without a notice.
	Optional bool
	// Choose reports whether the skill in a folder, as in [Found.Dir], is used, and what
	// of it is offered. Nil uses everything of all skills. It is called for each in order;
	// nothing is reported about excluded ones.
	Choose func(dir, name string, metadata map[string]string) (ext Extensions, use bool)
	Notify Notify // may be nil
}

// Files returns the skills below the roots, in the order of roots and sorted by
// path within each; a folder reached twice is listed once. A root may also be a
// skill or its SKILL.md; blank ones are skipped.
//
// Loading is lenient. Anything with a name and a description is a skill, with a
// notice if it violates the specification; everything else, including missing
// roots and unreadable folders, is a notice. The only error is that of the
// context.
//
// The source returns what there is at each call. It searches again only if a
// folder that it read has changed, and a skill that has not changed stays the
// same *Skill. No notice is repeated.
func Files(roots []string, opts FilesOptions) Source {
	opts.Notify = once(opts.Notify)
	return &folders{roots: roots, opts: opts, seed: maphash.MakeSeed()}
}

type folders struct {
	roots []string
	opts  FilesOptions

	mu     sync.Mutex // guards what follows, except pins
	loaded bool
	skills []*Skill
	byDir  map[string]fileSkill // also what is not used
	stamps []fileStamp          // what the search depended on
	seed   maphash.Seed
	pins   sync.Map // folder to map of script names to digests, see pin
}

// fileSkill is a folder as it was loaded.
type fileSkill struct {
	skill  *Skill    // nil if it cannot be used
	sum    uint64    // of its SKILL.md
	file   fileStamp // of its SKILL.md
	folder fileStamp // of the folder
}

// Skills implements [Source].
func (s *folders) Skills(ctx context.Context) ([]*Skill, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed, err := changed(ctx, s.stamps)
	if err != nil || s.loaded && !changed {
		return slices.Clone(s.skills), err
	}
	var stamps []fileStamp
	var found []Found
	for _, root := range s.roots {
		if strings.TrimSpace(root) == "" {
			continue
		}
		stamps = append(stamps, stampOf(root))
		inRoot, err := s.search(ctx, root, func(folder fileStamp) { stamps = append(stamps, folder) })
		if err != nil {
			return nil, err
		}
		found = append(found, inRoot...)
	}
	found = Unique(found)
	got := make([]fileSkill, len(found))
	notices := make([]*Notice, len(found))
	if err := Parallel(ctx, len(found), func(i int) { got[i], notices[i] = s.load(found[i]) }); err != nil {
		return nil, err
	}
	s.loaded, s.skills, s.byDir = true, nil, make(map[string]fileSkill, len(found))
	for i, g := range got {
		s.byDir[found[i].Real] = g
		if found[i].File != "" {
			stamps = append(stamps, g.file)
		}
		name, ext, use := filepath.Base(found[i].Real), Extensions{}, true
		var metadata map[string]string
		if g.skill != nil {
			name, metadata = g.skill.Name, g.skill.Metadata
		}
		if s.opts.Choose != nil {
			ext, use = s.opts.Choose(found[i].Dir, name, metadata)
		}
		if use && notices[i] != nil {
			s.opts.Notify(*notices[i])
		}
		if use && g.skill != nil {
			g.skill.extensions = ext
			s.skills = append(s.skills, g.skill)
		}
	}
	s.stamps = stamps
	return slices.Clone(s.skills), nil
}

// search returns the skills below one root. listed receives each folder that is read.
func (s *folders) search(ctx context.Context, root string, listed func(fileStamp)) ([]Found, error) {
	target, err := Resolve(ctx, root, Search{
		Nested: true, OwnIgnores: true, Named: !s.opts.Optional, Notify: s.opts.Notify, listed: listed,
	})
	var missing *TargetError
	switch {
	case errors.As(err, &missing):
		if !s.opts.Optional || missing.Problem == TargetUnreadable {
			s.opts.Notify(Notice{Path: root, Message: missing.Reason(), Hint: fault.Hint(missing)})
		}
		return nil, nil
	case err != nil:
		return nil, err
	case !target.Tree && target.Skills[0].File == "":
		return nil, nil
	}
	return target.Skills, nil
}

// sources pools the buffers of files that are read for a summary only.
var sources = sync.Pool{New: func() any { return new([]byte) }}

// load creates a skill from a folder, or returns the one that it was.
func (s *folders) load(found Found) (fileSkill, *Notice) {
	buffer := sources.Get().(*[]byte)
	strict, info := openDocument(found, *buffer)
	defer func() {
		*buffer = strict.Source
		sources.Put(buffer)
	}()
	out := fileSkill{sum: maphash.Bytes(s.seed, strict.Source), file: stampFrom(filepath.Join(found.Dir, found.File), info), folder: found.folder}
	if before := s.byDir[found.Real]; before.skill != nil && before.sum == out.sum && before.folder.same(out.folder) {
		out.skill = before.skill
		return out, nil
	}
	var notice *Notice
	out.skill, notice = s.skill(found, strict)
	return out, notice
}

// skill creates a skill from a folder; the skill is nil if it cannot be used.
func (s *folders) skill(found Found, strict *spec.Document) (*Skill, *Notice) {
	doc := strict
	if doc.Source != nil && !usable(doc) {
		// Several clients accept blank lines before the frontmatter.
		text := bytes.TrimLeft(bytes.TrimPrefix(doc.Source, []byte("\ufeff")), " \t\r\n")
		if d := ParseDocument(doc.Path, doc.Dir, text); usable(d) {
			doc = d
		}
	}
	if found.File != skillFileName || !usable(doc) {
		return nil, cmp.Or(explain(strict, "skill not loaded"), &Notice{Path: strict.Path, Message: "skill not loaded", Hint: "an ignore comment hides the reason; remove it and validate again"})
	}
	summary := doc.Summary()
	skill := &Skill{ // no text of the source, which is overwritten
		Name:          summary.Name,
		Description:   summary.Description,
		License:       summary.License,
		Compatibility: summary.Compatibility,
		AllowedTools:  summary.AllowedTools,
		Metadata:      summary.Metadata,
		Hidden:        summary.Hidden,
		NotUser:       summary.NotUser,
		Dir:           found.Real,
		Location:      filepath.Join(found.Real, found.File),
		Origin:        found.Dir,
	}
	skill.Load = func(ctx context.Context) (Contents, error) { return s.contents(ctx, skill) }
	plain := found.plain // without keeping the rest
	skill.Scripted = func(ctx context.Context) (bool, error) {
		if plain && len(skill.extensions.Scripts) == 0 {
			return false, nil
		}
		list, err := List(ctx, skill.Dir, skill.extensions, nil) // its notices are sent when the skill is loaded
		return len(list.Scripts) > 0, err
	}
	return skill, explain(strict, "skill loaded nevertheless")
}

// contents reads the current content of a skill, which may have been edited
// since it was found.
func (s *folders) contents(ctx context.Context, skill *Skill) (Contents, error) {
	src, fault := ReadSkillFile(skill.Dir, filepath.Base(skill.Location))
	if fault != nil {
		return Contents{}, fmt.Errorf("reading skill %s: %s", skill.Name, fault.Message)
	}
	list, err := List(ctx, skill.Dir, skill.extensions, s.opts.Notify)
	if err != nil {
		return Contents{}, fmt.Errorf("listing skill %s: %w", skill.Name, err)
	}
	root, err := files.OpenFolder(skill.Dir)
	if err != nil {
		return Contents{}, fmt.Errorf("reading skill %s: %w", skill.Name, files.Reason(err))
	}
	defer root.Close()
	c := Contents{Text: string(src), Resources: fileResources(skill.Dir, root, list.Resources), Scripts: fileScripts(ctx, root, list.Scripts)}
	s.pin(skill.Dir, c.Scripts)
	return c, nil
}

// pin gives scripts that were loaded earlier the digests they had. Scripts that changed
// or were added since then need approval again.
func (s *folders) pin(dir string, scripts []Script) {
	digests := map[string]string{}
	for _, script := range scripts {
		digests[script.Name] = script.Digest
	}
	if first, known := s.pins.LoadOrStore(dir, digests); known {
		for i, script := range scripts {
			digest, listed := first.(map[string]string)[script.Name]
			if !listed {
				digest = "missing when the skill was loaded"
			}
			scripts[i].Digest = digest
		}
	}
}

// usable reports whether the skill has a name and a description.
func usable(d *spec.Document) bool { return d.Text("name") != "" && d.Text("description") != "" }

// explain returns a notice with the first error of a skill, or nil.
func explain(d *spec.Document, what string) *Notice {
	found := rules.Check(d, spec.Options{Least: spec.Error})
	found = slices.DeleteFunc(found, func(f spec.Diagnostic) bool { return f.Level < spec.Error })
	if len(found) == 0 {
		return nil
	}
	validate := "skills validate " + d.Path
	n := &Notice{Path: found[0].Place(), Message: what + ": " + oneLine(found[0].Message), Hint: cmp.Or(oneLine(found[0].Help), validate+" explains it")}
	if len(found) > 1 {
		n.Message += fmt.Sprintf(" (and %d more)", len(found)-1)
		n.Hint = validate + " lists them"
	}
	return n
}

// oneLine joins the lines of a message.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// maxWorkers limits the goroutines of one call: more do not make a disk faster.
const maxWorkers = 8

// Any reports whether has is true for any of 0 to n-1, checked in parallel. It
// stops at the first success. The error is that of the context.
func Any(ctx context.Context, n int, has func(i int) bool) (bool, error) {
	var found atomic.Bool
	err := Parallel(ctx, n, func(i int) {
		if !found.Load() && has(i) {
			found.Store(true)
		}
	})
	return found.Load(), err
}

// Parallel calls do for 0 to n-1 in parallel and waits for all calls. When the
// context ends, remaining calls are skipped and its error is returned.
func Parallel(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), maxWorkers, n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
