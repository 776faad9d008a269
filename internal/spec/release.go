package spec

import (
	"crypto/sha256"
	"io"
	"slices"
)

// Release drops what was read and made to check the document: its folder's
// contents, what Markdown files hold, and, unless whole, its own text but for
// the frontmatter. A run has thousands of documents, and after the check only
// their findings count. What [Collisions] needs stays, and so does what lines
// and edits of the findings need, if whole is set for a document that has any.
//
// Files can be used again afterwards; it then reads anew.
func (d *Document) Release(whole bool) {
	if c, ok := d.Files.(io.Closer); ok {
		c.Close() // it only drops what it read
	}
	d.tree, d.page, d.index = nil, nil, nil
	if whole || d.mayIgnore() || !d.block.Closed() {
		return
	}
	d.sum()
	d.Source = slices.Clone(d.Source[:d.block.BodyStart])
	d.Body = ""
}

// sum is the digest of the whole file, also after Release.
func (d *Document) sum() [sha256.Size]byte {
	if d.digest == nil {
		sum := sha256.Sum256(d.Source)
		d.digest = &sum
	}
	return *d.digest
}
