package protocol

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// receiveAll returns the messages of a stream, and the error at its end. The message that
// marks the end is not among them.
func receiveAll(f *Frames) (out []string, err error) {
	for {
		m, err := f.Recv()
		if err != nil {
			return out, err
		}
		if string(m) == string(endOfInput) {
			f.Close()
			continue
		}
		out = append(out, string(m))
	}
}

// TestFrames reads what clients send, and what they should not.
func TestFrames(t *testing.T) {
	for _, tt := range []struct {
		name, in, want, err string
	}{
		{name: "nothing"},
		{name: "two", in: "Content-Length: 2\r\n\r\n{}Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n[]", want: "{} []"},
		{name: "letter case and line feeds", in: "content-length:2\n\n{}", want: "{}"},
		{name: "empty message", in: "Content-Length: 0\r\n\r\n", want: ""},
		{name: "cut in the header", in: "Content-Length: 5", err: "unexpected EOF"},
		{name: "cut in the message", in: "Content-Length: 5\r\n\r\n{}", err: "unexpected EOF"},
		{name: "cut in a large message", in: "Content-Length: 67108864\r\n\r\n{}", err: "unexpected EOF"},
		{name: "cut in a message that is too large", in: "Content-Length: 9223372036854775807\r\n\r\n{}", err: "unexpected EOF"},
		{name: "not a number", in: "Content-Length: x\r\n\r\n{}", err: "not a number"},
		{name: "negative", in: "Content-Length: -1\r\n\r\n{}", err: "not a number"},
		{name: "too many digits", in: "Content-Length: 99999999999999999999\r\n\r\n{}", err: "not a number"},
		{name: "JSON without a header", in: "{\"jsonrpc\"}\n", err: "does not begin with"},
		{name: "no length", in: "\r\n\r\n", err: "does not begin with"},
		{name: "binary", in: "\x00\xff\x7fELF\n", err: "does not begin with"},
		{name: "endless line", in: strings.Repeat("x", 1<<20), err: "too long"},
		{name: "endless headers", in: strings.Repeat("x: y\n", 1<<16), err: "too long"},
	} {
		got, err := receiveAll(NewFrames(strings.NewReader(tt.in), io.Discard))
		text := ""
		if !errors.Is(err, io.EOF) {
			text = err.Error()
		}
		if strings.TrimSpace(strings.Join(got, " ")) != tt.want || (tt.err == "") != (text == "") || !strings.Contains(text, tt.err) {
			t.Errorf("%s: got %q, %q", tt.name, got, text)
		}
	}
}

// zeros is an endless stream.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestFramesSkip skips a message that is too large, without keeping it.
func TestFramesSkip(t *testing.T) {
	const size = MaxMessage + 1
	in := io.MultiReader(
		strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", size)), io.LimitReader(zeros{}, size),
		strings.NewReader("Content-Length: 2\r\n\r\n{}"),
	)
	f := NewFrames(in, io.Discard)
	var skipped int64
	f.Skipped = func(size int64, head []byte) error {
		skipped = size
		return nil
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, _ := receiveAll(f)
	runtime.ReadMemStats(&after)
	if len(got) != 1 || skipped != size {
		t.Errorf("got %q, skipped %d", got, skipped)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("it needed %d bytes of memory", n)
	}
}

// FuzzFrames reads anything without a panic, and within its limits.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 99999999\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := receiveAll(NewFrames(strings.NewReader(string(in)), io.Discard))
		if err == nil || len(strings.Join(out, "")) > len(in) {
			t.Errorf("got %q, %v", out, err)
		}
	})
}

// TestURI converts paths and URIs as editors write them.
func TestURI(t *testing.T) {
	if runtime.GOOS == "windows" {
		for _, uri := range []string{"file:///c%3A/Users/%E4%B8%AD/a%20b.md", "file:///C:/Users/中/a b.md"} {
			if path, ok := Path(uri); !ok || path != `C:\Users\中\a b.md` {
				t.Errorf("%s: got %q, %v", uri, path, ok)
			}
		}
		return
	}
	for uri, want := range map[string]string{
		"file:///home/me/a%20b/%E4%B8%AD%E6%96%87.md": "/home/me/a b/中文.md",
		"file:///home/me/a b/中文.md":                   "/home/me/a b/中文.md",
		"file:///x/%23%3F%25.md":                      "/x/#?%.md",
		"FILE://localhost/x/../y":                     "/y",
		"file://host/x":                               "",
		"untitled:Untitled-1":                         "",
		"git:/x/y?ref=HEAD":                           "",
		"vscode-notebook-cell:/x":                     "",
		"file:x":                                      "",
		"file:///x%00y":                               "",
		"file:///%zz":                                 "",
		"":                                            "",
		"\x00\xff":                                    "",
	} {
		path, ok := Path(uri)
		if path != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", uri, path, ok)
		}
	}
	for _, path := range []string{"/home/me/a b/中文.md", "/x/#?%.md", "/a:b/😀"} {
		if back, ok := Path(URI(path)); !ok || back != filepath.Clean(path) {
			t.Errorf("%s: got %q from %q", path, back, URI(path))
		}
	}
}
