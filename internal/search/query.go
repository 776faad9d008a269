package search

import "slices"

// A query becomes concepts: for each word the terms that may express it, with weights. A
// document is ranked by the best alternative that it has for each concept.

// Weights of what may express a word of a query, which itself has 1.
const (
	meaningWeight = 0.45 // a word of the same meaning
	phraseWeight  = 0.9  // the same, where several words of the query together have the meaning
	joinedWeight  = 0.9  // two neighbours as one word, and one word as two
	furtherWeight = 0.2  // what a document has for a concept beside the best
)

// Limits of a query: of a pasted page, the beginning says what is sought.
const (
	maxQuery      = 4 << 10 // bytes
	maxQueryWords = 64
)

// A concept is one idea of a query: a list of terms, each of which may express it.
type concept []alternative

type alternative struct {
	term   uint32
	weight float32
}

// asked is a word of a query.
type asked struct {
	text, stem string
	concept    int // its index, or -1 for words without one
}

// query is a query being read.
type query struct {
	index    *built
	words    []asked
	concepts []concept
}

// concepts returns the ideas of a query.
func (x *built) concepts(text string) []concept {
	q := &query{index: x}
	words(text[:min(maxQuery, len(text))], func(w word) {
		if len(q.words) < maxQueryWords {
			q.words = append(q.words, asked{w.text, stem(w.text), -1})
		}
	})
	for i := range q.words {
		q.addWord(i)
	}
	for i := range q.words {
		q.addMeanings(i)
	}
	return q.concepts
}

// addWord makes a concept of a word: the word in all forms, what it may be misspelled from,
// and what it is together with its neighbours.
func (q *query) addWord(i int) {
	w := &q.words[i]
	if stopWords[w.text] {
		return
	}
	if first := slices.IndexFunc(q.words[:i], func(other asked) bool { return other.stem == w.stem }); first >= 0 {
		w.concept = q.words[first].concept
		return
	}
	w.concept = len(q.concepts)
	q.concepts = append(q.concepts, nil)
	known := q.index.vocabulary.known
	term, inTexts := q.index.terms[w.stem]
	if inTexts {
		q.add(w.concept, term, 1)
	}
	// A misspelled word may have the stem of another: "referal" has that of "refer".
	if !known[w.text] {
		near, distance := q.index.vocabulary.near(w.text)
		for _, other := range near {
			q.addText(w.concept, other, 1/(1+float64(distance)))
		}
		switch {
		case inTexts:
		case len(near) > 0:
			w.stem = stem(near[0])
		default:
			for _, part := range q.index.vocabulary.split(w.text) {
				q.addText(w.concept, part, joinedWeight)
			}
		}
	}
	if i+1 < len(q.words) && known[w.text+q.words[i+1].text] {
		q.addText(w.concept, w.text+q.words[i+1].text, joinedWeight)
	}
}

// addMeanings adds what the thesaurus has for a word, and for the phrase that begins with it,
// to the first concept among these words. A phrase of stop words is a concept of its own.
func (q *query) addMeanings(i int) {
	var stems []string
	for _, w := range q.words[i:min(len(q.words), i+maxPhrase)] {
		stems = append(stems, w.stem)
	}
	for _, m := range readThesaurus().startingWith(stems) {
		weight := meaningWeight
		if len(m.said) > 1 {
			weight = phraseWeight
		}
		at := q.conceptOf(q.words[i : i+len(m.said)])
		for _, s := range m.means {
			if term, ok := q.index.terms[s]; ok {
				q.add(at, term, weight)
			}
		}
	}
}

// conceptOf returns the first concept among words, or a new one.
func (q *query) conceptOf(words []asked) int {
	for _, w := range words {
		if w.concept >= 0 {
			return w.concept
		}
	}
	q.concepts = append(q.concepts, nil)
	return len(q.concepts) - 1
}

func (q *query) addText(concept int, text string, weight float64) {
	if term, ok := q.index.terms[stem(text)]; ok {
		q.add(concept, term, weight)
	}
}

// add lets a term express a concept; of two weights, the higher counts.
func (q *query) add(concept int, term uint32, weight float64) {
	c := q.concepts[concept]
	i := slices.IndexFunc(c, func(a alternative) bool { return a.term == term })
	if i < 0 {
		q.concepts[concept] = append(c, alternative{term, float32(weight)})
		return
	}
	c[i].weight = max(c[i].weight, float32(weight))
}

// find ranks the documents. A concept counts by the best of its terms in the document, and
// a little by the others, so that a list of synonyms does not outweigh the rest of the query.
func (x *built) find(text string, n int) []Hit {
	scores := make([]float32, len(x.names))
	top, sum := make([]float32, len(x.names)), make([]float32, len(x.names))
	var touched []uint32
	for _, c := range x.concepts(text) {
		touched = touched[:0]
		for _, a := range c {
			for _, p := range x.postings[a.term] {
				weight := p.weight * a.weight
				if sum[p.document] == 0 {
					touched = append(touched, p.document)
				}
				sum[p.document] += weight
				top[p.document] = max(top[p.document], weight)
			}
		}
		for _, d := range touched {
			scores[d] += top[d] + furtherWeight*(sum[d]-top[d])
			top[d], sum[d] = 0, 0
		}
	}
	return best(x.names, scores, n)
}
