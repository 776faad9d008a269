package client

// The program of a server speaks the protocol on its standard input and output. It may print
// anything there, stop reading, or end at any time.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/printable"
	"skills/internal/script"
)

const maxLine = 100 // characters of a line that is not a message

// process is the program of a server; its fields are zero for a URL.
type process struct {
	stray   atomic.Pointer[string] // the first line that is not a message; nil without one
	done    chan struct{}          // closed at the end of the program
	how     string                 // how the program ended, valid once done is closed
	started bool                   // whether there was a program, likewise
}

// start starts the program of the server and returns the transport to it.
func (c *connection) start() (mcp.Transport, error) {
	theirs, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	output, ours, err := os.Pipe()
	if err != nil {
		theirs.Close()
		input.Close()
		return nil, err
	}
	c.done = make(chan struct{})
	log, lines := io.Pipe()
	go c.log(log)
	done, life := c.done, c.life
	go func() {
		got, err := c.opt.Programs.Serve(life, script.Service{Command: c.Command, Env: c.Env, Dir: c.Dir, Stdin: theirs, Stdout: ours, Stderr: lines})
		c.started = err == nil
		switch {
		case err != nil:
			c.how = err.Error()
		case got.Signal != "":
			c.how = "its program was terminated by " + got.Signal
		default:
			c.how = fmt.Sprintf("its program ended with exit code %d", got.ExitCode)
		}
		close(done)
		for _, file := range []io.Closer{lines, theirs, ours} { // the session notices the end last
			file.Close()
		}
	}()
	watched := struct {
		io.Reader
		io.Closer
	}{io.TeeReader(output, &watcher{c: c}), output}
	return &mcp.IOTransport{Reader: limited{watched, c}, Writer: deadline{input, c.opt.Timeout}, MaxLineLength: -1}, nil
}

// watcher looks for a line in what a program prints that is not a message. The library
// then ends the session, without naming the line.
type watcher struct {
	c    *connection
	line []byte
}

func (w *watcher) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		w.line = append(w.line, part...)
		line := bytes.TrimSpace(w.line)
		whole := bytes.HasSuffix(part, []byte("\n"))
		mayBeMessage := len(line) == 0 || line[0] == '{' || line[0] == '['
		if !whole && mayBeMessage {
			break
		}
		if len(line) > 0 {
			w.c.noteTasks(line)
			if _, err := jsonrpc.DecodeMessage(line); err != nil {
				text := printable.Truncate(printable.Line(stripped(string(line))), maxLine)
				w.c.stray.CompareAndSwap(nil, &text)
			}
		}
		w.line = w.line[:0]
	}
	return len(p), nil
}

// log reads the standard error of the program to its end.
func (c *connection) log(from io.Reader) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		if c.opt.Stderr != nil {
			c.opt.Stderr(c.Name, oneLine(lines.Text()))
		}
	}
	io.Copy(io.Discard, from) // after a line that is too long
}

// deadline writes to a program that may have stopped reading.
type deadline struct {
	*os.File
	limit time.Duration
}

func (d deadline) Write(p []byte) (int, error) {
	d.SetWriteDeadline(time.Now().Add(d.limit)) // pipes of Windows have none
	return d.File.Write(p)
}
