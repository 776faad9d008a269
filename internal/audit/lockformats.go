package audit

// The formats of lock files, one row each. A format that has a digest of each file tells
// which files differ; one with a digest of the folder tells only that something does; one
// with a version alone can be read, but not compared. Formats were read from the sources of
// the installers: skills 1.5.18, APM (July 2026), ToolHive (2026), @sentry/dotagents 1.19.0
// and clawhub 0.20.0; that of skills.lock.yaml from its documentation.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v4"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/jsonpos"
	"skills/internal/printable"
)

const (
	maxLock  = 8 << 20 // bytes of a lock file
	maxLocks = 20_000  // entries, and files of an entry
	again    = "write it again with the installer"
)

// lockFile is a format, and the name of its file.
type lockFile struct {
	path     string                                            // relative to the project, with slashes
	complete bool                                              // skills next to locked ones are locked too
	parse    func(src []byte) (entries []lockEntry, err error) // errors as of the parser, or *lockError
}

// lockFiles returns the formats in the order of output.
func lockFiles() []lockFile {
	return []lockFile{
		{"skills-lock.json", true, parseSkillsLock},
		{".agents/.skill-lock.json", false, parseSkillsLock},
		{"apm.lock.yaml", false, parseAPM},
		{"toolhive.lock.yaml", false, parseToolHive},
		{"agents.lock", false, parseAgents},
		{".clawhub/lock.json", false, parseClawHub},
		{"skills.lock.yaml", false, parseSkillLock},
	}
}

// lockEntry is a skill in a lock file.
type lockEntry struct {
	name     string
	unpinned string // why nothing holds it to a version, "" if something does
	version  string // the version or commit, where there is no digest
	signed   bool   // it has a signature

	// One of these digests.
	vercel  *vercelEntry
	content string            // of ToolHive
	origin  bool              // of ClawHub, in the skill's own folder
	files   map[string]string // of each file, by path relative to the skill, or to the project with atRoot

	atRoot bool // files may be of several skills, and of no skill
	text   bool // line ends of files do not count
}

// lockError is a fault of a lock file, at the first occurrence of a text.
type lockError struct{ text, message string }

// Error returns the message.
func (e *lockError) Error() string { return e.message }

// load reads a lock file. lines are those of merge conflict markers; both sides of a
// conflict are read. The error is a *fault.Error with the line.
func (f lockFile) load(path string) (entries []lockEntry, lines []int, err error) {
	src, err := files.Load(path, maxLock, again, again)
	if err != nil {
		return nil, nil, err
	}
	ours, theirs, lines := sides(src)
	entries, err = f.parse(ours)
	if err != nil {
		return nil, nil, f.damaged(path, ours, err)
	}
	if len(lines) > 0 {
		other, err := f.parse(theirs)
		if err != nil {
			return nil, nil, f.damaged(path, theirs, err)
		}
		for _, e := range other {
			if !slices.ContainsFunc(entries, func(x lockEntry) bool { return x.name == e.name }) {
				entries = append(entries, e)
			}
		}
	}
	slices.SortStableFunc(entries, func(a, b lockEntry) int { return cmp.Compare(a.name, b.name) })
	return entries[:min(len(entries), maxLocks)], lines, nil
}

// damaged returns the error for a file that cannot be parsed.
func (f lockFile) damaged(path string, src []byte, err error) error {
	var own *lockError
	var syntax toml.ParseError
	switch {
	case errors.As(err, &own):
		return jsonpos.ErrorAt(path, src, bytes.Index(src, []byte(own.text)), own.message, again)
	case errors.As(err, &syntax):
		return &fault.Error{Path: path, Line: syntax.Position.Line, Message: "is damaged: " + printable.Line(syntax.Message), Hint: again, Err: err}
	case strings.HasSuffix(f.path, ".json"):
		return jsonError(path, src, err)
	}
	line := 0
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if at := strings.Index(message, "line "); at >= 0 {
		_, _ = fmt.Sscanf(message[at:], "line %d", &line)
		_, message, _ = strings.Cut(message[at:], ": ")
	}
	return &fault.Error{Path: path, Line: line, Message: "is damaged: " + printable.Line(message), Hint: again, Err: err}
}

