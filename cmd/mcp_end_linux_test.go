package cmd

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"skills/internal/testing/openaitest"
)

// exitPipe is a named pipe that reports end of file once the last process that has it
// open exits.
type exitPipe struct {
	t    *testing.T
	path string
	file *os.File
}

func newExitPipe(t *testing.T, dir string) *exitPipe {
	t.Helper()
	l := &exitPipe{t: t, path: filepath.Join(dir, "exit-pipe")}
	must(t, unix.Mkfifo(l.path, 0o600))
	return l
}

// start starts a program; the pipe is opened when it ends, at the latest.
func (l *exitPipe) start(c *exec.Cmd) (ended chan struct{}) {
	l.t.Helper()
	must(l.t, c.Start())
	ended = make(chan struct{})
	go func() {
		c.Wait()
		if f, err := os.OpenFile(l.path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
		}
		close(ended)
	}()
	return ended
}

// await waits for a line from a process.
func (l *exitPipe) await(line string) {
	l.t.Helper()
	if l.file == nil {
		var err error
		l.file, err = os.Open(l.path)
		must(l.t, err)
		l.t.Cleanup(func() { l.file.Close() })
	}
	got := make([]byte, len(line))
	if _, err := io.ReadFull(l.file, got); err != nil || string(got) != line {
		l.t.Fatalf("got %q, %v", got, err)
	}
}

// ends waits for the end of the processes, which would write before they end on
// their own.
func (l *exitPipe) ends() {
	l.t.Helper()
	if rest, err := io.ReadAll(l.file); err != nil || len(rest) > 0 {
		l.t.Errorf("a process wrote %q, %v", rest, err)
	}
}

const stubbornServer = `
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
exit_pipe = open("exit-pipe", "w", buffering=1)
def survive():
    time.sleep(60)
    exit_pipe.write("survived\n")
    os._exit(0)
if os.fork() == 0:
    survive()
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    if m["method"] == "tools/call":
        exit_pipe.write("called\n")
        survive()
    answer = {"error": {"code": -32601, "message": "unknown method"}}
    if m["method"] == "initialize":
        answer = {"result": {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}}
    if m["method"] == "tools/list":
        exit_pipe.write("listed\n")
        answer = {"result": {"tools": [{"name": "get", "inputSchema": {"type": "object"}}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **answer}), flush=True)
survive()
`

// TestMCPServerEnds: no process of a server is left after the run, not even of one that
// ignores SIGTERM and the end of its input and has forked: after an answer, after
// SIGTERM and after SIGKILL, which no program handles.
func TestMCPServerEnds(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"answer": 0, "SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replies := []openaitest.Reply{openaitest.Text("over")}
			if signal != 0 {
				replies = []openaitest.Reply{openaitest.Do(openaitest.Call{ID: "c1", Name: "get", Arguments: "{}"})}
			}
			model := openaitest.New(t, replies...)
			dir := t.TempDir()
			makeFile(t, filepath.Join(dir, "server.py"), stubbornServer)
			l := newExitPipe(t, dir)
			ctx, cancel := context.WithTimeout(t.Context(), endLimit)
			defer cancel()
			c := exec.CommandContext(ctx, program(t), "run", "-q", "-y", "--mcp", "stubborn=python3 server.py", "go")
			c.Dir, c.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "OPENAI_BASE_URL=" + model.URL, "OPENAI_API_KEY=sk-test"}
			ended := l.start(c)
			l.await("listed\n")
			if signal != 0 {
				l.await("called\n")
				must(t, c.Process.Signal(signal))
			}
			<-ended
			l.ends()
		})
	}
}

// TestMCPEnds: skills mcp and the script that it runs end when the client is killed, or
// at a signal while the client lives.
func TestMCPEnds(t *testing.T) {
	t.Parallel()
	t.Run("client killed", func(t *testing.T) { mcpEnds(t, false, 0) })
	t.Run("SIGTERM", func(t *testing.T) { mcpEnds(t, true, 143) })
}

