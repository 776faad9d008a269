package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Inline is what a Python file declares in the comment block of PEP 723.
type Inline struct {
	Dependencies []string // as they are written: "requests<3"
	Python       string   // the versions it accepts: ">=3.11"; "" for any
}

// InlineMetadata reads the comment block of a file's beginning; ok says whether
// there is one. What is invalid is left out, see [InlineFault].
func InlineMetadata(head []byte) (m Inline, ok bool) {
	blocks, _ := inlineBlocks(head)
	if len(blocks) == 0 {
		return Inline{}, false
	}
	m, _ = parseInline(blocks[0])
	return m, true
}

// InlineFault says why programs that run a Python file reject its comment block,
// "" if they accept it or there is none.
func InlineFault(head []byte) string {
	blocks, unclosed := inlineBlocks(head)
	switch {
	case len(blocks) > 1:
		return "it has two blocks of script metadata, and one is allowed"
	case len(blocks) == 0 && unclosed:
		return "its block of script metadata is never closed: the line # /// is missing"
	case len(blocks) == 0:
		return ""
	}
	if _, err := parseInline(blocks[0]); err != nil {
		return "its script metadata is invalid: " + err.Error()
	}
	return ""
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

// parseInline reads a block, which is TOML. A key of the wrong type is left out.
func parseInline(text string) (m Inline, err error) {
	var table map[string]any
	if _, err := toml.Decode(text, &table); err != nil {
		if parse, ok := errors.AsType[toml.ParseError](err); ok {
			return m, fmt.Errorf("line %d of the block: %s", parse.Position.Line, parse.Message)
		}
		return m, err
	}
	if value, ok := table["requires-python"]; ok {
		if m.Python, ok = value.(string); !ok {
			err = errors.New("requires-python is not a string")
		}
	}
	if value, ok := table["dependencies"]; ok {
		list, isList := value.([]any)
		for _, item := range list {
			name, isString := item.(string)
			isList = isList && isString
			m.Dependencies = append(m.Dependencies, name)
		}
		if !isList {
			m.Dependencies, err = nil, errors.New("dependencies is not a list of strings")
		}
	}
	return m, err
}
