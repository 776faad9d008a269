package loader

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"skills/internal/spec"
)

// Properties reads a skill's frontmatter with read, which is
// [spec.ReadProperties] or [spec.UsableProperties]. The error is a
// *Error.
func Properties(found Found, read func(*spec.Document) (spec.Properties, error)) (spec.Properties, error) {
	doc := OpenDocument(found)
	p, err := read(doc)
	if err == nil {
		return p, nil
	}
	e, ok := spec.IsReadError(err)
	switch {
	case !ok:
		return p, &Error{Message: fmt.Sprintf("%s: %v", doc.Path, err)}
	case doc.File == "" && e.Rule == "skill-file":
		return p, notFound(doc.Path)
	}
	place := spec.Diagnostic{Path: doc.Path, Span: e.Span}.Place()
	return p, &Error{Message: fmt.Sprintf("%s: %v", place, e), Help: e.Help}
}

func notFound(path string) *Error {
	return &Error{Message: skillFileName + " not found in " + path, Help: "name a folder that holds a " + skillFileName}
}

// PropertiesAt reads the frontmatter of the one skill that path refers to, as
// the reference library does: a folder is not searched. Errors are
// *Error and *TargetError, unless the context ended.
func PropertiesAt(ctx context.Context, path string) (spec.Properties, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found, err := Search{}.Inspect(ctx, path)
		if err != nil {
			return spec.Properties{}, err
		}
		return Properties(found, spec.ReadProperties)
	}
	target, err := Resolve(ctx, path, Search{})
	var bad *TargetError
	switch {
	case errors.As(err, &bad) && bad.Problem == TargetNoSkill:
		return spec.Properties{}, notFound(path)
	case err != nil:
		return spec.Properties{}, err
	}
	return Properties(target.Skills[0], spec.ReadProperties)
}

// Location is the absolute path of the skill's file, links resolved, as the
// reference library prints it.
func (f Found) Location() string { return filepath.Join(f.Real, f.File) }
