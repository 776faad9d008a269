package search

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(hits []Hit) (list []string) {
	for _, h := range hits {
		list = append(list, h.Name)
	}
	return list
}

// TestFind finds each skill of the fixture first, or among the first three where the request
// has none of its words.
func TestFind(t *testing.T) {
	index := New(fixture)
	for _, c := range []struct{ kind, query, want string }{
		{"task", "merge these PDF files into one", "pdf-toolbox"},
		{"task", "fill in a PDF form", "pdf-toolbox"},
		{"task", "accept the tracked changes in report.docx", "docx-editor"},
		{"task", "why does this SQL query take ten seconds in Postgres?", "postgres-tuning"},
		{"task", "write a Dockerfile that gives a small image", "docker-slim"},
		{"task", "upgrade our components to React 18", "react-upgrade"},
		{"task", "I need conditional types", "typescript-types"},
		{"words", "c++", "cpp-modernizer"},
		{"words", "dotnet", "dotnet-api"},
		{"words", "STRIDE", "threat-model"},
		{"words", "state", "react-upgrade"},        // of setState, in a heading
		{"words", "stamp", "pdf-toolbox"},          // a heading
		{"words", "qpdf", "pdf-toolbox"},           // the body
		{"words", "wheels", "python-packaging"},    // the body
		{"words", "power point", "pptx-builder"},   // two words for one
		{"words", "landingpages", "landing-pages"}, // one word for two
		{"words", "changelogs", "release-notes"},   // another form
		{"words", "transcribing", "podcast-transcripts"},
		{"typo", "kubernets manifestes", "kubernetes-manifests"},
		{"typo", "terrafrom", "terraform-modules"},
		{"typo", "typscript genercis", "typescript-types"},
		{"typo", "postgers", "postgres-tuning"},
		{"typo", "acessibility chekc", "screen-reader-check"},
		{"typo", "spredsheet", "xlsx-formulas"},
		{"language", "文書を変換したい", "文書変換"},
		{"language", "分析销售数据", "数据分析"},
		{"meaning", "make a slideshow", "pptx-builder"},
		{"meaning", "an excel workbook", "xlsx-formulas"},
		{"meaning", "let people sign in", "oauth-login"},
		{"meaning", "our bill at the provider is too high, spend less", "cloud-costs"},
		{"meaning", "blind visitors", "screen-reader-check"},
		{"meaning", "how much should we charge", "price-finder"},
		{"meaning", "show it in several languages", "localizer"},
		{"meaning", "what went wrong last night, without blame", "incident-review"},
		{"meaning", "check for leaked api keys", "secret-scan"},
		{"meaning", "pictrues and photografs", "image-resizer"},
	} {
		n := 1
		if c.kind == "meaning" {
			n = 3
		}
		if got := names(index.Find(c.query, n)); !slices.Contains(got, c.want) {
			t.Errorf("%s: the first of %q are %q, want %q", c.kind, c.query, got, c.want)
		}
	}
}

