package printable

import (
	"bytes"
	"strings"
	"testing"
)

// TestExcerptMemory checks that an excerpt of a long stream takes bounded memory.
func TestExcerptMemory(t *testing.T) {
	const limit = 64 << 10
	e, chunk := NewExcerpt(limit), bytes.Repeat([]byte("0123456789abcdef"), 2048)
	for range 1600 {
		e.Write(chunk)
	}
	if kept := cap(e.head) + cap(e.tail); kept > 3*limit {
		t.Errorf("%d bytes of memory are held, want no more than %d", kept, 3*limit)
	}
	text, cut := e.Text()
	head, tail, found := strings.Cut(text, "\n… 52,363,264 bytes omitted …\n")
	if !cut || !found || len(head) != limit/2 || len(tail) != limit/2 || !strings.HasSuffix(tail, "0123456789abcdef") {
		t.Errorf("found %t, cut %t, head of %d, tail of %d bytes, want both halves of %d", found, cut, len(head), len(tail), limit)
	}
}
