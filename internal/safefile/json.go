package safefile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// Damaged is the error of a JSON file that json.Unmarshal refused, with the line
// where it is broken. again says how the file is written anew.
func Damaged(path string, src []byte, err error, again string) error {
	out := &Error{Path: path, Message: "is damaged: " + err.Error(), Help: again, Err: err}
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
			out.Message, out.Help = "has a merge conflict", "resolve it, or "+again
		}
	}
	return out
}