// jsonError returns the error of a JSON file that was parsed by [decodeJSON].
func jsonError(path string, src []byte, err error) error {
	if named := (*fault.Error)(nil); errors.As(err, &named) {
		return named
	}
	return jsonpos.Damaged(path, src, err, again)
}

// decodeJSON decodes JSON that may not have a key twice.
func decodeJSON(src []byte, v any) error { return jsonpos.DecodeJSON("", src, v, again) }

// sides returns the two sides of a text with merge conflicts, which are equal without any,
// and the lines of the markers.
func sides(src []byte) (ours, theirs []byte, lines []int) {
	if !bytes.Contains(src, []byte("<<<<<<<")) {
		return src, src, nil
	}
	const both, first, base, second = 0, 1, 2, 3
	at, n := both, 0
	for line := range bytes.Lines(src) {
		n++
		marker := func(mark string) bool { return bytes.HasPrefix(line, []byte(mark)) }
		next := at
		switch {
		case at == both && marker("<<<<<<<"):
			next = first
		case at == first && marker("|||||||"):
			next = base
		case (at == first || at == base) && marker("======="):
			next = second
		case at == second && marker(">>>>>>>"):
			next = both
		}
		if next != at {
			at, lines = next, append(lines, n)
			continue
		}
		if at == both || at == first {
			ours = append(ours, line...)
		}
		if at == both || at == second {
			theirs = append(theirs, line...)
		}
	}
	return ours, theirs, lines
}

