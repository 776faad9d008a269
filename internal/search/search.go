// Package search finds the skills that fit a request, when there are too many to list.
//
// A skill is ranked by the words that it shares with the request: BM25 over name, description,
// headings and body. A word of the request also matches its other forms, the words that it may
// be a misspelling of, and with less weight the words that the thesaurus has for it.
//
// Two ways to find skills by related words were measured and left out, because they found no
// more than the thesaurus: latent semantic vectors of the skills at hand, and a second search
// with the words of the first results.
package search

import (
	"cmp"
	"slices"
	"sync"
)

// Document is what the index knows of a skill.
type Document struct {
	Name        string
	Description string
	Body        string // Markdown without the frontmatter; only its beginning is indexed
}

// Hit is a skill that fits. Scores are comparable within one search only.
type Hit struct {
	Name  string
	Score float64
}

// Index searches documents. It is safe for concurrent use.
type Index struct {
	documents []Document
	build     sync.Once
	built     *built
}

// New returns an index of documents, which it builds at the first search.
func New(documents []Document) *Index {
	return &Index{documents: slices.Clone(documents)}
}

// Find returns at most n documents that fit a query, the best first. Documents of the same
// score are in the order of their names.
func (x *Index) Find(query string, n int) []Hit {
	if n <= 0 {
		return nil
	}
	x.build.Do(func() {
		x.built = build(x.documents)
		x.documents = nil
	})
	return x.built.find(query, n)
}

// best returns the documents with the n highest scores above 0, in order.
func best(names []string, scores []float32, n int) []Hit {
	var hits []Hit
	order := func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name))
	}
	for i, score := range scores {
		if score > 0 {
			hits = append(hits, Hit{Name: names[i], Score: float64(score)})
		}
	}
	slices.SortFunc(hits, order)
	return hits[:min(n, len(hits)):min(n, len(hits))]
}
