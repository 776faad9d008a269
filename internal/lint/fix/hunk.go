package fix

import "slices"

const around = 3 // lines around a change

// hunks turns two texts into the hunks of their difference.
func hunks(a, b []string) []hunk {
	var out []hunk
	for _, r := range regions(a, b) {
		from, to := max(r.a0-around, 0), min(r.a1+around, len(a))
		if n := len(out); n > 0 {
			last := &out[n-1]
			if end := last.from[0] + last.from[1]; from <= end {
				// The contexts touch: go on with the same hunk. What it has
				// beyond this region's start is taken back.
				last.drop(max(end-r.a0, 0))
				from = last.from[0] + last.from[1]
				last.add(a, b, from, to, r)
				continue
			}
		}
		h := hunk{from: [2]int{from, 0}, to: [2]int{r.b0 - (r.a0 - from), 0}}
		h.add(a, b, from, to, r)
		out = append(out, h)
	}
	return out
}

// add appends the lines from..to of a with the region r inside replaced.
func (h *hunk) add(a, b []string, from, to int, r region) {
	put := func(mark string, lines []string) {
		for _, line := range lines {
			h.body = append(h.body, mark+line)
		}
	}
	put(" ", a[from:r.a0])
	put("-", a[r.a0:r.a1])
	put("+", b[r.b0:r.b1])
	put(" ", a[r.a1:to])
	h.from[1] += to - from
	h.to[1] += to - from - (r.a1 - r.a0) + (r.b1 - r.b0)
}

// drop takes the last n lines of context back.
func (h *hunk) drop(n int) {
	h.body = h.body[:len(h.body)-n]
	h.from[1] -= n
	h.to[1] -= n
}

// region is a stretch of lines of a that b has other lines for.
type region struct{ a0, a1, b0, b1 int }

// maxDifference bounds the search for the shortest difference: beyond so many
// added and deleted lines the whole stretch is one change.
const maxDifference = 500

// regions compares two lists of lines by the greedy algorithm of Myers ("An
// O(ND) difference algorithm and its variations", 1986).
func regions(a, b []string) []region {
	lead := 0
	for lead < len(a) && lead < len(b) && a[lead] == b[lead] {
		lead++
	}
	tail := 0
	for tail < len(a)-lead && tail < len(b)-lead && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	x, y := a[lead:len(a)-tail], b[lead:len(b)-tail]
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	steps, ok := search(x, y)
	if !ok {
		return []region{{lead, lead + len(x), lead, lead + len(y)}}
	}
	return walk(steps, len(x), len(y), lead)
}

// search returns, for every number of differences, how far each diagonal got;
// ok is false where there are too many differences.
func search(x, y []string) (steps [][]int, ok bool) {
	most := min(len(x)+len(y), maxDifference)
	reach := make([]int, 2*most+3)
	for d := 0; d <= most; d++ {
		steps = append(steps, slices.Clone(reach[most+1-d:most+2+d]))
		for k := -d; k <= d; k += 2 {
			at := most + 1 + k
			i := reach[at-1] + 1
			if k == -d || k != d && reach[at-1] < reach[at+1] {
				i = reach[at+1]
			}
			j := i - k
			for i < len(x) && j < len(y) && x[i] == y[j] {
				i, j = i+1, j+1
			}
			reach[at] = i
			if i >= len(x) && j >= len(y) {
				return steps, true
			}
		}
	}
	return nil, false
}

// walk goes the way of search back and joins its single steps into regions.
func walk(steps [][]int, i, j, lead int) []region {
	var out []region
	for d := len(steps) - 1; d > 0; d-- {
		reach := func(k int) int { return steps[d][k+d] } // diagonals -d..d before this step
		k := i - j
		previous := k - 1
		if k == -d || k != d && reach(k-1) < reach(k+1) {
			previous = k + 1
		}
		pi := reach(previous)
		pj := pi - previous
		step := region{lead + pi, lead + pi + 1, lead + pj, lead + pj}
		if previous > k {
			step = region{lead + pi, lead + pi, lead + pj, lead + pj + 1}
		}
		if n := len(out); n > 0 && out[n-1].a0 == step.a1 && out[n-1].b0 == step.b1 {
			out[n-1].a0, out[n-1].b0 = step.a0, step.b0
		} else {
			out = append(out, step)
		}
		i, j = pi, pj
	}
	slices.Reverse(out)
	return out
}