// lineList returns line numbers for a message.
func lineList(lines []int) string {
	texts := make([]string, min(len(lines), 9))
	for i := range texts {
		texts[i] = strconv.Itoa(lines[i])
	}
	list := "lines " + strings.Join(texts, ", ")
	if more := len(lines) - len(texts); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// vercelEntry is a skill in a lock file of Vercel's installer.
type vercelEntry struct {
	SourceType      string
	ComputedHash    string // of version 1
	SkillFolderHash string // of version 3
	PinnedRef       string
}

func parseSkillsLock(src []byte) (out []lockEntry, err error) {
	var doc struct {
		Version int
		Skills  map[string]*vercelEntry
	}
	if err := decodeJSON(src, &doc); err != nil {
		return nil, err
	}
	switch {
	case doc.Version != 1 && doc.Version != 3:
		return nil, &lockError{`"version"`, fmt.Sprintf("has version %d; this program reads versions 1 and 3", doc.Version)}
	case doc.Skills == nil:
		return nil, &lockError{`"skills"`, "is damaged: it has no skills"}
	}
	for name, e := range doc.Skills {
		e = cmp.Or(e, &vercelEntry{})
		entry := lockEntry{name: name, vercel: e}
		if e.ComputedHash == "" && e.SkillFolderHash == "" {
			entry.vercel, entry.unpinned = nil, "has no digest of it"
			if e.PinnedRef != "" {
				entry.unpinned, entry.version = "", e.PinnedRef
			}
		}
		out = append(out, entry)
	}
	return out, nil
}

func parseAPM(src []byte) (out []lockEntry, err error) {
	type entry struct {
		RepoURL     string            `yaml:"repo_url"`
		Name        string            `yaml:"name"`
		VirtualPath string            `yaml:"virtual_path"`
		Source      string            `yaml:"source"`
		Commit      string            `yaml:"resolved_commit"`
		Hash        string            `yaml:"resolved_hash"`
		Hashes      map[string]string `yaml:"deployed_file_hashes"`
	}
	var doc struct {
		Version      string            `yaml:"lockfile_version"`
		Dependencies []entry           `yaml:"dependencies"`
		Local        map[string]string `yaml:"local_deployed_file_hashes"`
	}
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	if doc.Version != "1" && doc.Version != "2" {
		return nil, &lockError{"lockfile_version", "has version " + printable.Quote(doc.Version) + "; this program reads versions 1 and 2"}
	}
	for _, e := range doc.Dependencies {
		isLocal := e.Source == "local" || strings.HasPrefix(e.RepoURL, "_local/")
		x := lockEntry{name: strings.TrimSuffix(cmp.Or(e.RepoURL, e.Name)+"/"+e.VirtualPath, "/"), files: e.Hashes, atRoot: true, text: true}
		if e.Commit == "" && e.Hash == "" && !isLocal {
			x.unpinned = "has neither a commit nor a digest of its source"
		}
		out = append(out, x)
	}
	if len(doc.Local) > 0 {
		out = append(out, lockEntry{name: ".", files: doc.Local, atRoot: true, text: true})
	}
	return out, nil
}

func parseToolHive(src []byte) (out []lockEntry, err error) {
	var doc struct {
		Version int `yaml:"version"`
		Skills  []struct {
			Name          string         `yaml:"name"`
			Digest        string         `yaml:"digest"`
			ContentDigest string         `yaml:"contentDigest"`
			Provenance    map[string]any `yaml:"provenance"`
		} `yaml:"skills"`
	}
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	if doc.Version != 1 {
		return nil, &lockError{"version", fmt.Sprintf("has version %d; this program reads version 1", doc.Version)}
	}
	for _, e := range doc.Skills {
		x := lockEntry{name: e.Name, content: e.ContentDigest, signed: len(e.Provenance) > 0}
		if x.content == "" {
			x.version, x.unpinned = e.Digest, map[bool]string{true: "has no digest of it"}[e.Digest == ""]
		}
		out = append(out, x)
	}
	return out, nil
}

func parseAgents(src []byte) (out []lockEntry, err error) {
	var doc struct {
		Version int `toml:"version"`
		Skills  map[string]struct {
			Source string `toml:"source"`
			URL    string `toml:"resolved_url"`
			Commit string `toml:"resolved_commit"`
			Old    string `toml:"commit"` // before version 1
		} `toml:"skills"`
	}
	if err := toml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	if doc.Version != 1 {
		return nil, &lockError{"version", fmt.Sprintf("has version %d; this program reads version 1", doc.Version)}
	}
	for name, e := range doc.Skills {
		x := lockEntry{name: name, version: cmp.Or(e.Commit, e.Old)}
		switch {
		case x.version != "":
		case e.URL == "":
			x.version = "the folder " + e.Source
		default:
			x.unpinned = "has no commit of it"
		}
		out = append(out, x)
	}
	return out, nil
}

func parseClawHub(src []byte) (out []lockEntry, err error) {
	var doc struct {
		Version int
		Skills  map[string]struct{ Version *string }
	}
	if err := decodeJSON(src, &doc); err != nil {
		return nil, err
	}
	if doc.Version != 1 {
		return nil, &lockError{`"version"`, fmt.Sprintf("has version %d; this program reads version 1", doc.Version)}
	}
	for name, e := range doc.Skills {
		x := lockEntry{name: name, origin: true}
		if e.Version == nil || *e.Version == "" {
			x.unpinned = "has no version of it"
		} else {
			x.version = *e.Version
		}
		out = append(out, x)
	}
	return out, nil
}

func parseSkillLock(src []byte) (out []lockEntry, err error) {
	var doc struct {
		Version int `yaml:"lockfileVersion"`
		Skills  []struct {
			Name  string `yaml:"name"`
			Files []struct{ Path, Hash string }
		} `yaml:"skills"`
	}
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	if doc.Version != 1 && doc.Version != 2 {
		return nil, &lockError{"lockfileVersion", fmt.Sprintf("has version %d; this program reads versions 1 and 2", doc.Version)}
	}
	for _, e := range doc.Skills {
		x := lockEntry{name: e.Name, files: map[string]string{}}
		for _, f := range e.Files {
			x.files[path.Clean(f.Path)] = f.Hash
		}
		if len(e.Files) == 0 {
			x.unpinned = "has no digest of it"
		}
		out = append(out, x)
	}
	return out, nil
}

// paths returns the files of an entry, sorted.
func (e lockEntry) paths() []string {
	names := slices.Sorted(maps.Keys(e.files))
	return names[:min(len(names), maxLocks)]
}
