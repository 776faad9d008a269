// Package pymeta parses the metadata that a Python file declares in a block of comments
// (PEP 723).
package pymeta

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Metadata is the metadata of a Python file.
type Metadata struct {
	Dependencies []string `toml:"dependencies"`    // as written: "requests<3"
	Python       string   `toml:"requires-python"` // the required versions: ">=3.11"; "" for any

	// Fault is the reason why programs that run a Python file reject the block, or "".
	Fault string `toml:"-"`
	// Line is the line of the fault, or the first line of the block; 0 if there is none.
	Line int `toml:"-"`
}

// Read parses the comment block at the start of a file; ok reports whether there is
// one. A key with a value of the wrong type is ignored.
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
		_, _ = fmt.Sscanf(reason, "line %d", &line) // some errors have it only in the text
		m.Fault, m.Line = "its script metadata is invalid: "+reason, m.Line+line
	}
	if len(blocks) > 1 {
		m.Fault, m.Line = "it has two blocks of script metadata, and one is allowed", blocks[1].line
	}
	return m, true
}

// block is a block without the comment marks, and the line of the file where it starts.
type block struct {
	text string
	line int
}

// findBlocks returns the blocks of a file; unclosed is the first line of an unclosed
// one, or 0.
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
