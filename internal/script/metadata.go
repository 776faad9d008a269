package script

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// Inline is what a Python file declares in the comment block of PEP 723.
type Inline struct {
	Dependencies []string `toml:"dependencies"`    // as they are written: "requests<3"
	Python       string   `toml:"requires-python"` // the versions it accepts: ">=3.11"; "" for any

	// Fault says why programs that run a Python file reject the block, "" if
	// they accept it or there is none.
	Fault string `toml:"-"`
}

// InlineMetadata reads the comment block of a file's beginning; ok says whether
// there is one. A key of the wrong type is left out.
func InlineMetadata(head []byte) (m Inline, ok bool) {
	blocks, unclosed := inlineBlocks(head)
	if len(blocks) == 0 {
		if unclosed {
			m.Fault = "its block of script metadata is never closed: the line # /// is missing"
		}
		return m, false
	}
	if _, err := toml.Decode(blocks[0], &m); err != nil { // with the line in the block
		m.Fault = "its script metadata is invalid: " + strings.TrimPrefix(err.Error(), "toml: ")
	}
	if len(blocks) > 1 {
		m.Fault = "it has two blocks of script metadata, and one is allowed"
	}
	return m, true
}

// inlineBlocks returns the text of each block without the comment marks;
// unclosed says that one was begun and not closed.
func inlineBlocks(head []byte) (blocks []string, unclosed bool) {
	var text *strings.Builder
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case text == nil:
			if line == "# /// script" {
				text = &strings.Builder{}
			}
		case line == "# ///" && text.Len() > 0:
			blocks, text = append(blocks, text.String()), nil
		case line == "#", strings.HasPrefix(line, "# "):
			text.WriteString(strings.TrimPrefix(line[1:], " ") + "\n")
		default:
			text, unclosed = nil, true
		}
	}
	return blocks, unclosed || text != nil
}
