package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
)

// clearFields returns the last line of a block of fields that starts at line
// from and ends at a blank line or the end of the file. The block must include
// a name or description. It returns 0 if the block may be something else or may
// continue below the blank line.
func clearFields(x Lines, from int) (last int) {
	known := false
	n := from
	for ; n <= len(x.Starts); n++ {
		line := strings.TrimRight(string(x.Text(n)), " \t")
		key := fieldKey(strings.TrimPrefix(line, byteOrderMark))
		switch {
		case line == "":
			next := n
			for next < len(x.Starts) && isBlankLine(string(x.Text(next))) {
				next++
			}
			below := string(x.Text(next))
			if !known || fieldFollows(x, n-1) || strings.HasPrefix(below, " ") && !isBlankLine(below) || strings.HasPrefix(below, "- ") {
				return 0
			}
			return last
		case key != "":
			known = known || key == "name" || key == "description"
		case last == 0 || !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "- "):
			return 0
		}
		last = n
	}
	if !known {
		return 0
	}
	return last
}

// insertFence returns an edit that adds a fence after a line; 0 means before
// the first line.
func (d *Content) insertFence(x Lines, below int) Edit {
	end := "\n"
	if bytes.Contains(d.Source, []byte("\r\n")) {
		end = "\r\n"
	}
	switch {
	case below == 0:
		at := len(d.Source) - len(bytes.TrimPrefix(d.Source, []byte(byteOrderMark)))
		return Edit{Start: at, End: at, Text: "---" + end}
	case below < len(x.Starts):
		at := x.Starts[below]
		return Edit{Start: at, End: at, Text: "---" + end}
	}
	text := "---" + end
	if !bytes.HasSuffix(d.Source, []byte("\n")) {
		text = end + text
	}
	return Edit{Start: len(d.Source), End: len(d.Source), Text: text}
}

// closingFix adds the closing fence; nil if its position is uncertain.
func (d *Content) closingFix(x Lines, open int) *Fix {
	last := clearFields(x, open+1)
	if last == 0 {
		return nil
	}
	return &Fix{Description: fmt.Sprintf("add a line --- after line %d", last), Edits: []Edit{d.insertFence(x, last)}}
}

// openingFix adds the opening fence, and the closing one if line fence is not a
// fence. It returns nil unless the file certainly begins with fields.
func (d *Content) openingFix(x Lines, fence int) *Fix {
	last := clearFields(x, 1)
	switch {
	case last == 0 && fence <= len(x.Starts): // the fence follows the fields directly
		block := Lines{Source: d.Source[:x.Starts[fence-1]], Starts: x.Starts[:fence-1]}
		if clearFields(block, 1) != fence-1 {
			return nil
		}
		return &Fix{Description: "add a line --- before line 1", Edits: []Edit{d.insertFence(x, 0)}}
	case last == 0 || fence <= len(x.Starts):
		return nil
	}
	return &Fix{Description: fmt.Sprintf("add a line --- before line 1, and another after line %d", last), Edits: []Edit{d.insertFence(x, 0), d.insertFence(x, last)}}
}

// codeBlockFix removes the code block markers around the frontmatter; nil if
// the block contains anything else.
func (d *Content) codeBlockFix(x Lines) *Fix {
	open, shut := 0, 0
	for n := 2; n < len(x.Starts); n++ {
		line := strings.TrimSpace(string(x.Text(n)))
		switch {
		case open == 0 && line != "" && !isFence(x.Text(n)):
			return nil
		case isFence(x.Text(n)) && open == 0:
			open = n
		case isFence(x.Text(n)):
			shut = n + 1
		}
		if shut > 0 {
			break
		}
	}
	if shut == 0 || !strings.HasPrefix(string(x.Text(1)), strings.TrimSpace(string(x.Text(shut)))) || strings.Trim(string(x.Text(shut)), "`~ \t") != "" || isBlankLine(string(x.Text(shut))) {
		return nil
	}
	end := len(d.Source)
	if shut < len(x.Starts) {
		end = x.Starts[shut]
	}
	return &Fix{Description: "delete the two lines of the code block around the frontmatter", Edits: []Edit{{Start: 0, End: x.Starts[open-1]}, {Start: x.Starts[shut-1], End: end}}}
}
