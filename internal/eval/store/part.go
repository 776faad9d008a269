package store

// A part is the folder of a shard: the cases that one machine of several has run. Parts come
// from other machines, so nothing in them is believed: what they have in common is compared,
// and each run that they list must be there.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/printable"
)

// PartFile is the file that makes a folder a part.
const PartFile = "part.json"

// partVersion is the version of the form of a part.
const partVersion = 1

// maxDepth is how deep parts are searched for.
const maxDepth = 8

// Part is the content of part.json.
type Part struct {
	Version  int      `json:"schema_version"`
	Skill    string   `json:"skill_name"`
	Path     string   `json:"path"` // of the skill, slash-separated, relative to where the eval was started; "" elsewhere
	Number   int      `json:"part"` // from 1
	Count    int      `json:"parts"`
	Of       Origin   `json:"of"`
	Complete bool     `json:"complete"` // false until the last run is graded
	Cases    []string `json:"cases"`    // folders of the cases that the part has
	Runs     []string `json:"runs"`     // folders of its finished runs, slash-separated
	Meta     Meta     `json:"metadata"` // of the part's own runs
	Dir      string   `json:"-"`        // where the part is
}

// Origin is what the parts of an eval have in common: digests, except of the model.
type Origin struct {
	Files      string `json:"skill"` // of the skills in both arms
	Cases      string `json:"cases"` // of the cases with their inputs and checks
	Model      string `json:"model"` // with its server
	Judge      string `json:"judge"` // with its votes
	Parameters string `json:"parameters"`
}

// NewPart returns a part of an eval.
func NewPart(number, count int, of Origin) Part {
	return Part{Version: partVersion, Number: number, Count: count, Of: of, Cases: []string{}, Runs: []string{}}
}

// PartFolder returns the name of the folder of a part.
func PartFolder(number, count int) string { return fmt.Sprintf("part-%d-of-%d", number, count) }

// Write writes part.json into the folder of the part.
func (p Part) Write(ctx context.Context) error {
	return files.SaveJSON(ctx, filepath.Join(p.Dir, PartFile), p)
}

// String returns the name of the part for messages.
func (p Part) String() string {
	return fmt.Sprintf("part %d of %d of %s", p.Number, p.Count, cmp.Or(p.Skill, "a skill"))
}

// ReadPart reads the part in a folder. Without a part.json the error is fs.ErrNotExist.
func ReadPart(dir string) (Part, error) {
	path := filepath.Join(dir, PartFile)
	p := Part{}
	if _, err := os.Lstat(path); err != nil {
		return p, err
	}
	if err := Check(dir); err != nil {
		return p, err
	}
	if err := Load(path, &p); err != nil {
		return p, err
	}
	p.Dir = dir
	isNumbered := p.Number >= 1 && p.Number <= p.Count
	switch {
	case p.Version != partVersion:
		return p, pathError(path, fmt.Sprintf("has version %d of the form, not %d", p.Version, partVersion), "use one version of skills for all parts")
	case !isNumbered || p.Skill == "":
		return p, pathError(path, "is damaged: it names no skill or no part", "run the part again")
	}
	for _, name := range p.Cases { // a folder further below could be reached through a link
		if !strings.HasPrefix(name, "eval-") || filepath.Base(name) != name || strings.Contains(name, "/") {
			return p, pathError(path, "is damaged: it names the case "+printable.Quote(name), "run the part again")
		}
	}
	return p, nil
}

// FindParts returns the parts in a folder and below it, by their paths. A folder with the name
// of a part and nothing that says what it is was not finished, or lost a file on its way.
func FindParts(dir string) (parts []Part, err error) {
	root := files.Resolved(dir)
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, path)
		if err == nil {
			err = relErr
		}
		switch {
		case err != nil:
			return pathError(path, "cannot be read: "+files.Reason(err).Error(), "name a folder with the parts of an eval")
		case !e.IsDir():
			return nil
		case e.Name() == ".git" || strings.Count(rel, string(filepath.Separator)) >= maxDepth:
			return fs.SkipDir
		}
		p, err := ReadPart(path)
		var number, count int
		_, noName := fmt.Sscanf(e.Name(), "part-%d-of-%d", &number, &count)
		switch {
		case errors.Is(err, fs.ErrNotExist) && noName == nil && e.Name() == PartFolder(number, count):
			return pathError(path, "has no "+PartFile, fmt.Sprintf("copy the whole folder, or run the part again with --shard %d/%d", number, count))
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		}
		parts = append(parts, p)
		return fs.SkipDir
	})
	if err == nil && len(parts) == 0 {
		err = pathError(dir, "no part of an eval found", "name a folder that skills eval --shard has written")
	}
	return parts, err
}

