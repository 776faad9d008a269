package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"skills/cmd"
	"skills/internal/run"
	"skills/internal/testing/openaitest"
)

// hostileReply is a hostile server and the expected outcome: every run ends by
// itself, within its memory, with one result.
type hostileReply struct {
	name    string
	replies []openaitest.Reply
	flags   []string
	code    int
	status  string
	want    []string // in the output, on any stream
}

// forever sends a head and then the same bytes until the client has enough; a
// pause is the time between them if pace is set.
func forever(head, bytes string, pace time.Duration) openaitest.Reply {
	many := bytes
	if pace == 0 {
		many = strings.Repeat(bytes, 1+(32<<10)/len(bytes))
	}
	return openaitest.Reply{Handler: func(w http.ResponseWriter, r *http.Request) {
		_, err := w.Write([]byte(head))
		for err == nil {
			_, err = w.Write([]byte(many))
			if pace == 0 {
				continue
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pace):
			}
		}
	}}
}

// large sends so many megabytes between a head and a tail, and takes none
// itself: the peak of the tests' own memory counts as that of a program they
// start.
func large(head string, megabytes int, tail string) openaitest.Reply {
	return openaitest.Reply{Handler: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(head)+megabytes<<20+len(tail)))
		_, err := io.WriteString(w, head)
		left, piece := megabytes, bytes.Repeat([]byte("x"), 1<<16)
		for ; left > 0 && err == nil; left-- {
			for range 16 {
				_, err = w.Write(piece)
			}
		}
		_, _ = io.WriteString(w, tail)
	}}
}

func hostileCalls(n int, id func(int) string, arguments string) []openaitest.Call {
	calls := make([]openaitest.Call, n)
	for i := range calls {
		calls[i] = openaitest.Call{ID: id(i), Name: "todos_add", Arguments: arguments}
	}
	return calls
}

