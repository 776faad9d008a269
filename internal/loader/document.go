package loader

import (
	"bufio"
	"bytes"
	"errors"
	"sync"

	"github.com/adrg/frontmatter"

	"skills/internal/spec"
)

// errOtherBlock says that the splitter found another block than the scan.
var errOtherBlock = errors.New("the frontmatter ends elsewhere")

// ParseDocument reads a SKILL.md from memory. path is how findings name the
// file, dir the name of its folder or "". It never fails: faults stand in the
// document.
//
// adrg/frontmatter splits and decodes, with one format and our own decoder.
// Its idea of a fence is looser than the specification's (indented, after
// blank lines, inside a block of text, unclosed), so the scan decides first
// and the two must agree on the block.
func ParseDocument(path, dir string, src []byte) *spec.Document {
	doc := spec.Scan(path, dir, src)
	doc.File = spec.FileName
	block := doc.Block()
	if !block.Closed() {
		return doc
	}
	own := src[block.Start:block.End]
	format := frontmatter.NewFormat("---", "---", func(found []byte, to any) error {
		if !bytes.Equal(found, own) {
			return errOtherBlock
		}
		to.(*spec.Document).Decode(own)
		return nil
	})
	// Only the part up to the body is handed over: the body is never copied.
	// The reader is one that the splitter takes as it is.
	reader := readers.Get().(*bufio.Reader)
	reader.Reset(bytes.NewReader(src[:block.BodyStart]))
	if _, err := frontmatter.MustParse(reader, doc, format); err != nil {
		doc.Decode(own)
	}
	reader.Reset(nil)
	readers.Put(reader)
	return doc
}

// readers are used again: one has a buffer of 4 KiB, more than most frontmatter.
var readers = sync.Pool{New: func() any { return bufio.NewReader(nil) }}
