package rules

import (
	"bytes"
	"path"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var scriptEmpty = &spec.Rule{
	ID:     "script-empty",
	Title:  "scripts have a program in them",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "what is left of failed downloads and forgotten files",
	Check: func(p *spec.Pass) {
		for _, f := range filesOf(p.Doc) {
			language := references.Language(f.Name, nil)
			isScript := f.Mode.IsRegular() && language != "" && !references.IsProjectFile(path.Base(f.Name))
			if isPage := f.Size > 0 && language == "php"; !isScript || isPage || spec.IsSample(f.Name) {
				continue // a program of PHP is a page
			}
			src, err := p.Doc.Files.Read(f.Name, maxText)
			if err != nil {
				continue
			}
			start := bytes.TrimSpace(bytes.TrimPrefix(src, []byte(byteOrderMark)))
			switch at := errorPage().FindIndex(start[:min(len(start), 200)]); {
			case len(start) == 0:
				reportFile(p, f.Name, "write the script, or delete the file", "%s is empty", printable.Quote(f.Name))
			case at != nil:
				t := text{name: f.Name, src: src, file: f}
				offset := bytes.Index(src, start)
				t.report(p, offset, offset+at[1], "download the file again, or delete it",
					"%s is no script, but a saved page: %s", printable.Quote(f.Name), printable.Quote(string(start[:at[1]])))
			}
		}
	},
}

// errorPage matches the beginning of what servers send instead of a file.
var errorPage = lazyregexp.New(`^(?:40[0-9]|50[0-9])(?::| )[ ]?(?:Not Found|Forbidden|Unauthorized|Bad Request|Bad Gateway|Internal Server Error|Service Unavailable)\s*$` +
	`|^(?i:<!doctype html|<html)[^>\n]*>?|^\{"message": ?"(?:Not Found|Bad credentials)"`)