func hostileReplies() []hostileReply {
	const add = `{"todos":[{"title":"x"}]}`
	const chunk = `data: {"choices":[{"index":0,"delta":{"content":"on and on "}}]}` + "\n\n"
	fragment := func(i int, arguments string) string {
		return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,"function":{"name":"todos_add","arguments":%q}}]}}]}`+"\n\n", i, arguments)
	}
	one := func(r openaitest.Reply) []openaitest.Reply { return []openaitest.Reply{r} }
	twice := func(r openaitest.Reply) []openaitest.Reply { return []openaitest.Reply{r, r} }
	then := func(r openaitest.Reply) []openaitest.Reply {
		return []openaitest.Reply{r, openaitest.Text("the answer")}
	}
	quirk := func(q openaitest.Quirks) []openaitest.Reply {
		return then(openaitest.Reply{Calls: hostileCalls(2, func(i int) string { return fmt.Sprint("c", i) }, add), Quirks: q})
	}
	never := []string{"--retries", "0"}
	// Long enough for a busy machine to take the request: the script has to be asked for.
	idle := []string{"--retries", "0", "--idle-timeout", "2s"}
	different := func(i int) string { return fmt.Sprint("c", i) }
	same := func(int) string { return "c" }
	return []hostileReply{
		{"no answer", one(openaitest.Reply{Quirks: openaitest.Quirks{Waits: openaitest.Waits{Silent: true}}}), idle, 1, "failed", []string{"sent no", "hint: "}},
		{"no answer, no time", one(openaitest.Reply{Quirks: openaitest.Quirks{Waits: openaitest.Waits{Silent: true}}}), []string{"--timeout", "3s"}, 3, "limit", []string{"time limit reached"}},
		{"a byte now and then", one(forever(`{"choices":[{"message":{"content":"`, "x", 20*time.Millisecond)), idle, 1, "failed", []string{"increase --idle-timeout"}},
		{"a byte of a stream now and then", one(forever("data: ", "x", 20*time.Millisecond)), idle, 1, "failed", []string{"increase --idle-timeout"}},
		{"comments for ever", one(forever(chunk, ": ping\n\n", 20*time.Millisecond)), idle, 1, "failed", []string{"increase --idle-timeout"}},
		{"words for ever", one(forever("", chunk, 5*time.Millisecond)), []string{"--timeout", "3s"}, 3, "limit", []string{"time limit reached"}},
		{"a stream without end", twice(forever("", strings.Replace(chunk, "on and on ", strings.Repeat("on and on ", 100), 1), 0)), nil, 1, "failed", []string{"without end", "hint: "}},
		{"200 MB", one(large(`{"choices":[{"message":{"content":"`, 200, `"}}]}`)), nil, 1, "failed", []string{"larger than 33554432 bytes"}},
		{"one line without end", one(forever("data: ", "x", 0)), nil, 1, "failed", []string{"larger than 33554432 bytes"}},
		{"white space without end", one(forever("", " \n", 0)), nil, 1, "failed", []string{"larger than 33554432 bytes"}},
		{"an HTML page without end", one(forever("<html>", "<p>", 0)), nil, 1, "failed", []string{"an HTML page"}},
		{"an error without end", one(openaitest.Reply{Handler: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			forever(`{"error":"`, "no ", 0).Handler(w, r)
		}}), nil, 1, "failed", []string{"API error from the server at ", "(400 Bad Request)"}},
		{"fragments without end", twice(forever("", fragment(0, `{"a":`), 0)), nil, 1, "failed", []string{"without end", "hint: "}},
		{"calls without end in one reply", one(forever("", strings.ReplaceAll(fragment(0, add), `"index":0,"function"`, `"function"`), 0)), nil, 1, "failed", []string{"more than 1024 tool calls"}},
		{"calls without end, turn after turn", []openaitest.Reply{
			openaitest.Do(hostileCalls(1, different, add)...), openaitest.Do(hostileCalls(1, different, add)...),
			openaitest.Do(hostileCalls(1, different, add)...), openaitest.Do(hostileCalls(1, different, add)...)},
			[]string{"--max-turns", "3"}, 3, "limit", []string{"turn limit reached (3)"}},
		{"100 calls at once", then(openaitest.Do(hostileCalls(100, different, add)...)), []string{"--parallel"}, 0, "completed", []string{"the answer"}},
		{"100 calls of one id", then(openaitest.Do(hostileCalls(100, same, add)...)), nil, 0, "completed", []string{"the answer"}},
		{"arguments of 10 MB", then(large(`{"choices":[{"message":{"tool_calls":[{"id":"c0","function":{"name":"todos_add","arguments":"{}`, 10, `"}}]}}]}`)),
			nil, 0, "completed", []string{"larger than 1048576 bytes", "the answer"}},
		{"arguments of 10 MB in a stream", then(large(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c0","function":{"name":"todos_add","arguments":"{}`, 10, `"}}]}}]}`+"\n\ndata: [DONE]\n\n")),
			nil, 0, "completed", []string{"without end", "the answer"}},
		{"no UTF-8", then(openaitest.Reply{SSE: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xff\xfe \xc3\",\"tool_calls\":[{\"index\":0,\"id\":\"\xff\",\"function\":{\"name\":\"\xfftodos\",\"arguments\":\"{\\\"\xc0\\\":1}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"}), nil, 0, "completed", []string{"\uFFFD", "the answer"}},
		{"control characters", one(openaitest.Text("a\x1b]0;title\x07b\x1b[31m")), nil, 0, "completed", nil},
		{"an error of control characters", one(openaitest.Reply{Status: 400, Text: "a\x1b]0;title\x07b"}), nil, 1, "failed", []string{"a␛]0;title␇b"}},

		{"no ids", quirk(openaitest.Quirks{NoIDs: true}), nil, 0, "completed", []string{"the answer"}},
		{"no index", quirk(openaitest.Quirks{NoIndex: true, RepeatName: true}), nil, 0, "completed", []string{"the answer"}},
		{"gaps", quirk(openaitest.Quirks{Indexes: openaitest.Indexes{IndexGaps: true}}), nil, 0, "completed", []string{"the answer"}},
		{"arguments as an object", quirk(openaitest.Quirks{ObjectArguments: true}), nil, 0, "completed", []string{"the answer"}},
		{"no content", quirk(openaitest.Quirks{NullContent: true, NullError: true}), nil, 0, "completed", []string{"the answer"}},
		{"JSON for a stream", quirk(openaitest.Quirks{JSONForStream: true}), nil, 0, "completed", []string{"the answer"}},
		{"no arguments", then(openaitest.Do(openaitest.Call{ID: "c", Name: "todos_get_all"})), nil, 0, "completed", []string{"the answer"}},
		{"stop with calls", then(openaitest.Reply{Calls: hostileCalls(1, different, add), Finish: "stop"}), nil, 0, "completed", []string{"the answer"}},
		{"an unknown tool", then(openaitest.Do(openaitest.Call{ID: "c", Name: "rm -rf /\x1b", Arguments: "{}"})), nil, 0, "completed", []string{"the answer"}},

		{"a stream without its end", one(openaitest.Reply{SSE: chunk}), never, 1, "failed", []string{"ended early"}},
		{"a connection that closes", one(openaitest.Reply{Drop: true}), never, 1, "failed", []string{"the connection to"}},
		{"a connection that closes within", one(openaitest.Reply{Text: "cut in the middle", Cut: 70}), never, 1, "failed", []string{"closed the connection before the reply was complete"}},
		{"an empty reply", one(openaitest.Reply{Handler: func(http.ResponseWriter, *http.Request) {}}), never, 1, "failed", []string{"the reply is empty"}},
		{"an empty answer, twice", []openaitest.Reply{{}, {}}, nil, 1, "failed", []string{"empty reply twice"}},
		{"an HTML page", one(openaitest.Reply{Body: "<html>log in"}), nil, 1, "failed", []string{"an HTML page", "hint: check the base URL"}},
		{"junk", one(openaitest.Reply{SSE: "data: junk\n\n"}), never, 1, "failed", []string{"not valid JSON"}},
		{"an error in place of a reply", one(openaitest.Reply{Body: `{"error":{"message":"overloaded","code":400}}`}), nil, 1, "failed", []string{"overloaded"}},
		{"too many requests, for long", one(openaitest.Reply{Status: 429, Headers: map[string]string{"Retry-After": "86400"}}), nil, 1, "failed", []string{"hint: run it again in 24h0m0s"}},
		{"a wait longer than the run", one(openaitest.Reply{Status: 503, Headers: map[string]string{"Retry-After": "60"}}), []string{"--timeout", "30s"}, 1, "failed", []string{"longer than the time left"}},
		{"failures for ever", []openaitest.Reply{{Status: 500}, {Status: 502}}, []string{"--retries", "1"}, 1, "failed", []string{"502 Bad Gateway"}},
		{"an unknown status", one(openaitest.Reply{Status: 418, Text: "tea"}), nil, 1, "failed", []string{"tea"}},
	}
}

// hostileData is how much memory a run may take for its data where that can be
// limited, in KiB; without doing anything it takes half of it.
const hostileData = 300_000

// hostileRun runs the program in a folder of its own, within that memory.
func hostileRun(t *testing.T, args ...string) ran {
	t.Helper()
	if runtime.GOOS != "linux" {
		return skillsIn(t, t.TempDir(), args...)
	}
	limited := []string{"-c", fmt.Sprintf(`ulimit -d %d && exec skills "$@"`, hostileData), "sh"}
	return runIn(t, t.TempDir(), func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "sh", append(limited, args...)...)
	})
}

// TestHostileServer runs the program against servers that do what no server
// should, printing text, and JSON Lines from a stream.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	for _, tt := range hostileReplies() {
		for _, mode := range [][]string{{"--format=text"}, {"--format=jsonl", "--stream"}} {
			t.Run(tt.name+"/"+strings.Join(mode, ","), func(t *testing.T) {
				t.Parallel()
				server := openaitest.New(t, tt.replies...)
				flags := append([]string{"run", "--base-url", server.URL, "-m", "m"}, mode...)
				r := hostileRun(t, append(append(flags, tt.flags...), "go")...)
				r.wants(t, tt.code, tt.want...)
				if strings.ContainsAny(r.out+r.errors, "\x1b\x07") {
					t.Errorf("control characters are printed:\n%.500q", r.out+r.errors)
				}
				if tt.code != 0 && !strings.Contains(r.errors, "error: ") {
					t.Errorf("no error is printed:\n%.500s", r.errors)
				}
				if mode[0] == "--format=jsonl" {
					oneResult(t, r.out, tt.status)
				}
			})
		}
	}
}

