package spec

import (
	"crypto/sha256"
	"io"
	"slices"
)

// Release drops what was read and made to check the document: a run has
// thousands of them, and after the check only their findings count. What
// [Collisions] needs stays: the path, the name's field, and the frontmatter's
// lines. If whole is set, only the contents of the skill's folder and what was
// made of them goes, so that lines and edits of findings can be had; Files can
// be used again, and then reads anew.
func (d *Document) Release(whole bool) {
	if c, ok := d.Files.(io.Closer); ok {
		c.Close() // it only drops what it read
	}
	d.tree, d.page, d.refs = nil, nil, nil
	if whole || d.mayIgnore() {
		return
	}
	d.sum()
	front := 0
	if d.Block().Closed() {
		front = d.Block().BodyStart
	}
	d.Source = slices.Clone(d.Source[:front])
	d.Body, d.Files, d.Nested, d.Faults, d.MergeKeys = "", nil, nil, nil, nil
	if name := d.Field("name"); name != nil {
		d.Fields = []Field{*name}
	} else {
		d.Fields = nil
	}
}

// sum is the digest of the whole file, also after Release.
func (d *Document) sum() [sha256.Size]byte {
	if d.digest == nil {
		sum := sha256.Sum256(d.Source)
		d.digest = &sum
	}
	return *d.digest
}