// Group returns the parts by skill, in the order of the skills' paths, each complete and in
// the order of its parts. An error names what is missing, double, unfinished or of another
// eval.
func Group(parts []Part) (groups [][]Part, err error) {
	parts = slices.SortedStableFunc(slices.Values(parts), func(a, b Part) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Skill, b.Skill), cmp.Compare(a.Number, b.Number))
	})
	for _, p := range parts {
		if n := len(groups); n > 0 && groups[n-1][0].Path == p.Path && groups[n-1][0].Skill == p.Skill {
			groups[n-1] = append(groups[n-1], p)
		} else {
			groups = append(groups, []Part{p})
		}
	}
	incomplete := 0
	for _, g := range groups {
		if e := checkGroup(g); e != nil {
			incomplete++
			err = cmp.Or(err, e)
		}
	}
	refused, ok := errors.AsType[*fault.Error](err)
	if ok && incomplete > 1 {
		refused.Message += fmt.Sprintf("; nor can %s be joined", printable.Plural(incomplete-1, "other skill"))
	}
	return groups, err
}

// checkGroup returns why the parts of a skill, by their numbers, cannot be joined.
func checkGroup(g []Part) error {
	first := g[0]
	have := map[int]string{}
	for _, p := range g {
		if err := first.differs(p); err != "" {
			return pathError(p.Dir, fmt.Sprintf("%v does not fit %v in %s: %s", p, first, first.Dir, err), "run all parts with the same files and flags")
		}
		if other, again := have[p.Number]; again {
			return pathError(p.Dir, fmt.Sprintf("%v is also in %s", p, other), "remove one of the two")
		}
		have[p.Number] = p.Dir
		if !p.Complete {
			return pathError(p.Dir, p.String()+" is unfinished", fmt.Sprintf("run it again with --shard %d/%d; finished runs are not repeated", p.Number, p.Count))
		}
	}
	missing := []string{}
	for number := 1; number <= first.Count && len(missing) < 10; number++ {
		if have[number] == "" {
			missing = append(missing, fmt.Sprint(number))
		}
	}
	if len(missing) > 0 {
		list := strings.Join(missing, ", ")
		return pathError("", fmt.Sprintf("of the %d parts of %s these are missing: %s", first.Count, first.Skill, list),
			fmt.Sprintf("run each with --shard NUMBER/%d, and name its folder", first.Count))
	}
	return nil
}

// differs returns in which respect another part is of another eval, or "".
func (p Part) differs(other Part) string {
	a, b := p.Of, other.Of
	switch {
	case p.Count != other.Count:
		return fmt.Sprintf("parts of %d and of %d", p.Count, other.Count)
	case a.Files != b.Files:
		return "the files of the skill differ"
	case a.Cases != b.Cases:
		return "the cases differ"
	case a.Model != b.Model:
		return fmt.Sprintf("the models differ (%s and %s)", a.Model, b.Model)
	case a.Judge != b.Judge:
		return fmt.Sprintf("the judges differ (%s and %s)", cmp.Or(a.Judge, "none"), cmp.Or(b.Judge, "none"))
	case a.Parameters != b.Parameters:
		return "the parameters, limits or approvals of the runs differ"
	}
	return ""
}

// Join copies the cases of all parts of an eval into a new iteration, and returns its runs
// and what it records besides them.
func Join(parts []Part, dir string) (runs []Run, meta Meta, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, Meta{}, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, Meta{}, err
	}
	listed := map[string]bool{}
	meta = parts[0].Meta
	meta.NotRun, meta.Stopped, meta.Runs, meta.Dir = 0, "", 0, dir
	for _, p := range parts {
		meta.NotRun += p.Meta.NotRun
		meta.Stopped = cmp.Or(meta.Stopped, p.Meta.Stopped)
		meta.Timestamp = min(meta.Timestamp, p.Meta.Timestamp)
		for _, name := range p.Cases {
			if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(p.Dir, name))); err != nil {
				return nil, meta, pathError(p.Dir, "cannot be copied: "+files.Reason(err).Error(), "copy the whole folder of the part, or run the part again")
			}
		}
		for _, name := range p.Runs {
			listed[filepath.Join(dir, filepath.FromSlash(name))] = true
		}
	}
	if len(listed) == 0 {
		return nil, meta, nil
	}
	all, _, err := Read(dir)
	if err != nil {
		return nil, meta, err
	}
	for _, r := range all {
		if listed[r.Dir] { // a run that a budget ended before it was graded is not
			runs, meta.Runs = append(runs, r), max(meta.Runs, r.Number)
			delete(listed, r.Dir)
		}
	}
	for _, missing := range slices.Sorted(maps.Keys(listed)) {
		rel, _ := filepath.Rel(dir, missing)
		return nil, meta, pathError("", fmt.Sprintf("a part of %s has lost its run %s", parts[0].Skill, rel), "copy the whole folder of each part")
	}
	return runs, meta, nil
}