// oneResult fails unless every line is JSON and the last one, and only that, is
// a result of this status; every call has its one result.
func oneResult(t *testing.T, out, status string) {
	t.Helper()
	var last, results int
	open := map[string]int{}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	for i, line := range lines {
		var e struct {
			Type, ID string
			Status   any // a number where it is that of HTTP
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %d: %v: %.200s", i+1, err, line)
		}
		switch e.Type {
		case "run.result":
			results, last = results+1, i
			if e.Status != status {
				t.Errorf("status %s, want %s", e.Status, status)
			}
		case "tool.call":
			open[e.ID]++
		case "tool.result":
			open[e.ID]--
		}
	}
	if results != 1 || last != len(lines)-1 {
		t.Errorf("%d results, the last in line %d of %d", results, last+1, len(lines))
	}
	for id, n := range open {
		if n != 0 {
			t.Errorf("call %s: %d calls more than results", id, n)
		}
	}
}

// TestCutServer closes the connection after each byte of a reply: the run fails
// and shows nothing of it as its answer, or the whole reply had come.
func TestCutServer(t *testing.T) {
	t.Parallel()
	reply := openaitest.Reply{Text: "the whole answer"}
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprint("stream=", stream), func(t *testing.T) {
			body := reply.Completion("m")
			if stream {
				body = reply.Stream("m")
			}
			server := openaitest.Start()
			defer server.Close()
			dir, whole := t.TempDir(), 0
			for n := range len(body) {
				cut := reply
				cut.Cut, cut.Drop = n, n == 0
				server.Add(cut)
				var out, errs bytes.Buffer
				env := cmd.Env{Env: run.Env{Dir: dir}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
				code := cmd.Run(t.Context(), env, []string{"run", "--base-url", server.URL, "-m", "m", "--retries=0", fmt.Sprint("--stream=", stream), "--format=jsonl", "go"})
				var result struct{ Status, Text string }
				lines := strings.Split(strings.TrimSpace(out.String()), "\n")
				if err := json.Unmarshal([]byte(lines[len(lines)-1]), &result); err != nil {
					t.Fatal(err)
				}
				switch {
				case code == 0 && result.Status == "completed" && result.Text == "the whole answer":
					whole++
				case code != 1 || result.Status != "failed" || result.Text != "":
					t.Fatalf("cut after %d of %d bytes: exit code %d\n%s%s", n, len(body), code, out.String(), errs.String())
				}
			}
			// After the finish reason, nothing in a stream is needed.
			if whole > len(body)/4 || !stream && whole > 0 {
				t.Errorf("%d of %d were whole", whole, len(body))
			}
			if problems := server.Problems(); len(problems) > 0 {
				t.Errorf("problems: %q", problems)
			}
		})
	}
}
