package check

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"skills/internal/eval/suite"
	"skills/internal/printable"
	"skills/internal/safefile"
)

// maxFile is the maximum size in bytes of a file that is searched.
const maxFile = 8 << 20

// file decides the checks of files.
func (g grader) file() (string, error) {
	root, err := safefile.OpenFolder(g.e.Dir)
	if err != nil {
		return "", fmt.Errorf("opening the outputs: %w", safefile.Reason(err))
	}
	defer root.Close()
	if g.Type == "file_exists" || g.Type == "file_absent" {
		return g.exists(root)
	}
	name := path.Clean(g.Path)
	input := slices.IndexFunc(g.e.Inputs, func(f suite.File) bool { return f.Path == name })
	var text bytes.Buffer
	err = safefile.Copy(&text, root, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) && input >= 0 && !slices.Contains(g.e.Removed, name) {
		if g.Type == "unchanged" {
			return "unchanged", nil
		}
		var src []byte
		src, err = safefile.ReadRegular(g.e.Inputs[input].Source, maxFile)
		text.Write(src)
	}
	switch {
	case errors.Is(err, safefile.ErrTooLarge):
		return "", fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	case err != nil:
		return no("%s: %v", name, safefile.Reason(err))
	}
	switch g.Type {
	case "file_contains":
		return contains(text.String(), g.Value, true)
	case "file_regex":
		return search(text.String(), g.Pattern)
	case "file_json":
		return g.jsonValue(text.String())
	case "csv_rows":
		return g.table(&text)
	}
	if input < 0 {
		return "", fmt.Errorf("%s is not an input of the case", name)
	}
	src, err := safefile.ReadRegular(g.e.Inputs[input].Source, maxFile)
	if err != nil {
		return "", fmt.Errorf("reading the input %s: %w", name, safefile.Reason(err))
	}
	if !bytes.Equal(src, text.Bytes()) {
		return no("%s changed from %d to %d bytes", name, len(src), text.Len())
	}
	return "unchanged", nil
}

// exists decides whether a file matches the path, which may be a pattern.
func (g grader) exists(root *os.Root) (string, error) {
	found, err := fs.Glob(root.FS(), path.Clean(g.Path))
	if err != nil {
		return "", err
	}
	for _, f := range g.e.Inputs {
		if ok, _ := path.Match(path.Clean(g.Path), f.Path); ok && !slices.Contains(g.e.Removed, f.Path) {
			found = append(found, f.Path)
		}
	}
	switch {
	case len(found) == 0 && g.Type == "file_exists":
		return no("no file %s", g.Path)
	case len(found) > 0 && g.Type == "file_absent":
		return no("found: %s", found[0])
	case len(found) > 0:
		return "found: " + found[0], nil
	}
	return "no file " + g.Path, nil
}

// table decides the check of a CSV file.
func (g grader) table(text io.Reader) (string, error) {
	rows := csv.NewReader(text)
	rows.ReuseRecord, rows.FieldsPerRecord = true, -1
	count := -1 // without the header
	for {
		row, err := rows.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return no("not CSV: %v", err)
		}
		if count++; count > 0 {
			continue
		}
		for _, column := range g.Columns {
			if !slices.ContainsFunc(row, func(cell string) bool { return strings.Trim(cell, "\uFEFF ") == column }) {
				return no("no column %s; the header is %s", printable.Quote(column), printable.Truncate(strings.Join(row, ","), 200))
			}
		}
	}
	if count < 0 {
		return no("the file has no header")
	}
	if g.Min != nil && float64(count) < *g.Min {
		return no("%d rows", count)
	}
	return g.within(float64(count), "rows")
}
