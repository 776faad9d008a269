package search

import (
	"math"
	"slices"
	"strings"
)

// The index: terms with the documents that have them. It is built once, at the first search,
// and only read afterwards. A field counts by its own length, and a term by how rare it is.

// Weights of the ranking: BM25F, where the body is a ranking of its own with less weight,
// because a skill of ten pages mentions much that it is not about.
const (
	saturation       = 1.2  // how soon repeating a word adds nothing
	nameWeight       = 4    // of a word in the name; in the description it is 1
	headingWeight    = 0.1  // of a word in a heading, beside what it adds as a part of the body
	bodyWeight       = 0.5  // of what the body adds
	textLengthWeight = 0.5  // how far long descriptions and headings are held back, from 0 to 1
	bodyLengthWeight = 0.75 // the same for bodies
	everydayWeight   = 0.5  // how far a word counts as common because bodies have it
)

// maxText bounds what is indexed of a description and of a body, in bytes: what a skill is
// about is said in its beginning. An index takes about 4 KB a skill.
const maxText = 16 << 10

// A posting is a document that has a term.
type posting struct {
	document uint32
	weight   float32 // what the term adds to the score of the document
}

// built is the finished index.
type built struct {
	names      []string
	terms      map[string]uint32 // stems
	postings   [][]posting       // by term
	vocabulary *vocabulary
}

// counts are how often a term is in the parts of a document, or how long those are.
type counts struct{ name, description, heading, body uint16 }

type entry struct {
	term   uint32
	counts counts
}

// A form is a word as it is written.
type form struct {
	term    uint32
	leading bool // is in a name, a description or a heading
}

// builder collects the words of all documents.
type builder struct {
	terms   map[string]uint32
	forms   map[string]*form
	texts   [][]entry // by document
	lengths []counts
}

func build(documents []Document) *built {
	b := &builder{terms: map[string]uint32{}, forms: map[string]*form{}}
	x := &built{terms: b.terms}
	for _, d := range documents {
		x.names = append(x.names, strings.Clone(d.Name))
		b.read(d)
	}
	x.postings = b.weigh()
	x.vocabulary = newVocabulary(b.forms, thesaurusWords())
	return x
}

// read counts the words of a document.
func (b *builder) read(d Document) {
	var entries []entry
	var length counts
	at := map[uint32]int{} // where a term is in entries
	count := func(text string, leading bool, field func(*counts) *uint16) {
		words(text, func(w word) {
			if stopWords[w.text] {
				return
			}
			f := b.form(w.text)
			f.leading = f.leading || leading
			i, ok := at[f.term]
			if !ok {
				i = len(entries)
				at[f.term], entries = i, append(entries, entry{term: f.term})
			}
			*field(&entries[i].counts)++
			if !w.part {
				*field(&length)++
			}
		})
	}
	count(bounded(d.Name), true, func(c *counts) *uint16 { return &c.name })
	count(bounded(d.Description), true, func(c *counts) *uint16 { return &c.description })
	// Headings are part of the body, so that a word counts there at least as much as in the text.
	sections(bounded(d.Body), func(heading, text string) {
		count(heading, true, func(c *counts) *uint16 { return &c.heading })
		count(heading, true, func(c *counts) *uint16 { return &c.body })
		count(text, false, func(c *counts) *uint16 { return &c.body })
	})
	b.texts, b.lengths = append(b.texts, slices.Clip(entries)), append(b.lengths, length)
}

// form returns a written word. Its text is copied, so as not to keep the whole document.
func (b *builder) form(text string) *form {
	if f := b.forms[text]; f != nil {
		return f
	}
	text = strings.Clone(text)
	s := stem(text)
	term, known := b.terms[s]
	if !known {
		term = uint32(len(b.terms))
		b.terms[s] = term
	}
	f := &form{term: term}
	b.forms[text] = f
	return f
}

// weigh returns the documents of each term with what the term adds to their scores.
func (b *builder) weigh() [][]posting {
	leading, body, any := b.frequencies()
	sum := 0
	for _, df := range any {
		sum += int(df)
	}
	room := make([]posting, sum)
	postings := make([][]posting, len(any))
	for term, df := range any {
		postings[term], room = room[:0:df], room[df:]
	}
	mean := b.meanLengths()
	n := len(b.texts)
	for i, entries := range b.texts {
		length := b.lengths[i]
		descriptionNorm := lengthNorm(textLengthWeight, length.description, mean.description)
		headingNorm := lengthNorm(textLengthWeight, length.heading, mean.heading)
		bodyNorm := lengthNorm(bodyLengthWeight, length.body, mean.body)
		for _, e := range entries {
			frequency := nameWeight*float64(e.counts.name) +
				float64(e.counts.description)/descriptionNorm +
				headingWeight*float64(e.counts.heading)/headingNorm
			rarity := (1-everydayWeight)*idf(n, leading[e.term]) + everydayWeight*idf(n, any[e.term])
			weight := rarity * saturate(frequency)
			if e.counts.body > 0 {
				weight += bodyWeight * idf(n, body[e.term]) * saturate(float64(e.counts.body)/bodyNorm)
			}
			postings[e.term] = append(postings[e.term], posting{uint32(i), float32(weight)})
		}
	}
	return postings
}

// frequencies counts, for each term, the documents that have it in a name, description or
// heading, in the body, and anywhere.
func (b *builder) frequencies() (leading, body, any []int32) {
	leading, body, any = make([]int32, len(b.terms)), make([]int32, len(b.terms)), make([]int32, len(b.terms))
	for _, entries := range b.texts {
		for _, e := range entries {
			any[e.term]++
			if e.counts.body > 0 {
				body[e.term]++
			}
			if e.counts.name+e.counts.description+e.counts.heading > 0 {
				leading[e.term]++
			}
		}
	}
	return leading, body, any
}

// means are mean numbers of words.
type means struct{ description, heading, body float64 }

func (b *builder) meanLengths() (m means) {
	n := float64(len(b.lengths))
	for _, l := range b.lengths {
		m.description += float64(l.description) / n
		m.heading += float64(l.heading) / n
		m.body += float64(l.body) / n
	}
	return m
}

// lengthNorm is above 1 for texts longer than the mean.
func lengthNorm(weight float64, length uint16, mean float64) float64 {
	return 1 - weight + weight*float64(length)/max(1, mean)
}

func saturate(frequency float64) float64 {
	return frequency * (saturation + 1) / (frequency + saturation)
}

// idf is high for terms that few documents have.
func idf(documents int, frequency int32) float64 {
	return math.Log(1 + (float64(documents)-float64(frequency)+0.5)/(float64(frequency)+0.5))
}

func bounded(text string) string { return text[:min(maxText, len(text))] }

// sections calls yield with each heading of a Markdown text and the text below it. The text
// before the first heading has an empty one.
func sections(body string, yield func(heading, text string)) {
	heading, fence := "", ""
	start, at := 0, 0
	for line := range strings.Lines(body) {
		trimmed := strings.TrimSpace(line)
		title := strings.TrimLeft(trimmed, "#")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		case len(title) < len(trimmed) && strings.HasPrefix(title, " "):
			yield(heading, body[start:at])
			heading, start = title, at+len(line)
		}
		at += len(line)
	}
	yield(heading, body[start:])
}
