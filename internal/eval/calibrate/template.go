package calibrate

// A template for labels is made of stored runs. Neither the arms nor what a judge said are in
// it, so that the person decides for themselves: runs are in the order of a digest, and so
// are the answers of a pair.

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/eval/store"
	"skills/internal/eval/suite"
	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/transcript"
)

// Limits of a template.
const (
	maxDocument  = 20_000 // bytes of a file
	maxDocuments = 20     // of a run
)

// work is a stored run.
type work struct {
	run    store.Run
	prompt string
	suite.Work
}

// key orders work so that its place says nothing about it.
func (w work) key() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(w.run.Case+"\x00"+w.Answer+"\x00"+w.run.Configuration)))
}

// Template returns the examples of the stored runs in a folder, without labels. An error is a
// *fault.Error.
func Template(dir string) (*suite.Labels, error) {
	runs, _, err := store.Read(store.Workspace(dir))
	if err != nil {
		return nil, fault.AsUsage(err)
	}
	all, err := readAll(runs)
	if err != nil {
		return nil, fault.AsUsage(err)
	}
	slices.SortStableFunc(all, func(a, b work) int { return cmp.Compare(a.key(), b.key()) })
	labels := &suite.Labels{SchemaVersion: 1}
	counts := map[string]int{}
	for _, w := range all {
		e := suite.Example{Prompt: w.prompt, Answer: w.Answer, Files: w.Files}
		for _, o := range w.run.Outcomes {
			if o.Judge != "" {
				e.Sentences = append(e.Sentences, suite.Sentence{Text: o.Text})
			}
		}
		if len(e.Sentences) > 0 {
			counts[w.run.Case]++
			e.ID = fmt.Sprintf("%s-%d", w.run.Case, counts[w.run.Case])
			labels.Examples = append(labels.Examples, e)
		}
	}
	labels.Examples = append(labels.Examples, pairsOf(all)...)
	if len(labels.Examples) == 0 {
		return nil, fault.Usage("name an iteration with a baseline, or with sentences that a judge has decided", "%s has nothing to label", dir)
	}
	return labels, nil
}

// readAll reads the answers, the files and the prompts of runs that have a score.
func readAll(runs []store.Run) (all []work, err error) {
	for _, r := range runs {
		if r.Failed() != "" {
			continue
		}
		w := work{run: r}
		result, err := transcript.ReadFile(filepath.Join(r.Dir, "transcript.jsonl"), func(agent.Event) {})
		if err != nil {
			return nil, &fault.Error{Err: err, Hint: "name an iteration that skills eval has written"}
		}
		w.Answer = result.Text
		var meta store.CaseMeta
		if err := store.Load(filepath.Join(filepath.Dir(filepath.Dir(r.Dir)), store.MetadataFile), &meta); err != nil {
			return nil, err
		}
		w.prompt = cmp.Or(meta.Prompt, r.Name, r.Case)
		w.Files, err = documents(filepath.Join(r.Dir, store.OutputsFolder), r.Timing.Answer)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// documents returns the texts among the files of a run, as far as they are short, without the
// copy of its answer.
func documents(dir, answer string) (list []suite.Document, err error) {
	root, err := files.OpenFolder(dir)
	if err != nil {
		return nil, nil // the run has left nothing
	}
	defer root.Close()
	full := errors.New("enough")
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || name == answer {
			return err
		}
		info, err := entry.Info()
		if err != nil || info.Size() > maxDocument {
			return err
		}
		data, err := fs.ReadFile(root.FS(), name)
		if err == nil && utf8.Valid(data) {
			list = append(list, suite.Document{Path: name, Content: string(data)})
		}
		if err == nil && len(list) == maxDocuments {
			return full
		}
		return err
	})
	if errors.Is(err, full) {
		err = nil
	}
	return list, err
}

// pairsOf returns the runs of both arms with the same number as pairs, in the order of all.
func pairsOf(all []work) (pairs []suite.Example) {
	type id struct {
		c      string
		number int
	}
	first := map[id]work{}
	for _, w := range all {
		at := id{w.run.Case, w.run.Number}
		other, found := first[at]
		if !found {
			first[at] = w
			continue
		}
		pairs = append(pairs, suite.Example{
			ID: fmt.Sprintf("%s-pair-%d", w.run.Case, w.run.Number), Prompt: w.prompt, Answers: []suite.Work{other.Work, w.Work},
		})
	}
	return pairs
}
