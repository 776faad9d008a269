package secret

import "io"

// Stream masks text that comes in pieces: what may be the beginning of a key
// waits for its rest.
type Stream struct {
	masker *Masker
	before string // the last bytes that were let out: a key's surroundings count
	held   string
}

// Stream returns a stream.
func (m *Masker) Stream() *Stream { return &Stream{masker: m} }

// Next takes the next piece and returns what can be shown by now.
func (s *Stream) Next(piece string) string {
	if s.masker == nil {
		return piece
	}
	s.held += piece
	text := s.before + s.held
	found := after(s.masker.find(text), len(s.before))
	cut := max(len(text)-s.masker.tail(text), len(s.before))
	for i, f := range found {
		if f.end > cut { // it may go on
			found, cut = found[:i], min(cut, f.start)
			break
		}
	}
	out := render(text[:cut], found)[len(s.before):]
	s.held = text[cut:]
	s.before = text[max(0, cut-surroundings):cut]
	return out
}

// surroundings is how far before a key its shape is looked at.
const surroundings = 4

// after leaves out what begins in the part that was let out already. Seen with
// all that stood before it, it was no shape of a key; a known value in it still
// is one.
func after(found []span, at int) []span {
	for len(found) > 0 && found[0].start < at {
		if found[0].sure && found[0].end > at {
			found[0].start = at
			break
		}
		found = found[1:]
	}
	return found
}

// Rest returns what was held back: nothing comes any more.
func (s *Stream) Rest() string {
	if s.masker == nil {
		return ""
	}
	text := s.before + s.held
	out := render(text, after(s.masker.find(text), len(s.before)))[len(s.before):]
	s.before, s.held = "", ""
	return out
}

// Writer is a stream in front of a writer.
type Writer struct {
	stream *Stream
	to     io.Writer
}

// Writer returns a writer that masks what is written to it. What it holds back
// comes with what is written next, or with Flush.
func (m *Masker) Writer(to io.Writer) *Writer { return &Writer{m.Stream(), to} }

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.pass(w.stream.Next(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes what was held back.
func (w *Writer) Flush() error { return w.pass(w.stream.Rest()) }

// Close is Flush; the writer behind it stays open.
func (w *Writer) Close() error { return w.Flush() }

func (w *Writer) pass(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w.to, text)
	return err
}
