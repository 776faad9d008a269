package store

// What a run left for a reader: its answer, which is the end of its transcript, and its
// outputs. A model wrote both, so no link is followed and little of them is read.

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"skills/internal/files"
)

// ErrLong is the error of an answer that is too long to be read.
var ErrLong = errors.New("too long to be read from the transcript")

// ReadAnswer returns the answer of the run in a folder, "" if there is no transcript of this
// program.
func ReadAnswer(dir string) (string, error) {
	file, info, err := files.OpenPlain(filepath.Join(dir, TranscriptFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	defer file.Close()
	line, err := lastLine(file, info.Size())
	if err != nil {
		return "", err
	}
	var result struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(line, &result); err != nil || result.Type != "run.result" {
		return "", errors.New("the transcript has no result")
	}
	return result.Text, nil
}

// lastLine returns the last line of a file that is not empty, or ErrLong.
func lastLine(file io.ReaderAt, size int64) ([]byte, error) {
	for part := int64(64 << 10); ; part *= 4 {
		part = min(part, size, maxFile)
		tail := make([]byte, part)
		if _, err := file.ReadAt(tail, size-part); err != nil && err != io.EOF {
			return nil, err
		}
		tail = bytes.TrimRight(tail, "\n")
		at := bytes.LastIndexByte(tail, '\n')
		switch {
		case at >= 0 || part == size:
			return tail[at+1:], nil
		case part == maxFile:
			return nil, ErrLong
		}
	}
}

// Prompt returns the prompt of the run's arm, "" if its folder does not record one.
func (r Result) Prompt() string {
	var c struct {
		Prompt any `json:"prompt"`
	}
	if r.Dir == "" || Load(filepath.Join(filepath.Dir(r.Dir), MetadataFile), &c) != nil {
		return ""
	}
	text, _ := c.Prompt.(string)
	return text
}

// Output is a file that a run left.
type Output struct {
	Name string // slash-separated, relative to the folder of the outputs
	Size int64
	Text string // of a small text file; else ""
}

// Outputs returns the first files that a run left, in the order of their names, with the text
// of those with at most text bytes, and how many it left. The copy of its answer is none.
func (r Result) Outputs(most int, text int64) (list []Output, total int) {
	root, err := os.OpenRoot(filepath.Join(r.Dir, OutputsFolder))
	if err != nil {
		return nil, 0
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || name == r.Copy {
			return nil // what cannot be read is not shown
		}
		total++
		info, err := entry.Info()
		if err != nil || len(list) == most {
			return nil
		}
		out := Output{Name: name, Size: info.Size()}
		if out.Size <= text {
			out.Text = readText(root, name, text)
		}
		list = append(list, out)
		return nil
	})
	return list, total
}

// readText returns the content of a file, "" if it is not text.
func readText(root *os.Root, name string, limit int64) string {
	file, _, err := files.OpenIn(root, name, func(info fs.FileInfo) error {
		if !info.Mode().IsRegular() {
			return files.ErrIrregular
		}
		return nil
	})
	if err != nil {
		return ""
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil || !utf8.Valid(data) || strings.ContainsRune(string(data), 0) {
		return ""
	}
	return string(data)
}
