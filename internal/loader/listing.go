package loader

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/safefile"
)

// How much of a skill's folder is listed for an agent.
const (
	maxListed = 2_000 // resources and scripts
	listDepth = 8     // folders below the skill's own
)

// Kinds says which files of a skill's folder are resources and which are
// scripts. A nil list means the default one, an empty list none.
// Extensions start with a dot and are compared without case.
type Kinds struct {
	ResourceExtensions []string
	ScriptExtensions   []string
}

// DefaultKinds returns the extensions that the agent framework documents, and
// the other script languages that are common in published skills.
func DefaultKinds() Kinds {
	return Kinds{
		ResourceExtensions: []string{".md", ".json", ".yaml", ".yml", ".csv", ".xml", ".txt"},
		ScriptExtensions: []string{
			".py", ".js", ".sh", ".ps1", ".cs", ".csx",
			".ts", ".rb", ".go", ".mjs", ".bash", ".pl",
		},
	}
}

// ConfigError is an invalid setting.
type ConfigError struct{ Message, Help string }

// Error says which setting is invalid, and why.
func (e *ConfigError) Error() string { return e.Message }

// Hint says what to write instead.
func (e *ConfigError) Hint() string { return e.Help }

// Check returns a *ConfigError for an extension without a leading dot.
func (k Kinds) Check() error {
	for _, ext := range slices.Concat(k.ResourceExtensions, k.ScriptExtensions) {
		if len(ext) < 2 || ext[0] != '.' || strings.ContainsAny(ext, `/\`) {
			return &ConfigError{
				Message: fmt.Sprintf("extension %q does not start with a dot", ext),
				Help:    fmt.Sprintf("write %q", "."+strings.Trim(ext, `./\ `)),
			}
		}
	}
	return nil
}

// orDefault fills in the lists that were not given.
func (k Kinds) orDefault() Kinds {
	d := DefaultKinds()
	if k.ResourceExtensions == nil {
		k.ResourceExtensions = d.ResourceExtensions
	}
	if k.ScriptExtensions == nil {
		k.ScriptExtensions = d.ScriptExtensions
	}
	return k
}

// hasExtension reports whether a slash path ends in one of the extensions,
// which may have several dots.
func hasExtension(name string, extensions []string) bool {
	name = strings.ToLower(path.Base(name))
	for _, ext := range extensions {
		if stem, ok := strings.CutSuffix(name, strings.ToLower(ext)); ok && stem != "" {
			return true
		}
	}
	return false
}

// Listing is what a skill's folder offers, as sorted slash paths.
type Listing struct {
	Resources, Scripts []string
}

// List lists the files of a skill's folder that are of one of the kinds. It
// skips every SKILL.md, hidden files and folders, node_modules and __pycache__,
// and links that leave the folder. A link to a folder is followed, a second
// link below it is not. Folders that cannot be read and lists cut short are
// notices, in a fixed order; notify may be nil.
func List(ctx context.Context, dir string, kinds Kinds, notify Notify) (Listing, error) {
	if err := kinds.Check(); err != nil {
		return Listing{}, err
	}
	root, err := safefile.OpenFolder(dir)
	if err != nil {
		return Listing{}, fmt.Errorf("reading skill folder: %w", safefile.Reason(err))
	}
	defer root.Close()
	entries, omitted, err := folderWalk{depth: listDepth, entries: maxFolderEntries, links: true}.run(ctx, root)
	if err != nil {
		return Listing{}, err
	}
	if notify == nil {
		notify = func(Notice) {}
	}
	leftOut := func(name, format string, limit int) {
		notify(Notice{
			Path:    filepath.Join(dir, filepath.FromSlash(name)),
			Message: fmt.Sprintf(format+": this and more is skipped", limit),
			Hint:    "keep what the skill does not need out of its folder",
		})
	}
	for _, o := range omitted {
		switch {
		case errors.Is(o.err, errDepth):
			leftOut(o.name, "only %d levels of folders are listed", listDepth)
		case errors.Is(o.err, errFull):
			leftOut(o.name, "only %d files and folders of a skill are read", maxFolderEntries)
		default:
			n := unreadable(filepath.Join(dir, filepath.FromSlash(o.name)), o.err)
			n.Hint = "files in it are not offered"
			notify(n)
		}
	}
	var out Listing
	kinds = kinds.orDefault()
	for _, e := range entries {
		isScript, offered := kinds.classify(root, e)
		if !offered {
			continue
		}
		if len(out.Resources)+len(out.Scripts) == maxListed {
			leftOut(e.Name, "only %d files of a skill are listed", maxListed)
			break
		}
		if isScript {
			out.Scripts = append(out.Scripts, e.Name)
		} else {
			out.Resources = append(out.Resources, e.Name)
		}
	}
	slices.Sort(out.Resources)
	slices.Sort(out.Scripts)
	return out, nil
}

// classify says whether an entry is offered to an agent, and as a script or as a
// resource. A file below scripts/ that starts with a shebang is a script.
func (k Kinds) classify(root *os.Root, e walkEntry) (isScript, offered bool) {
	base := path.Base(e.Name)
	if !e.target.IsRegular() || isPrivate(base) || isSkillFileName(base) {
		return false, false
	}
	isScript = hasExtension(e.Name, k.ScriptExtensions) ||
		len(k.ScriptExtensions) > 0 && strings.HasPrefix(e.Name, "scripts/") && hasShebang(root, e.Name)
	return isScript, isScript || hasExtension(e.Name, k.ResourceExtensions)
}

func hasShebang(root *os.Root, name string) bool {
	f, _, err := openRegular(root, name)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 2)
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == "#!"
}