// TestFields ranks a word by where it is.
func TestFields(t *testing.T) {
	documents := []Document{
		{Name: "a-body", Description: "About other matters.", Body: "The text mentions a zebra once."},
		{Name: "b-heading", Description: "About other matters.", Body: "# Zebra\n\nThe text has words."},
		{Name: "c-description", Description: "About zebra matters.", Body: "The text has five words."},
		{Name: "d-zebra", Description: "About other matters.", Body: "The text has five words."},
	}
	for i := range 40 {
		documents = append(documents, Document{Name: fmt.Sprint("other-", i), Description: "About other matters.", Body: "The text has words."})
	}
	want := []string{"d-zebra", "c-description", "b-heading", "a-body"}
	if got := names(New(documents).Find("zebra", 10)); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestPreferences ranks the first document above the second.
func TestPreferences(t *testing.T) {
	for _, c := range []struct {
		name, query   string
		first, second Document
	}{
		{
			"the word before one of the same meaning", "movie",
			Document{Name: "b", Description: "Cuts a movie."},
			Document{Name: "a", Description: "Cuts a film."},
		},
		{
			"the short description", "zebra",
			Document{Name: "b", Description: "A zebra runs."},
			Document{Name: "a", Description: "A zebra, a horse, a donkey and further animals run over the wide plain."},
		},
		{
			"the short body", "zebra",
			Document{Name: "b", Body: "A zebra runs."},
			Document{Name: "a", Body: "A zebra, a horse, a donkey and further animals run over the wide plain."},
		},
		{
			"the word that few bodies have", "zebra horse",
			Document{Name: "b", Description: "A zebra runs."},
			Document{Name: "a", Description: "A horse runs.", Body: "Horse and cart."},
		},
		{
			"both words before many synonyms of one", "excel to markdown",
			Document{Name: "b", Description: "Converts excel to markdown."},
			Document{Name: "a", Description: "spreadsheet xlsx workbook"},
		},
		{
			"fewer edits", "kubernetis",
			Document{Name: "b-kubernetes"},
			Document{Name: "a-kubernetzz"},
		},
	} {
		documents := []Document{c.second, c.first}
		for i := range 20 {
			documents = append(documents, Document{Name: fmt.Sprint("other-", i), Body: "A horse eats grass."})
		}
		if got := names(New(documents).Find(c.query, 1)); !slices.Equal(got, []string{c.first.Name}) {
			t.Errorf("%s: %q found %q first", c.name, c.query, got)
		}
	}
}

// TestNotMisspelled checks which words a word is not taken for.
func TestNotMisspelled(t *testing.T) {
	index := New([]Document{{Name: "mould", Description: "About fungi.", Body: "# Spores\n\nAn identifier."}})
	for query, want := range map[string]int{
		"moulde":    1,
		"spoers":    1,
		"identifer": 0, // a word of the body only
		"would":     0, // a stop word
	} {
		if got := index.Find(query, 5); len(got) != want {
			t.Errorf("%q found %v", query, got)
		}
	}
}

func TestSections(t *testing.T) {
	var got [][2]string
	sections("before\n# One #\ntext\n```sh\n# no heading\n~~~\n```\n#no heading\n  ## Two\n~~~\n# code", func(heading, text string) {
		got = append(got, [2]string{heading, text})
	})
	want := [][2]string{
		{"", "before\n"},
		{" One #", "text\n```sh\n# no heading\n~~~\n```\n#no heading\n"},
		{" Two", "~~~\n# code"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLongBodies indexes only the beginning, even if that ends within a character.
func TestLongBodies(t *testing.T) {
	index := New([]Document{{Name: "long", Body: "early " + strings.Repeat("字", maxText/3) + " late"}})
	if got := index.Find("early", 1); len(got) != 1 {
		t.Errorf("the beginning is not indexed")
	}
	if got := index.Find("late", 1); len(got) != 0 {
		t.Errorf("the end is indexed")
	}
}

func TestOrder(t *testing.T) {
	index := New([]Document{
		{Name: "c", Description: "Same words."},
		{Name: "a", Description: "Same words."},
		{Name: "b", Description: "Same words."},
		{Name: "other"},
	})
	if got, want := names(index.Find("words", 10)), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if got, want := names(index.Find("words", 2)), []string{"a", "b"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestNothing(t *testing.T) {
	for _, query := range []string{"", "  ", "the of and", "xyzzyx", "!?"} {
		if got := New(fixture).Find(query, 5); len(got) != 0 {
			t.Errorf("%q found %v", query, got)
		}
	}
	for _, n := range []int{0, -1} {
		if got := New(fixture).Find("pdf", n); len(got) != 0 {
			t.Errorf("%d hits asked for, found %v", n, got)
		}
	}
	if got := New(nil).Find("pdf", 5); len(got) != 0 {
		t.Errorf("an empty index found %v", got)
	}
}

// TestRepeatedWords counts a word of the query once, in whatever form, with its meanings.
func TestRepeatedWords(t *testing.T) {
	index := New(fixture)
	once, often := index.Find("transcribe movie", 10), index.Find("transcribe movie transcribing movies movie", 10)
	if diff := cmp.Diff(once, often); diff != "" {
		t.Error(diff)
	}
}

// TestSame checks that equal input gives equal output.
func TestSame(t *testing.T) {
	first, second := New(fixture), New(fixture)
	for _, d := range fixture {
		query := d.Name + " " + d.Description
		if diff := cmp.Diff(first.Find(query, 50), second.Find(query, 50)); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
}

// TestChangedInput checks that the index keeps its own list of documents.
func TestChangedInput(t *testing.T) {
	documents := []Document{{Name: "first"}, {Name: "second"}}
	index := New(documents)
	documents[0] = Document{Name: "changed"}
	if got := names(index.Find("first", 1)); !slices.Equal(got, []string{"first"}) {
		t.Errorf("found %q", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	index := New(fixture)
	want := New(fixture).Find("slow queries", 5)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if diff := cmp.Diff(want, index.Find("slow queries", 5)); diff != "" {
				t.Error(diff)
			}
		})
	}
	group.Wait()
}

// TestLongQueries reads the beginning of a pasted page.
func TestLongQueries(t *testing.T) {
	index := New(fixture)
	page := strings.Repeat("foo bar ", maxQueryWords/2)
	if got := index.Find(page+"terraform", 5); len(got) != 0 {
		t.Errorf("a late word found %v", got)
	}
	if got := index.Find(strings.Repeat(" ", maxQuery)+"terraform", 5); len(got) != 0 {
		t.Errorf("a word above the limit of bytes found %v", got)
	}
	if got := names(index.Find("terraform "+page, 1)); !slices.Equal(got, []string{"terraform-modules"}) {
		t.Errorf("the first word found %v", got)
	}
}

func FuzzFind(f *testing.F) {
	for _, d := range fixture {
		f.Add(d.Name, d.Description, d.Body)
	}
	f.Add("a\xff\xfe", "\u0301\u0301 ’s '' C++ .js.js", "```\n# ﷺ\n字a字")
	f.Fuzz(func(t *testing.T, name, description, body string) {
		documents := append(slices.Clone(fixture[:5]), Document{name, description, body})
		index := New(documents)
		for _, query := range []string{name, description, body, name + description} {
			hits := index.Find(query, 7)
			if len(hits) > 7 {
				t.Errorf("%d hits", len(hits))
			}
			for i, h := range hits {
				if h.Score <= 0 || h.Score != h.Score || i > 0 && h.Score > hits[i-1].Score {
					t.Errorf("hit %d of %q has score %v", i, query, h.Score)
				}
			}
			if diff := cmp.Diff(hits, New(documents).Find(query, 7)); diff != "" {
				t.Error(diff)
			}
		}
	})
}

// synthetic returns skills with the distribution of words of real text: of 30,000 words, the
// k-th most common is used in proportion to 1/k. Bodies have 600 words.
func synthetic(n int) []Document {
	state := uint64(1)
	random := func() float64 {
		state = state*6364136223846793005 + 1442695040888963407
		return float64(state>>11) / (1 << 53)
	}
	text := func(count int) string {
		var b strings.Builder
		for i := range count {
			k := 1.0
			for range 15 { // 2^15 words, each octave as likely
				if random() < 1.0/15 {
					break
				}
				k *= 2
			}
			k += random() * k
			fmt.Fprintf(&b, "%s ", syllables(int(k)))
			if i%120 == 119 {
				b.WriteString("\n\n## ")
				b.WriteString(syllables(int(random() * 3000)))
				b.WriteString("\n\n")
			}
		}
		return b.String()
	}
	documents := make([]Document, n)
	for i := range documents {
		name := syllables(int(random()*5000)) + "-" + syllables(int(random()*5000)) + "-" + fmt.Sprint(i)
		documents[i] = Document{Name: name, Description: text(30), Body: text(600)}
	}
	return documents
}

// syllables returns a word for a number.
func syllables(n int) string {
	const consonants, vowels = "bcdfghjklmnprstvwz", "aeiou"
	var word []byte
	for n += len(consonants); n > 0; n /= len(vowels) {
		word = append(word, consonants[n%len(consonants)])
		n /= len(consonants)
		word = append(word, vowels[n%len(vowels)])
	}
	return string(word)
}

func BenchmarkFind(b *testing.B) {
	documents := synthetic(10_000)
	index := New(documents)
	index.Find("first", 1)
	queries := []string{
		documents[17].Description, // 30 words
		strings.ReplaceAll(documents[4711].Name, "-", " "),
		documents[9000].Name[1:] + " kubernets misspeling", // nothing known
		"turn this excel sheet into a slideshow and send it by email to our customers",
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		index.Find(queries[i%len(queries)], 5)
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1_400, 10_000} {
		documents := synthetic(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				build(documents)
			}
		})
	}
}
