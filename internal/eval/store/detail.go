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

// ReadAnswer returns the beginning of the answer of a stored run, at least limit bytes if it
// has so many, and its size; "" if none is stored. The copy among the outputs is preferred,
// because no more of it is read than is needed.
func (r Result) ReadAnswer(limit int) (text string, size int, err error) {
	if r.Dir == "" {
		return "", 0, nil
	}
	if r.Copy != "" && filepath.Base(r.Copy) == r.Copy {
		text, size, err = readStart(filepath.Join(r.Dir, OutputsFolder, r.Copy), limit)
		if err == nil {
			return text, size, nil
		}
	}
	file, info, err := files.OpenPlain(filepath.Join(r.Dir, TranscriptFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", 0, nil
	} else if err != nil {
		return "", 0, err
	}
	defer file.Close()
	line, err := lastLine(file, info.Size())
	if err != nil {
		return "", 0, err
	}
	var result struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(line, &result); err != nil || result.Type != "run.result" {
		return "", 0, errors.New("the transcript has no result")
	}
	return result.Text, len(result.Text), nil
}

// readStart returns the first limit bytes of a file, with the rest of the last character, and
// its size without the line feed that a copy of an answer ends with.
func readStart(path string, limit int) (text string, size int, err error) {
	file, info, err := files.OpenPlain(path)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(limit+utf8.UTFMax)))
	if err != nil || len(data) == 0 {
		return "", 0, err
	}
	size = int(info.Size()) - 1
	return string(data[:min(len(data), size)]), size, nil
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
