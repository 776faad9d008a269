package eval

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"skills/internal/printable"
	"skills/internal/terminal"
)

// progress shows the running cases, an overall bar and the estimated rest at a terminal.
// Elsewhere it prints nothing.
type progress struct {
	e    *Eval
	stop chan struct{}
	wait sync.WaitGroup

	mu    sync.Mutex
	rows  []*row
	done  int
	real  int           // runs that were not stored
	spent time.Duration // in these
	lines int           // on the screen
}

type row struct {
	r     *run
	turn  int
	since time.Time
}

func newProgress(e *Eval) *progress {
	p := &progress{e: e, stop: make(chan struct{})}
	if terminal.Is(e.env.Stderr) && e.env.Getenv("TERM") != "dumb" {
		p.wait.Go(func() {
			tick := time.NewTicker(200 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-p.stop:
					p.draw(nil)
					return
				case now := <-tick.C:
					p.draw(p.text(now))
				}
			}
		})
	}
	return p
}

func (p *progress) close() {
	close(p.stop)
	p.wait.Wait()
}

func (p *progress) start(r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows = append(p.rows, &row{r: r, since: time.Now()})
}

func (p *progress) turn(r *run, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, row := range p.rows {
		if row.r == r {
			row.turn = n
		}
	}
}

func (p *progress) end(r *run) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, row := range p.rows {
		if row.r == r {
			if p.done++; row.turn > 0 {
				p.real, p.spent = p.real+1, p.spent+time.Since(row.since)
			}
			p.rows = append(p.rows[:i], p.rows[i+1:]...)
			return
		}
	}
}

// draw replaces the lines on the screen.
func (p *progress) draw(lines []string) {
	if p.lines > 0 {
		fmt.Fprintf(p.e.env.Stderr, "\x1b[%dA\r\x1b[J", p.lines)
	}
	for _, line := range lines {
		fmt.Fprintln(p.e.env.Stderr, printable.Fit(line, terminal.Width(p.e.env.Stderr)-1))
	}
	p.lines = len(lines)
}

// text returns a line for each running case, and the overall one.
func (p *progress) text(now time.Time) (lines []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, row := range p.rows {
		lines = append(lines, fmt.Sprintf("  %s  %s  run %d  turn %d  %s", printable.Line(row.r.c.ID), row.r.arm.configuration, row.r.number, row.turn, seconds(now.Sub(row.since))))
	}
	total := 0
	for _, b := range p.e.benches {
		total += len(b.runs)
	}
	const cells = 24
	full := cells * p.done / total
	tokens, cost, _ := p.e.meter.read()
	line := fmt.Sprintf("%s%s %d/%d runs  %s tokens", strings.Repeat("█", full), strings.Repeat("░", cells-full), p.done, total, printable.Grouped(tokens))
	if p.e.o.Budget.Price != [2]float64{} {
		line += fmt.Sprintf("  cost %.2f", cost)
	}
	if left := total - p.done; p.real > 0 && left > 0 {
		line += "  about " + seconds(p.spent/time.Duration(p.real)*time.Duration(left)/time.Duration(p.e.o.Jobs)) + " left"
	}
	return append(lines, line)
}

func seconds(d time.Duration) string { return d.Round(time.Second).String() }

// once returns a function that passes every text on once. It is safe for concurrent use.
func once(print func(string)) func(string) {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[text] {
			seen[text] = true
			print(text)
		}
	}
}
