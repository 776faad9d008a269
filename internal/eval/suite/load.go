package suite

import (
	"context"
	"errors"
)

// Problem is what is wrong with an eval file. Cases with an error cannot be run.
type Problem struct {
	Path    string `json:"path"` // as the caller named the skill's folder, joined with the file's path
	Line    int    `json:"line"` // from 1
	Col     int    `json:"column"`
	Level   string `json:"level"` // Error or Warning
	Message string `json:"message"`
	Help    string `json:"help,omitempty"`
}

// Levels of a Problem.
const (
	Error   = "error"
	Warning = "warning"
)

// Load reads the eval files of the skill in the folder dir. Without any, the suite is
// empty. What is wrong with the files are problems, in the order of files and lines; the
// error is that of the context, or that the folder cannot be opened.
func Load(ctx context.Context, dir string) (*Suite, []Problem, error) {
	return nil, nil, errors.New("not implemented")
}

// LoadQueries reads a trigger list, which is JSON or CSV. The error is that of the file.
func LoadQueries(path string) ([]Query, []Problem, error) {
	return nil, nil, errors.New("not implemented")
}

// SchemaNames returns the names that Schema knows.
func SchemaNames() []string { return []string{"checks", "evals", "triggers"} }

// Schema returns the JSON Schema of a file: one of SchemaNames. Others are an error.
func Schema(name string) ([]byte, error) { return nil, errors.New("not implemented") }

// Init writes evals/evals.json with two cases and evals/triggers.json for the skill in the
// folder dir, and returns the paths of what it wrote below dir. It writes nothing and
// returns fs.ErrExist if one of them exists.
func Init(dir string) ([]string, error) { return nil, errors.New("not implemented") }
