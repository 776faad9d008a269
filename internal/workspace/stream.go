package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/printable"
)

// maxStream is how many bytes of a large file are read to find a line.
const maxStream = 512 << 20

// largeLines returns lines of a file that is too large to be read as a whole, such as the
// output of a command. It cannot be edited, so its content is not noted.
func (t toolSet) largeLines(ctx context.Context, p place, offset, limit int) agent.ToolResult {
	file, info, err := t.access.open(p)
	if err != nil {
		return agent.ErrorResult(t.unread(p, info, err))
	}
	defer file.Close()
	in := bufio.NewReaderSize(io.LimitReader(file, maxStream), 64<<10)
	head, _ := in.Peek(4096)
	if kind := loader.BinaryType(head, true); kind != "" {
		return agent.ToolResult{Text: fmt.Sprintf("%s is not text (%s, %s bytes).", p.shown, kind, printable.Grouped(info.Size())), Summary: kind}
	}
	first := max(offset, 1)
	var out bytes.Buffer
	last, more := 0, true
	wanted := func() bool { return limit == 0 || last-(first-1) < limit }
	for ctx.Err() == nil && out.Len() < maxText && wanted() {
		room := 0
		if last+1 >= first {
			room = maxText - out.Len()
		}
		line, err := readLine(in, room)
		if errors.Is(err, io.EOF) {
			more = false
			break
		}
		if err != nil {
			return agent.ErrorResult(outsideHint(err, p))
		}
		out.Write(line)
		last++
	}
	if last < first {
		return agent.ErrorResult(fmt.Sprintf("%s has fewer lines, or too many bytes before line %d.", p.shown, first))
	}
	text := strings.TrimSuffix(strings.ToValidUTF8(out.String(), "\ufffd"), "\n")
	if more {
		text += fmt.Sprintf("\n[lines %d to %d of a file of %s bytes; offset %d continues]", first, last, printable.Grouped(info.Size()), last+1)
	}
	return agent.ToolResult{Text: text, Truncated: more, Summary: printable.Plural(last-first+1, "line")}
}

// readLine reads a line and returns the start of it, with at most most bytes. The error is
// io.EOF only if there is no line.
func readLine(in *bufio.Reader, most int) (line []byte, err error) {
	read := 0
	for {
		part, err := in.ReadSlice('\n')
		read += len(part)
		line = append(line, part[:min(len(part), most-len(line))]...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && read > 0:
			return line, nil
		default:
			return line, err
		}
	}
}
