package agent

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// sseReader reads server-sent events. The library's reader hides whether more
// has come already, which decides when text is passed on.
type sseReader struct {
	b    *bufio.Reader
	line []byte
	data []byte
	end  bool
}

// next returns the next event that has data, with its kind. The data is valid
// until the next call. A last event without its empty line counts: where the
// text was cut in its middle, it is no JSON.
func (r *sseReader) next() (kind string, data []byte, err error) {
	r.data = r.data[:0]
	for !r.end {
		line, err := r.read()
		switch {
		case errors.Is(err, io.EOF):
			r.end = true
		case err != nil:
			return "", nil, err
		}
		if len(line) == 0 {
			if data := bytes.TrimSpace(r.data); len(data) > 0 {
				return kind, data, nil
			}
			kind, r.data = "", r.data[:0]
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			kind = string(value)
		case "data":
			r.data = append(append(r.data, value...), '\n')
		}
	}
	if data := bytes.TrimSpace(r.data); len(data) > 0 {
		r.data = nil
		return kind, data, nil
	}
	return "", nil, io.EOF
}

// read returns the next line without its end.
func (r *sseReader) read() ([]byte, error) {
	r.line = r.line[:0]
	for {
		part, err := r.b.ReadSlice('\n')
		if err == nil && len(r.line) == 0 {
			return bytes.TrimRight(part, "\r\n"), nil
		}
		r.line = append(r.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(r.line, "\r\n"), err
		}
	}
}

// waits reports whether the next line has not come yet.
func (r *sseReader) waits() bool {
	here, err := r.b.Peek(r.b.Buffered())
	return err != nil || bytes.IndexByte(here, '\n') < 0
}
