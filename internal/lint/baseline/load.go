package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"skills/internal/safefile"
)

// maxFile is the size in bytes up to which a baseline is read.
const maxFile = 32 << 20

// Error is a baseline that cannot be used.
type Error = safefile.Error

// maxCount is the highest count of one entry: more than any run finds.
const maxCount = 1 << 30

const writeAgain = "recreate it with --write-baseline"

// Load reads the baseline at path, a regular file of at most 32 MiB. Whatever is
// wrong with it is an *Error, which wraps fs.ErrNotExist for a missing file.
func Load(path string) (*Baseline, error) {
	src, err := safefile.Load(path, maxFile, "create it with --write-baseline", "name a file that --write-baseline wrote")
	if err != nil {
		return nil, err
	}
	return Parse(path, src)
}

// Parse reads the contents of a baseline. path is how errors name it, and its
// folder is what the paths in it are relative to.
func Parse(path string, src []byte) (*Baseline, error) {
	b := empty(path)
	var head struct{ Version int }
	if err := json.Unmarshal(src, &head); err != nil {
		return nil, damaged(path, src, err)
	}
	if head.Version != version {
		return nil, &Error{Path: path, Message: fmt.Sprintf("has version %d; this program needs version %d", head.Version, version), Help: writeAgain}
	}
	var doc document
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, damaged(path, src, err)
	}
	for i, e := range doc.Findings {
		if e.Path == "" || e.Rule == "" || e.Message == "" || e.Count < 1 || e.Count > maxCount {
			return nil, &Error{Path: path, Message: fmt.Sprintf("finding %d has no valid path, rule, message or count", i+1), Help: writeAgain}
		}
	}
	b.Entries = doc.Findings
	b.tidy()
	return b, nil
}

// damaged says where the JSON is broken.
func damaged(path string, src []byte, err error) error {
	out := &Error{Path: path, Message: "is damaged: " + err.Error(), Help: writeAgain, Err: err}
	offset := int64(-1)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
		out.Message = fmt.Sprintf("is damaged: %s cannot be of type %s", cmp.Or(kind.Field, "it"), kind.Value)
	}
	if offset >= 0 {
		before := src[:min(max(int(offset)-1, 0), len(src))]
		out.Line = 1 + bytes.Count(before, []byte("\n"))
		if line := src[bytes.LastIndexByte(before, '\n')+1:]; bytes.HasPrefix(line, []byte("<<<<<<<")) {
			out.Message, out.Help = "has a merge conflict", "resolve it, or "+writeAgain
		}
	}
	return out
}
