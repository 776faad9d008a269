package terminal

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// watch is a status line whose clock and ticks are the test's.
type watch struct {
	*Status
	out   *bytes.Buffer
	clock time.Time
	width int
	mu    sync.Mutex
	ticks chan time.Time
}

func newWatch(t *testing.T, width int) *watch {
	w := &watch{out: &bytes.Buffer{}, width: width, clock: time.Unix(1000, 0), ticks: make(chan time.Time)}
	w.Status = NewStatus(w.out, w.columns, func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.clock }, w.ticks)
	t.Cleanup(w.Close)
	return w
}

func (w *watch) columns() int { w.mu.Lock(); defer w.mu.Unlock(); return w.width }

// resize makes the terminal so wide.
func (w *watch) resize(width int) { w.mu.Lock(); defer w.mu.Unlock(); w.width = width }

// after lets time pass and a tick be handled, and returns what that wrote.
func (w *watch) after(d time.Duration) string {
	w.mu.Lock()
	w.clock = w.clock.Add(d)
	w.mu.Unlock()
	w.ticks <- time.Time{}
	w.ticks <- time.Time{} // received once the first is dealt with
	return w.wrote()
}

// wrote takes what was written.
func (w *watch) wrote() string {
	w.Status.mu.Lock()
	defer w.Status.mu.Unlock()
	text := w.out.String()
	w.out.Reset()
	return text
}

func (w *watch) wait(what, note string) {
	w.Hold()
	w.Wait(what, note)
	w.Release()
}

func TestStatus(t *testing.T) {
	w := newWatch(t, 40)
	for i, step := range []struct {
		do   func()
		pass time.Duration
		want string
	}{
		{nil, time.Hour, ""},
		{func() { w.wait("waiting for m", "") }, 100 * time.Millisecond, ""},
		{nil, time.Second, "\rwaiting for m · 1 s\x1b[J\r"},
		{nil, 100 * time.Millisecond, ""}, // it would be the same
		{nil, time.Minute, "\rwaiting for m · 1 min 1 s\x1b[J\r"},
		{func() { w.wait("waiting for m", "9 tokens") }, 0, "\r\x1b[J\rwaiting for m · 1 min 1 s · 9 tokens\x1b[J\r"},
		{func() { w.wait("running t", "9 tokens") }, 0, "\r\x1b[J"},
		{nil, 2 * time.Second, "\rrunning t · 2 s · 9 tokens\x1b[J\r"},
		{func() { w.wait("", "") }, time.Hour, "\r\x1b[J"},
		{func() { w.wait("evil\x1b[2J\n", "") }, time.Second, "\revil␛[2J␊ · 1 s\x1b[J\r"},
	} {
		if step.do != nil {
			step.do()
		}
		if got := w.after(step.pass); got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
	}
	// Whoever holds it writes alone.
	w.Hold()
	w.mu.Lock()
	w.clock = w.clock.Add(time.Minute)
	w.mu.Unlock()
	w.ticks <- time.Time{}
	w.ticks <- time.Time{}
	if got := w.out.String(); got != "\r\x1b[J" {
		t.Errorf("while it is held: %q", got)
	}
	w.out.Reset()
	w.Release()
	if got := w.after(time.Second); !strings.HasPrefix(got, "\revil") {
		t.Errorf("released: %q", got)
	}
	w.Close()
	if got := w.wrote(); got != "\r\x1b[J" {
		t.Errorf("closed: %q", got)
	}
	select {
	case w.ticks <- time.Time{}:
		t.Error("it ticks on after the end")
	default:
	}
	w.Close()
	w.wait("x", "")
	if got := w.wrote(); got != "" {
		t.Errorf("after the end: %q", got)
	}
}

// TestStatusInBackground checks that nothing is drawn or erased while another job has the
// terminal.
func TestStatusInBackground(t *testing.T) {
	w := newWatch(t, 40)
	again := func() { w.wait("waiting for m", "") }
	for i, step := range []struct {
		width int
		do    func()
		want  string
	}{
		{40, again, "\rwaiting for m · 1 s\x1b[J\r"}, {0, nil, ""}, {0, again, ""}, {40, again, "\rwaiting for m · 4 s\x1b[J\r"},
		{0, again, ""}, {40, again, "\rwaiting for m · 6 s\x1b[J\r"}, {40, again, "\r\x1b[J\rwaiting for m · 7 s\x1b[J\r"},
	} {
		w.resize(step.width)
		if step.do != nil {
			step.do()
		}
		if got := w.after(time.Second); got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
	}
	w.resize(0)
	w.Close()
	if got := w.wrote(); got != "" {
		t.Errorf("closed: %q", got)
	}
}

// TestStatusBelow checks that further lines fit the terminal, that the cursor returns to
// the first line, and that the seconds count from the given time.
func TestStatusBelow(t *testing.T) {
	w := newWatch(t, 20)
	w.Hold()
	w.Wait("evals", "")
	w.Below(w.clock.Add(-5*time.Second), func() []string { return []string{"one\a", strings.Repeat("x", 30)} })
	w.Release()
	want := "\revals · 5 s\x1b[K\r\none␇\x1b[K\r\n" + strings.Repeat("x", 17) + "…\x1b[J\x1b[2A\r"
	if got := w.after(0); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	w.Close()
	if got := w.wrote(); got != "\r\x1b[J" {
		t.Errorf("closed: %q", got)
	}
}

// TestStatusWidth checks that the line never reaches the last column, however wide its
// characters are.
func TestStatusWidth(t *testing.T) {
	for width, want := range map[int]string{
		54: "waiting for a-model-with-a-name · 12 s · 345 tokens", 53: "waiting for a-model-with-a-n… · 12 s · 345 tokens",
		43: "waiting for a-mode… · 12 s · 345 tokens", 42: "waiting for a-model-with-a-name · 12 s", 38: "waiting for a-model-with-a-… · 12 s",
		12: "w… · 12 s", 11: "… · 12 s", 10: "12 s", 5: "12 s", 4: "1…", 2: "", 1: "", 0: "",
	} {
		w := newWatch(t, width)
		w.wait("waiting for a-model-with-a-name", "345 tokens")
		if got := strings.Trim(strings.TrimSuffix(w.after(12*time.Second), "\x1b[J\r"), "\r"); got != want {
			t.Errorf("%d columns: got %q, want %q", width, got, want)
		}
	}
	w := newWatch(t, 0)
	w.wait("x", "")
	if got := w.after(time.Minute); got != "" {
		t.Errorf("without a width: %q", got)
	}
}

// TestStatusWithoutTerminal checks that the status line is not drawn without a terminal,
// and that a nil status does nothing.
func TestStatusWithoutTerminal(t *testing.T) {
	var none *Status
	none.Hold()
	none.Wait("x", "y")
	none.Release()
	none.Close()
	var out bytes.Buffer
	s := NewStatus(&out, func() int { return 80 }, time.Now, nil)
	n := 0
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			s.Hold()
			defer s.Release()
			s.Wait("x", "")
			n++ // the race detector and the sum detect errors
		})
	}
	wg.Wait()
	s.Close()
	if n != 20 || out.Len() != 0 {
		t.Errorf("%d holders, %q", n, out.String())
	}
}
