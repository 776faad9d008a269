package check

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"skills/internal/eval/suite"
	"skills/internal/files"
	"skills/internal/printable"
)

const maxFile = 8 << 20 // bytes of a file that is searched

func (g grader) file() (bool, string, error) {
	root, err := files.OpenFolder(g.e.Dir)
	if err != nil {
		return false, "", fmt.Errorf("opening the run's folder: %w", files.Reason(err))
	}
	defer root.Close()
	name := path.Clean(g.Path)
	input := slices.IndexFunc(g.e.Inputs, func(f suite.File) bool { return f.Path == name })
	if g.Type == "unchanged" && input < 0 {
		return false, "", fmt.Errorf("%s is not an input of the case", name)
	}
	if g.Type == "file_exists" || g.Type == "file_absent" {
		literal := strings.NewReplacer(`\`, `\\`, `[`, `\[`) // only * and ? have a meaning
		found, err := fs.Glob(root.FS(), literal.Replace(name))
		evidence := append(found, "no file "+name)[0]
		return (len(found) > 0) == (g.Type == "file_exists"), evidence, err
	}
	if g.Type == "names_regex" {
		var names []string
		err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				names = append(names, name)
			}
			return err
		})
		for _, name := range names {
			if found, evidence, fault := search(name, g.Pattern); found || fault != nil {
				return found, evidence, fault
			}
		}
		return false, fmt.Sprintf("no name of %d files matches", len(names)), err
	}
	var text bytes.Buffer
	err = files.Copy(&text, root, name, maxFile)
	switch {
	case errors.Is(err, files.ErrTooLarge):
		return false, "", fmt.Errorf("%s is larger than %d bytes", name, maxFile)
	case err != nil: // with not, a missing file does not pass either
		return g.Not, name + ": " + err.Error(), nil
	}
	switch g.Type {
	case "file_contains":
		return contains(text.String(), g.Value, true)
	case "file_regex":
		return search(text.String(), g.Pattern)
	case "file_json":
		return g.jsonValue(text.String())
	case "csv_rows":
		return g.table(text.Bytes())
	}
	before, err := g.e.Inputs[input].Read(maxFile)
	evidence := fmt.Sprintf("%d bytes before, %d bytes after", len(before), text.Len())
	return bytes.Equal(before, text.Bytes()), evidence, err
}

// table decides the check of a CSV file.
func (g grader) table(text []byte) (bool, string, error) {
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\uFEFF"))))
	reader.FieldsPerRecord = -1
	rows, err := reader.ReadAll()
	switch {
	case err != nil:
		return false, "not CSV: " + err.Error(), nil
	case len(rows) == 0:
		return false, "the file has no header", nil
	}
	for _, column := range g.Columns {
		if !slices.ContainsFunc(rows[0], func(cell string) bool { return strings.TrimSpace(cell) == column }) {
			return false, "no column " + printable.Quote(column) + " in " + strings.Join(rows[0], ","), nil
		}
	}
	return g.within(float64(len(rows)-1), "rows")
}
