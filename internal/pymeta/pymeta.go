// Package pymeta reads the metadata that a Python file declares in a block of comments,
// as PEP 723 defines it.
package pymeta

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Metadata is what a Python file declares.
type Metadata struct {
	Dependencies []string `toml:"dependencies"`    // as they are written: "requests<3"
	Python       string   `toml:"requires-python"` // the versions it accepts: ">=3.11"; "" for any

	// Fault says why programs that run a Python file reject the block, "" if
	// they accept it or there is none.
	Fault string `toml:"-"`
	// Line is the line of the file with the fault, or that on which the block begins;
	// 0 if there is none.
	Line int `toml:"-"`
}

// Read reads the comment block of a file's beginning; ok says whether
// there is one. A key of the wrong type is left out.
func Read(head []byte) (m Metadata, ok bool) {
	blocks, unclosed := findBlocks(head)
	if len(blocks) == 0 {
		if unclosed > 0 {
			m.Fault, m.Line = "its block of script metadata is never closed: the line # /// is missing", unclosed
		}
		return m, false
	}
	_, err := toml.Decode(blocks[0].text, &m)
	m.Line = blocks[0].line
	if err != nil { // with the line in the block
		reason, line := strings.TrimPrefix(err.Error(), "toml: "), 0
		_, _ = fmt.Sscanf(reason, "line %d", &line) // not all errors have it as a value
		m.Fault, m.Line = "its script metadata is invalid: "+reason, m.Line+line
	}
	if len(blocks) > 1 {
		m.Fault, m.Line = "it has two blocks of script metadata, and one is allowed", blocks[1].line
	}
	return m, true
}

// block is a block without the comment marks, and the line of the file on which it
// begins.
type block struct {
	text string
	line int
}

// findBlocks returns the blocks of a file; unclosed is the line on which one begins
// that is not closed, 0 if there is none.
func findBlocks(head []byte) (blocks []block, unclosed int) {
	var text *strings.Builder
	number, start := 0, 0
	for line := range strings.Lines(string(head)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case text == nil:
			if line == "# /// script" {
				text, start = &strings.Builder{}, number
			}
		case line == "# ///" && text.Len() > 0:
			blocks, text = append(blocks, block{text.String(), start}), nil
		case line == "#", strings.HasPrefix(line, "# "):
			text.WriteString(strings.TrimPrefix(line[1:], " ") + "\n")
		default:
			text, unclosed = nil, start
		}
	}
	if text != nil {
		unclosed = start
	}
	return blocks, unclosed
}
