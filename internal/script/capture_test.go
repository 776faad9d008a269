package script

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// captured is what a capture of the given size makes of the chunks.
func captured(limit int, chunks ...string) (string, bool) {
	c := newCapture(limit, nil, nil)
	for _, chunk := range chunks {
		fmt.Fprint(c, chunk)
	}
	return c.finish()
}

func TestCaptureCuts(t *testing.T) {
	tests := []struct {
		name  string
		limit int
		in    string
		want  string
		cut   bool
	}{
		{"below", 10, "123456789", "123456789", false},
		{"exactly", 10, "1234567890", "1234567890", false},
		{"one more", 10, "12345678901", "12345\n… 1 bytes omitted …\n78901", true},
		{"line ends at the cut", 8, "123\nxxx4567", "123\n… 3 bytes omitted …\n4567", true},
		{"odd", 3, "abcdef", "a\n… 3 bytes omitted …\nef", true},
		{"one", 1, "abc", "… 2 bytes omitted …\nc", true},
		{"between characters", 8, "aé诗词z", "aé\n… 3 bytes omitted …\n词z", true},
		{"inside characters", 10, "诗诗诗诗诗", "诗\n… 9 bytes omitted …\n诗", true},
		{"thousands", 10, strings.Repeat("x", 1_234_577), "xxxxx\n… 1,234,567 bytes omitted …\nxxxxx", true},
		{"escape sequences cost nothing", 4, strings.Repeat("\x1b[31m", 100) + "abcd", "abcd", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, cut := captured(test.limit, test.in)
			if got != test.want || cut != test.cut {
				t.Errorf("got %q, cut %t, want %q, %t", got, cut, test.want, test.cut)
			}
			if got, _ := captured(test.limit, strings.Split(test.in, "")...); got != test.want {
				t.Errorf("by characters: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCaptureFlood(t *testing.T) {
	c := newCapture(DefaultOutputLimit, nil, nil)
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 2048)
	const chunks = 1600 // 50 MiB
	for range chunks {
		c.Write(chunk)
	}
	got, cut := c.finish()
	head, tail, found := strings.Cut(got, "\n… 52,363,264 bytes omitted …\n")
	if !found || !cut || len(head) != DefaultOutputLimit/2 || len(tail) != DefaultOutputLimit/2 {
		t.Errorf("found %t, cut %t, head of %d, tail of %d bytes, want both halves of %d", found, cut, len(head), len(tail), DefaultOutputLimit)
	}
	if !strings.HasSuffix(tail, "0123456789abcdef") {
		t.Errorf("the tail ends in %q, want the end of the stream", tail[len(tail)-16:])
	}
	c.Write([]byte("late"))
	if again, _ := c.finish(); again != got {
		t.Error("what came after the end has changed the text")
	}
}

func FuzzCapture(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\x1b[0m\r\nc"), uint8(3), uint16(10))
	f.Add([]byte("\x1b]0;title\x07诗词\xff\xe8\xaf"), uint8(1), uint16(4))
	f.Add([]byte("\u009b1m\u009d\u009c\r\r\n\r"), uint8(2), uint16(1))
	f.Fuzz(func(t *testing.T, data []byte, size uint8, limit uint16) {
		const marker = len("\n… 1,000,000,000 bytes omitted …\n")
		bound := int(limit) + 1
		whole, cut := captured(bound, string(data))
		var chunks []string
		for rest := string(data); rest != ""; {
			n := min(int(size)+1, len(rest))
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		if got, _ := captured(bound, chunks...); got != whole {
			t.Fatalf("in pieces of %d: got %q, want %q", size+1, got, whole)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("invalid UTF-8: %q", whole)
		}
		for _, r := range whole {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("control character %U in %q", r, whole)
			}
		}
		if !cut && len(whole) > bound || cut && len(whole) > bound+marker {
			t.Fatalf("%d bytes are kept, cut %t, want no more than %d", len(whole), cut, bound)
		}
		if again, _ := captured(len(whole)+1, whole); again != whole {
			t.Fatalf("cleaning twice: got %q, want %q", again, whole)
		}
	})
}

func BenchmarkCapture(b *testing.B) {
	chunk := []byte(strings.Repeat("a line of \x1b[1mcoloured\x1b[0m output, größe\r\n", 800))
	b.SetBytes(int64(len(chunk)))
	c := newCapture(DefaultOutputLimit, nil, nil)
	for b.Loop() {
		c.Write(chunk)
	}
}
