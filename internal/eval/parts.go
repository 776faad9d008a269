package eval

// A skill has parts that can be left out: the sections of its SKILL.md, its other files, and
// its description. A mention of a left-out file stays in the text, because only so the
// effect is that of the file; a run that follows it gets the error that there is no such file.

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/eval/store"
	"skills/internal/loader"
	"skills/internal/markdown"
	"skills/internal/spec"
	"skills/internal/spec/tokens"
)

// part is what can be left out of a skill.
type part struct {
	name, kind string
	where      string // of its tokens
	tokens     int
	file       string // of the skill, slash-separated
	start, end int    // of a section in its file
	words      string // that replace the description
}

// introduction is the name of the text before the first section.
const introduction = "(introduction)"

// maxMentions is how many mentions of a file are listed.
const maxMentions = 5

// findParts returns the parts of the skill in files below the folder dir, those that save the
// most tokens first. level is that of the headings that begin sections, 0 for the highest of
// which there are two. A description that the model does not see is no part.
func findParts(files snapshot, dir string, level int, hidden bool) (parts []part) {
	own := files.below(dir)
	main := ""
	for name := range own {
		if strings.EqualFold(name, spec.FileName) {
			main = name
		}
	}
	source := own[main].Data
	doc := loader.ParseDocument(main, dir, source)
	if description := doc.Text("description"); description != "" && !hidden {
		words := strings.ReplaceAll(doc.Text("name"), "-", " ")
		saved := tokens.Estimate(description) - tokens.Estimate(words)
		parts = append(parts, part{name: store.DescriptionPart, kind: store.DescriptionPart, where: store.InCatalogue, tokens: saved, file: main, words: words})
	}
	parts = append(parts, findSections(main, source, len(source)-len(doc.Body), level)...)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if name == main || isLegal(name) {
			continue
		}
		parts = append(parts, part{name: store.FilePart + ":" + name, kind: store.FilePart, where: store.InResource, tokens: textTokens(own[name].Data), file: name})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.tokens, a.tokens) })
	return parts
}

// isLegal reports whether a file is a licence, which no run needs and nobody leaves out.
func isLegal(name string) bool {
	base := strings.ToUpper(path.Base(name))
	return strings.HasPrefix(base, "LICEN") || strings.HasPrefix(base, "NOTICE") || strings.HasPrefix(base, ".")
}

// textTokens estimates the tokens of a file, none of one that is no text.
func textTokens(data []byte) int {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return 0
	}
	return tokens.Estimate(string(data))
}

// findSections returns the sections of a SKILL.md whose body begins at an offset, and the
// text before the first, unless nothing else remains.
func findSections(name string, source []byte, body, level int) (parts []part) {
	headings := headingsOf(source[body:])
	if level == 0 {
		level = sectionLevel(headings)
	}
	seen := map[string]int{}
	add := func(title string, start, end int) {
		seen[title]++
		if n := seen[title]; n > 1 {
			title = fmt.Sprintf("%s (%d)", title, n)
		}
		isBlank := len(bytes.TrimSpace(source[start:end])) == 0
		isAll := len(bytes.TrimSpace(source[body:start]))+len(bytes.TrimSpace(source[end:])) == 0
		if isBlank || isAll {
			return
		}
		parts = append(parts, part{
			name: store.SectionPart + ":" + title, kind: store.SectionPart, where: store.InBody, tokens: tokens.Estimate(string(source[start:end])),
			file: name, start: start, end: end,
		})
	}
	first := slices.IndexFunc(headings, func(h markdown.Heading) bool { return h.Level == level })
	if first < 0 {
		return nil
	}
	begin := body
	for _, h := range headings[:first] {
		if h.Level < level { // a title
			begin = body + h.Start + titleLength(source[body+h.Start:])
		}
	}
	add(introduction, begin, body+headings[first].Start)
	for i, h := range headings {
		if h.Level != level {
			continue
		}
		end := len(source)
		for _, next := range headings[i+1:] {
			if next.Level <= level {
				end = body + next.Start
				break
			}
		}
		add(h.Text, body+h.Start, end)
	}
	return parts
}

// headingsOf returns the headings of a text that are in no list or quotation. They start with
// their line.
func headingsOf(text []byte) (all []markdown.Heading) {
	for _, h := range markdown.Parse(text).Headings {
		line := bytes.LastIndexByte(text[:h.Start], '\n') + 1
		if before := text[line:h.Start]; len(bytes.Trim(before, " \t#")) == 0 {
			h.Start = line
			all = append(all, h)
		}
	}
	return all
}

// titleLength returns the length of the heading that text begins with, with the line below
// that makes it one.
func titleLength(text []byte) int {
	line := func(from int) int {
		if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
			return from + i + 1
		}
		return len(text)
	}
	end := line(0)
	below := text[end:line(end)]
	if !bytes.HasPrefix(bytes.TrimLeft(text, " "), []byte("#")) && len(bytes.Trim(below, "=- \r\n")) == 0 {
		end += len(below)
	}
	return end
}

// sectionLevel returns the level of the headings that begin sections: the highest with two,
// because a lone one is a title; or else the lowest.
func sectionLevel(headings []markdown.Heading) int {
	counts := map[int]int{}
	for _, h := range headings {
		counts[h.Level]++
	}
	levels := slices.Sorted(maps.Keys(counts))
	for _, level := range levels {
		if counts[level] > 1 {
			return level
		}
	}
	if len(levels) == 0 {
		return 0
	}
	return levels[len(levels)-1]
}

// below returns the files below a folder, by their names in it.
func (f snapshot) below(dir string) snapshot {
	own := snapshot{}
	for name, file := range f {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			own[rest] = file
		}
	}
	return own
}

// own returns the files below a folder.
func (f snapshot) own(dir string) snapshot {
	own := maps.Clone(f)
	maps.DeleteFunc(own, func(name string, _ file) bool { return !strings.HasPrefix(name, dir+"/") })
	return own
}

// mentions returns where the text files of a skill mention one of them.
func (f snapshot) mentions(file string) (places []string) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if name == file || !bytes.Contains(f[name].Data, []byte(file)) || textTokens(f[name].Data) == 0 {
			continue
		}
		number := 0
		for line := range bytes.Lines(f[name].Data) {
			number++
			if bytes.Contains(line, []byte(file)) && len(places) < maxMentions {
				places = append(places, fmt.Sprintf("%s:%d", name, number))
			}
		}
	}
	return places
}

// without returns the files of the skill in the folder dir without parts of it, the folder's
// name included, and the text that is left out.
func (f snapshot) without(dir string, parts ...part) (left snapshot, cut string) {
	left = maps.Clone(f)
	parts = slices.SortedFunc(slices.Values(parts), func(a, b part) int { return cmp.Compare(b.start, a.start) }) // sections from the end
	for _, p := range parts {
		name := dir + "/" + p.file
		old := left[name]
		switch p.kind {
		case store.FilePart:
			delete(left, name)
			cut += string(old.Data) + "\n"
		case store.SectionPart:
			left[name] = file{old.Mode, slices.Concat(old.Data[:p.start], old.Data[p.end:])}
			cut += string(old.Data[p.start:p.end]) + "\n"
		}
	}
	for _, p := range parts {
		if p.kind == store.DescriptionPart { // last: it moves what follows
			name := dir + "/" + p.file
			left[name] = file{left[name].Mode, describe(left[name].Data, p.words)}
		}
	}
	return left, cut
}
