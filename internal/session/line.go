package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"skills/internal/agent"
	"skills/internal/printable"
)

// The types of lines.
const (
	typeHeader  = "session"
	typeMessage = "message"
	typeState   = "state"
)

// version is the schema of the lines below.
const version = 1

// opening is how every session file begins.
const opening = `{"type":"session","schema_version":`

// header is the first line.
type header struct {
	Type    string `json:"type"`
	Version int    `json:"schema_version"`
	Created string `json:"created"`
}

// messageLine is a message as it joined the conversation.
type messageLine struct {
	Type string `json:"type"`
	agent.Message
}

// stateLine is the state of a provider from here on.
type stateLine struct {
	Type  string          `json:"type"`
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// encode returns the lines of records, each with its end.
func encode(records []any) ([]byte, error) {
	var out bytes.Buffer
	for _, r := range records {
		line, err := printable.JSON(r)
		if err != nil {
			return nil, fmt.Errorf("encoding a line: %w", err)
		}
		if n := len(line) + 1; n > maxLine {
			return nil, fmt.Errorf("%w: one message takes %d bytes, and a line may have %d", ErrFull, n, maxLine)
		}
		out.Write(append(line, '\n'))
	}
	return out.Bytes(), nil
}

// decode reads a line into a record, strictly: a field there is not, and
// anything after the value, is damage.
func decode(text []byte, record any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(record); err != nil {
		return plain(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one value on the line")
	}
	return nil
}

// plain says what is wrong with JSON in words of the file, not of this program.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	kind, _, _ := strings.Cut(wrong.Value, " ") // a number may be repeated
	if wrong.Field == "" {
		return fmt.Errorf("its value cannot be of the type %s", kind)
	}
	path := strings.Split(wrong.Field, ".")
	return fmt.Errorf("the value of %q cannot be of the type %s", path[len(path)-1], kind)
}

// typeOf returns the type of a line, "" where there is none. Where it stands
// first, as it is written, the line is not read for it.
func typeOf(text []byte) string {
	if rest, ok := bytes.CutPrefix(text, []byte(`{"type":"`)); ok {
		if kind, _, ok := bytes.Cut(rest, []byte(`"`)); ok {
			return string(kind)
		}
	}
	var t struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(text, &t) != nil {
		return ""
	}
	return t.Type
}