func mcpEnds(t *testing.T, terminated bool, code int) {
	t.Parallel()
	dir := mcpFolder(t)
	addFiles(t, dir, map[string]string{"touch/scripts/touch.sh": "exec 3> exit-pipe\necho started >&3\nsleep 60\necho survived >&3\n"})
	l := newExitPipe(t, dir)
	requests := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_skill_script","arguments":{"skillName":"touch","scriptName":"scripts/touch.sh"}}}`,
	}
	makeFile(t, filepath.Join(dir, "requests"), strings.Join(requests, "\n")+"\n")
	ctx, cancel := context.WithTimeout(t.Context(), endLimit)
	defer cancel()
	client := exec.CommandContext(ctx, "sh", "-c", "cat requests; exec sleep 60")
	server := exec.CommandContext(ctx, program(t), "mcp", "skills", "--allow-script", "touch/*")
	client.Dir, server.Dir = dir, dir
	server.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	fromClient, toServer, err := os.Pipe()
	must(t, err)
	fromServer, toClient, err := os.Pipe()
	must(t, err)
	client.Stdin, client.Stdout, server.Stdin, server.Stdout, server.Stderr = fromServer, toServer, fromClient, toClient, os.Stderr
	must(t, client.Start())
	ended := l.start(server)
	for _, f := range []*os.File{fromClient, toServer, fromServer, toClient} {
		must(t, f.Close())
	}
	l.await("started\n")
	if terminated {
		must(t, server.Process.Signal(syscall.SIGTERM))
		<-ended
	}
	must(t, client.Process.Kill())
	client.Wait()
	<-ended
	l.ends()
	if got := server.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d", got, code)
	}
}

// TestMCPPiped: requests that are piped in are all answered before the server ends, and
// lines that are no messages are answered with an error.
func TestMCPPiped(t *testing.T) {
	t.Parallel()
	needSandbox(t)
	dir := mcpFolder(t)
	addFiles(t, dir, map[string]string{"touch/scripts/touch.sh": "sleep 0.3\necho ran\n"})
	c := exec.Command(program(t), "mcp", "skills", "--allow-script", "touch/*")
	c.Dir, c.Env, c.Stderr = dir, []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, os.Stderr
	c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
hello

{"id":9}
[]
[1]
[{"jsonrpc":"2.0","id":5,"method":"ping"}]
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"run_skill_script","arguments":{"skillName":"touch","scriptName":"scripts/touch.sh"}}}
{"jsonrpc":"2.0","id":"4","method":"tools/call","params":{"name":"load_skill","arguments":{"skillName":"touch"}}}`)
	out, err := c.Output()
	must(t, err)
	for _, want := range []string{`"id":1,"result"`, `"id":2,"result"`, `"id":3,"result":{"content":[{"type":"text","text":"ran`, `"id":"4","result"`, `"id":null,"error":{"code":-32700,`, `"id":null,"error":{"code":-32600,`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is missing in\n%s", want, out)
		}
	}
	if n := strings.Count(string(out), "batches are not supported"); n != 3 {
		t.Errorf("%d batches are refused, want 3, in\n%s", n, out)
	}
}

// TestMCPPipedElicitation: a call that needs the answer of the client's user fails once
// the client has closed its output.
func TestMCPPipedElicitation(t *testing.T) {
	t.Parallel()
	dir := mcpFolder(t)
	c := exec.Command(program(t), "mcp", "skills")
	c.Dir, c.Env, c.Stderr = dir, []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, os.Stderr
	c.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_skill_script","arguments":{"skillName":"touch","scriptName":"scripts/touch.sh"}}}`)
	out, err := c.Output()
	must(t, err)
	if !strings.Contains(string(out), `"id":2,"result":{"content":[{"type":"text","text":"Tool call invocation rejected.`) || !strings.Contains(string(out), "the input has ended") {
		t.Errorf("got %s", out)
	}
}
