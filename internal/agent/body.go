package agent

import (
	"io"
	"net/http"

	"github.com/openai/openai-go/v3/option"
)

// body is the JSON of a request, in pieces that nobody writes to any more: what
// a request repeats of the one before it is the same memory.
type body struct {
	pieces [][]byte
	size   int64 // bytes of all pieces
}

func newBody(pieces ...[]byte) body {
	b := body{pieces: pieces}
	for _, p := range pieces {
		b.size += int64(len(p))
	}
	return b
}

// open returns a reader of the whole body.
func (b body) open() *bodyReader { return &bodyReader{body: b} }

// bodyReader reads a body once.
type bodyReader struct {
	body  body
	piece int // the piece that is read, and how far
	at    int
}

// Read implements [io.Reader].
func (r *bodyReader) Read(p []byte) (n int, err error) {
	for r.piece < len(r.body.pieces) {
		got := copy(p[n:], r.body.pieces[r.piece][r.at:])
		n, r.at = n+got, r.at+got
		if r.at < len(r.body.pieces[r.piece]) {
			return n, nil
		}
		r.piece, r.at = r.piece+1, 0
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close implements [io.Closer].
func (r *bodyReader) Close() error { return nil }

// send puts the body into a request in the place of the library's, with its
// length and a way to read it again for a redirect. It is a middleware of one
// request.
func (b body) send(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	r.Body, r.ContentLength = b.open(), b.size
	// Without an Idempotency-Key the transport sends a POST again only where
	// nothing of it was written yet; any other resend is a retry of ours.
	r.GetBody = func() (io.ReadCloser, error) { return b.open(), nil }
	return next(r)
}
