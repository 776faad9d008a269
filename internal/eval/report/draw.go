package report

import (
	"fmt"

	"skills/internal/eval/stats"
)

// interval draws the difference and its interval on an axis from -1 to +1. Places are
// percentages, so that the text keeps its size on every screen.
func (m *markup) interval(s stats.Result) {
	if s.Delta == nil {
		return
	}
	label := fmt.Sprintf("difference %s on an axis from −1 to +1", signed(*s.Delta))
	m.open("svg", "class", "interval", "role", "img", "aria-label", label, "width", "100%", "height", "104")
	m.element("title", "", label)
	m.rect("band", -0.05, 0.05, 22, 42)
	m.line("axis", -1, 1, 64, 64)
	m.line("zero", 0, 0, 18, 70)
	for i, tick := range []string{"−1", "−0.5", "0", "+0.5", "+1"} {
		at := float64(i)/2 - 1
		m.line("axis", at, at, 64, 70)
		m.label(at, 88, "middle", tick)
	}
	m.label(-1, 12, "start", "← worse")
	m.label(1, 12, "end", "better →")
	if s.CI != nil {
		m.line("range", s.CI[0], s.CI[1], 43, 43)
	}
	m.open("circle", "class", "mean", "cx", x(*s.Delta), "cy", "43", "r", "7")
	m.close("circle", "svg")
}

// mini draws an interval in a cell of a table.
func (m *markup) mini(s stats.Result) {
	if s.Delta == nil {
		m.text(unknown)
		return
	}
	m.open("svg", "class", "mini", "width", "100%", "height", "18", "aria-hidden", "true")
	m.line("axis", -1, 1, 9, 9)
	m.line("zero", 0, 0, 2, 16)
	if s.CI != nil {
		m.line("range", s.CI[0], s.CI[1], 9, 9)
	}
	m.open("circle", "class", "mean", "cx", x(*s.Delta), "cy", "9", "r", "4.5")
	m.close("circle", "svg")
}

// x returns the place of a difference in a picture.
func x(v float64) string { return fmt.Sprintf("%.1f%%", 50+46*v) }

func (m *markup) line(class string, x1, x2 float64, y1, y2 int) {
	m.open("line", "class", class, "x1", x(x1), "x2", x(x2), "y1", fmt.Sprint(y1), "y2", fmt.Sprint(y2))
	m.close("line")
}

func (m *markup) rect(class string, x1, x2 float64, y, height int) {
	m.open("rect", "class", class, "x", x(x1), "width", fmt.Sprintf("%.1f%%", 46*(x2-x1)), "y", fmt.Sprint(y), "height", fmt.Sprint(height))
	m.close("rect")
}

func (m *markup) label(at float64, y int, anchor, text string) {
	m.open("text", "x", x(at), "y", fmt.Sprint(y), "text-anchor", anchor)
	m.text(text)
	m.close("text")
}

// bar draws a share of the largest value in a cell, and its number.
func (m *markup) bar(share float64, number string) {
	m.text(number)
	m.open("svg", "class", "bar", "width", "100%", "height", "6", "aria-hidden", "true")
	m.open("rect", "width", "100%", "height", "6", "rx", "3")
	m.close("rect")
	m.open("rect", "class", "fill", "width", fmt.Sprintf("%.1f%%", 100*share), "height", "6", "rx", "3")
	m.close("rect", "svg")
}
