package terminal

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a terminal that obeys what a status line needs. Made narrower, it
// takes long lines apart, as most do, or cuts them.
type screen struct {
	mu       sync.Mutex
	columns  int
	cuts     bool
	rows     [][]rune
	goesOn   []bool // whether the row is continued in the next
	row, col int
}

func newScreen(columns int, cuts bool) *screen {
	return &screen{columns: columns, cuts: cuts, rows: [][]rune{nil}, goesOn: []bool{false}}
}

func (s *screen) width() int { s.mu.Lock(); defer s.mu.Unlock(); return s.columns }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text := string(p); text != ""; {
		r := []rune(text)[0]
		n := len(string(r))
		switch {
		case strings.HasPrefix(text, "\x1b[K"):
			n = 3
			s.rows[s.row], s.goesOn[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))], false
		case strings.HasPrefix(text, "\x1b[J"):
			n = 3
			s.rows[s.row], s.goesOn[s.row] = s.rows[s.row][:min(s.col, len(s.rows[s.row]))], false
			s.rows, s.goesOn = s.rows[:s.row+1], s.goesOn[:s.row+1]
		case r == '\r':
			s.col = 0
		case r == '\n':
			s.down()
			s.col = 0
		default:
			if s.col == s.columns {
				s.goesOn[s.row] = true
				s.down()
				s.col = 0
			}
			if row := s.rows[s.row]; s.col < len(row) {
				row[s.col] = r
			} else {
				s.rows[s.row] = append(row, r)
			}
			s.col++
		}
		text = text[n:]
	}
	return len(p), nil
}

func (s *screen) down() {
	s.row++
	if s.row == len(s.rows) {
		s.rows, s.goesOn = append(s.rows, nil), append(s.goesOn, false)
	}
}

// resize makes the screen so wide; the cursor stays at its character.
func (s *screen) resize(columns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns = columns
	if s.cuts {
		for i, row := range s.rows {
			s.rows[i], s.goesOn[i] = row[:min(len(row), columns)], false
		}
		s.col = min(s.col, columns-1)
		return
	}
	old, goesOn, at := s.rows, s.goesOn, s.row
	s.rows, s.goesOn = nil, nil
	for i := 0; i < len(old); i++ {
		var line []rune
		cursor := -1
		for {
			if i == at {
				cursor = len(line) + s.col
			}
			line = append(line, old[i]...)
			if !goesOn[i] {
				break
			}
			i++
		}
		if cursor >= 0 {
			s.row, s.col = len(s.rows)+cursor/columns, cursor%columns
		}
		for len(line) > columns {
			s.rows, s.goesOn, line = append(s.rows, line[:columns:columns]), append(s.goesOn, true), line[columns:]
		}
		s.rows, s.goesOn = append(s.rows, slices.Clone(line)), append(s.goesOn, false)
	}
	for s.row >= len(s.rows) { // the cursor is after a line that fills its row
		s.rows, s.goesOn = append(s.rows, nil), append(s.goesOn, false)
	}
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, row := range s.rows {
		out = append(out, strings.TrimRight(string(row), " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// TestStatusResized makes the terminal narrower and wider under the line: exactly the
// line is erased.
func TestStatusResized(t *testing.T) {
	for _, tt := range []struct {
		cuts   bool
		widths []int
	}{{false, []int{80, 25, 60, 12, 7, 3, 2, 1, 40, 9}}, {true, []int{80, 25, 60, 12, 40, 9}}} {
		s := newScreen(80, tt.cuts)
		clock, ticks := time.Unix(0, 0), make(chan time.Time)
		line := NewStatus(s, s.width, func() time.Time { return clock }, ticks)
		tick := func() {
			line.mu.Lock()
			clock = clock.Add(time.Second)
			line.mu.Unlock()
			ticks <- clock
			ticks <- clock // the first is dealt with
		}
		want := ""
		for i, columns := range slices.Concat(tt.widths, tt.widths) {
			line.Hold()
			want += "above\n"
			s.Write([]byte("above\n"))
			line.Wait("waiting for a-model-that-has-a-long-name", "1234 tokens")
			line.Release()
			tick()
			if !strings.Contains(s.String(), "\nwaiting for") {
				t.Fatalf("nothing is drawn on\n%s", s)
			}
			s.resize(columns)
			if i >= len(tt.widths) { // drawn again before it is taken away
				tick()
				if len(s.rows) != s.row+1 || len(s.rows[s.row]) >= columns {
					t.Errorf("%d columns, cuts %t: drawn again the screen is\n%s", columns, tt.cuts, s)
				}
			}
			line.Hold()
			if len(s.rows) != s.row+1 || len(s.rows[s.row]) > 0 {
				t.Errorf("%d columns, cuts %t: taken away the screen is\n%s", columns, tt.cuts, s)
			}
			s.resize(80)
			if got := s.String() + "\n"; got != want {
				t.Errorf("%d columns and back, cuts %t: the screen is\n%s\nwant\n%s", columns, tt.cuts, got, want)
			}
			line.Release()
		}
		line.Close()
	}
}
