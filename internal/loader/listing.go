package loader

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skills/internal/fault"
	"skills/internal/files"
	"skills/internal/programs"
)

// Limits for the listing of a skill's folder.
const (
	maxListed = 2_000 // resources and scripts
	listDepth = 8     // folders below the skill's own
)

// Extensions narrow what of a skill's folder is offered. An empty list is the
// default: every file as a resource, ScriptExtensions as scripts, nothing hidden.
type Extensions struct {
	Resources, Scripts []string // as ParseExtension returns them
	// Hide holds patterns of files that are not offered, see [CheckHide].
	Hide []string
}

// ParseExtension reads an extension, with or without its dot, in any case. The
// error is an *fault.Error.
func ParseExtension(text string) (string, error) {
	ext := "." + strings.TrimPrefix(strings.ToLower(strings.TrimSpace(text)), ".")
	if path.Ext(ext) != ext || ext == "." || strings.ContainsAny(ext, "/*? ") {
		return ext, &fault.Error{Message: fmt.Sprintf("%q is not a file extension", text), Hint: "write it as .md or md"}
	}
	return ext, nil
}

// hasExtension reports whether a slash path ends in one of the extensions.
func hasExtension(name string, extensions []string) bool {
	name = strings.ToLower(path.Base(name))
	return path.Ext(name) != name && slices.Contains(extensions, path.Ext(name))
}

// mayBeScript reports whether an entry is a script, or a folder that may
// contain one.
func mayBeScript(e fs.DirEntry) bool {
	return !e.Type().IsRegular() || hasExtension(e.Name(), programs.ScriptExtensions())
}

// Listing holds the files of a skill's folder, as sorted slash paths.
type Listing struct {
	Resources, Scripts []string
	SkillFiles         []string // each SKILL.md, including those of nested skills
}

// List returns the scripts in a skill's folder, and the other files as
// resources, limited to ext. It skips hidden files and folders,
// node_modules and __pycache__, and links that leave the folder. A link to a
// folder is followed, but not a second link below it. Unreadable folders and
// truncated lists are notices, in a fixed order; notify may be nil.
func List(ctx context.Context, dir string, ext Extensions, notify Notify) (Listing, error) {
	root, err := files.OpenFolder(dir)
	if err != nil {
		return Listing{}, fmt.Errorf("reading skill folder: %w", files.Reason(err))
	}
	defer root.Close()
	entries, omitted, err := folderWalk{depth: listDepth, entries: maxFolderEntries, links: true}.run(ctx, root)
	if err != nil {
		return Listing{}, err
	}
	notify = once(notify)
	reportOmitted := func(name, format string, limit int) {
		notify(Notice{
			Path:    filepath.Join(dir, filepath.FromSlash(name)),
			Message: fmt.Sprintf(format+": this and more is skipped", limit),
			Hint:    "keep what the skill does not need out of its folder",
		})
	}
	for _, o := range omitted {
		switch {
		case errors.Is(o.err, errDepth):
			reportOmitted(o.name, "only %d levels of folders are listed", listDepth)
		case errors.Is(o.err, errFull):
			reportOmitted(o.name, "only %d files and folders of a skill are read", maxFolderEntries)
		default:
			n := unreadable(filepath.Join(dir, filepath.FromSlash(o.name)), o.err)
			n.Hint = "files in it are not offered"
			notify(n)
		}
	}
	var out Listing
	hidden := ext.hides()
	for _, e := range entries {
		if hidden(e.Name) {
			continue
		}
		if isSkillFileName(path.Base(e.Name)) && e.target.IsRegular() {
			out.SkillFiles = append(out.SkillFiles, e.Name)
		}
		isScript, offered := ext.classify(root, e)
		if !offered {
			continue
		}
		if len(out.Resources)+len(out.Scripts) == maxListed {
			reportOmitted(e.Name, "only %d files of a skill are listed", maxListed)
			break
		}
		if isScript {
			out.Scripts = append(out.Scripts, e.Name)
		} else {
			out.Resources = append(out.Resources, e.Name)
		}
	}
	slices.Sort(out.SkillFiles)
	slices.Sort(out.Resources)
	slices.Sort(out.Scripts)
	return out, nil
}

// classify reports whether an entry is offered to an agent, and whether as a
// script or a resource. A file below scripts/ that starts with a shebang is a script.
func (x Extensions) classify(root *os.Root, e walkEntry) (isScript, offered bool) {
	base := path.Base(e.Name)
	if !e.target.IsRegular() || isPrivate(base) || isSkillFileName(base) {
		return false, false
	}
	switch {
	case len(x.Scripts) > 0:
		isScript = hasExtension(e.Name, x.Scripts)
	case hasExtension(e.Name, programs.ScriptExtensions()):
		isScript = true
	case strings.HasPrefix(e.Name, "scripts/"):
		start, _, err := readIn(root, e.Name, 0, 2)
		isScript = err == nil && string(start) == "#!"
	}
	return isScript, isScript || len(x.Resources) == 0 || hasExtension(e.Name, x.Resources)
}
