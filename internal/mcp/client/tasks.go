package client

import (
	"bytes"
	"encoding/json"
	"io"
)

// The library's type of a tool has no field for tasks, so the tools that can be called only
// as tasks are found in what a server sends.

// noteTasks records the tools of a message that lists some.
func (c *connection) noteTasks(message []byte) {
	if !bytes.Contains(message, []byte(`"taskSupport"`)) {
		return
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name      string
				Execution struct{ TaskSupport string }
			}
		}
	}
	if json.Unmarshal(message, &list) != nil {
		return
	}
	for _, t := range list.Result.Tools {
		if t.Execution.TaskSupport == "required" {
			c.tasks.Store(t.Name, true)
		}
	}
}

// noted reads the body of a reply, and records the tools in it that can be called only as
// tasks: in one message, or in the events of a stream.
type noted struct {
	io.ReadCloser
	c      *connection
	stream bool
	seen   []byte // of the message, or of the line
	ended  func() // called when the body is closed
}

func (n *noted) Close() error {
	n.ended()
	return n.ReadCloser.Close()
}

func (n *noted) Read(p []byte) (int, error) {
	count, err := n.ReadCloser.Read(p)
	for part := range bytes.Lines(p[:count]) {
		n.seen = append(n.seen, part...)
		if n.stream && bytes.HasSuffix(part, []byte("\n")) {
			if data, ok := bytes.CutPrefix(n.seen, []byte("data:")); ok {
				n.c.noteTasks(data)
			}
			n.seen = n.seen[:0]
		}
	}
	if err != nil && !n.stream {
		n.c.noteTasks(n.seen)
	}
	return count, err
}
