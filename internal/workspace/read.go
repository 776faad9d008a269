package workspace

// Reading never asks: the tools show what every script of the run could read. Results are
// bounded, and say how to get the rest.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/printable"
)

// Limits of results.
const (
	maxText    = 64 << 10 // bytes of a result
	maxNames   = 1000     // names that list_files returns
	maxMatches = 200      // lines that search_files returns
	maxLine    = 500      // bytes of such a line
	maxEntries = 100_000  // entries that are looked at
	maxSearch  = 8 << 20  // bytes of a file that is searched
)

type readInput struct {
	Path   string `json:"path" alias:"file,filename,file_path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// readFile returns lines of a text file.
func (t toolSet) readFile(_ context.Context, inv *agent.Invocation, in readInput) (agent.Action, error) {
	p, fault := t.locate(in.Path)
	summary := agent.Summary{Kind: agent.KindFile, Name: p.shown, Line: in.Path, Arguments: inv.Arguments}
	switch {
	case fault != "":
		return agent.Answer(summary, agent.ErrorResult(fault)), nil
	case in.Offset < 0 || in.Limit < 0:
		return agent.Answer(summary, agent.ErrorResult("offset and limit cannot be negative.")), nil
	}
	return agent.Simple(summary, func(ctx context.Context) (agent.ToolResult, error) {
		return t.lines(ctx, p, in.Offset, in.Limit), context.Cause(ctx)
	}), nil
}

// lines returns the lines of a file from offset, counted from 1.
func (t toolSet) lines(ctx context.Context, p place, offset, limit int) agent.ToolResult {
	data, info, err := t.access.readAll(p)
	isLarge := info != nil && info.Mode().IsRegular() && info.Size() > maxFile
	if err != nil && isLarge {
		return t.largeLines(ctx, p, offset, limit)
	}
	if err != nil {
		return agent.ErrorResult(t.unread(p, info, err))
	}
	t.state.seen(p.real, data)
	if kind := loader.BinaryType(data[:min(len(data), 4096)], len(data) > 4096); kind != "" || !utf8.Valid(data) {
		if isImage(kind, data) {
			return imageResult(p, kind, data)
		}
		return binaryResult(p, kind, data)
	}
	if len(data) == 0 {
		return agent.ToolResult{Text: "(the file is empty)", Summary: "empty"}
	}
	all := bytes.SplitAfter(data, []byte("\n"))
	if len(all[len(all)-1]) == 0 {
		all = all[:len(all)-1]
	}
	first := max(offset, 1)
	if first > len(all) {
		return agent.ErrorResult(fmt.Sprintf("%s has %s; offset is the number of the first line.", p.shown, printable.Plural(len(all), "line")))
	}
	var out bytes.Buffer
	last := first - 1
	for last < len(all) && (limit == 0 || last-(first-1) < limit) {
		line := all[last]
		if out.Len() > 0 && out.Len()+len(line) > maxText {
			break
		}
		out.Write(line)
		last++
		if out.Len() > maxText {
			break
		}
	}
	text, cut := strings.TrimSuffix(out.String(), "\n"), last < len(all)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + fmt.Sprintf("\n[line %d is cut: it has %s bytes]", last, printable.Grouped(int64(len(all[last-1]))))
	}
	if cut {
		text += fmt.Sprintf("\n[lines %d to %d of %d; offset %d continues]", first, last, len(all), last+1)
	}
	return agent.ToolResult{Text: text, Truncated: cut, Summary: printable.Plural(last-first+1, "line")}
}

// binaryResult describes a file that is not text.
func binaryResult(p place, kind string, data []byte) agent.ToolResult {
	if kind == "" {
		kind = "not UTF-8"
	}
	text := fmt.Sprintf("%s is not text (%s, %s bytes). Use a command or a script that reads such files.", p.shown, kind, printable.Grouped(int64(len(data))))
	return agent.ToolResult{Text: text, Summary: kind + ", " + printable.Grouped(int64(len(data))) + " bytes"}
}

// unread says why a file cannot be read, and what is there instead.
func (t toolSet) unread(p place, info fs.FileInfo, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s does not exist.%s", p.shown, t.similar(p))
	case info != nil && info.IsDir():
		return p.shown + " is a folder; list_files lists it."
	}
	return outsideHint(err, p)
}

// similar names the files of a missing file's folder that have a similar name.
func (t toolSet) similar(p place) string {
	root, base, err := t.access.parent(p, false)
	if err != nil {
		return ""
	}
	defer root.Close()
	names, _ := entries(root)
	for i, e := range names {
		names[i] = strings.TrimSuffix(e, "/")
	}
	match, close := loader.Lookup(names, base)
	if match != "" && match != base {
		close = []string{match}
	}
	if len(close) == 0 {
		return ""
	}
	return " Similar names there: " + strings.Join(printable.Map(close, printable.Line), ", ") + "."
}

// entries returns the sorted names in a folder; those of folders end in a slash.
func entries(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	found, err := dir.ReadDir(maxEntries)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	names := make([]string, 0, len(found))
	for _, e := range found {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names, err
}

type listInput struct {
	Path string `json:"path" alias:"dir,directory,folder"`
	Glob string `json:"glob" alias:"pattern"`
}

// listFiles returns the files below a folder.
func (t toolSet) listFiles(_ context.Context, inv *agent.Invocation, in listInput) (agent.Action, error) {
	p, fault := t.locate(in.Path)
	summary := agent.Summary{Kind: agent.KindFile, Name: p.shown, Line: strings.TrimSpace(p.shown + " " + in.Glob), Arguments: inv.Arguments}
	match, bad := glob(in.Glob)
	switch {
	case fault != "":
		return agent.Answer(summary, agent.ErrorResult(fault)), nil
	case bad != "":
		return agent.Answer(summary, agent.ErrorResult(bad)), nil
	}
	return agent.Simple(summary, func(ctx context.Context) (agent.ToolResult, error) {
		var names []string
		w := walk{access: t.access, visit: func(rel string, _ *os.Root, _ string) bool {
			if match(rel) {
				names = append(names, rel)
			}
			return len(names) < maxNames
		}}
		err := w.run(ctx, p)
		if err != nil {
			return agent.ErrorResult(t.unlisted(p, err)), context.Cause(ctx)
		}
		return listed(names, w.more), nil
	}), nil
}

// unlisted says why a folder cannot be listed.
func (t toolSet) unlisted(p place, err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("%s does not exist.%s", p.shown, t.similar(p))
	}
	return outsideHint(err, p)
}

func listed(names []string, more bool) agent.ToolResult {
	if len(names) == 0 {
		return agent.ToolResult{Text: "(no files)", Summary: "no files"}
	}
	text := strings.Join(printable.Map(names, printable.Line), "\n")
	if more {
		text += fmt.Sprintf("\n[only the first %d files; name a folder or a glob]", len(names))
	}
	return agent.ToolResult{Text: text, Truncated: more, Summary: printable.Plural(len(names), "file")}
}

// glob returns the function of a pattern, which matches everything if it is empty.
func glob(text string) (match func(rel string) bool, fault string) {
	if strings.TrimSpace(text) == "" {
		return func(string) bool { return true }, ""
	}
	g, ok := loader.ParseGlob(text)
	if !ok || len(text) > maxPattern {
		return nil, fmt.Sprintf("The glob %s can never match. Write it like *.md or src/**/*.go.", printable.Quote(text))
	}
	return func(rel string) bool { return g.Match(rel, false) }, ""
}

type searchInput struct {
	Pattern string `json:"pattern" alias:"query,regex"`
	Path    string `json:"path" alias:"dir,directory,folder"`
	Glob    string `json:"glob" alias:"include"`
}

// searchFiles returns the lines of files that match a regular expression.
func (t toolSet) searchFiles(_ context.Context, inv *agent.Invocation, in searchInput) (agent.Action, error) {
	p, fault := t.locate(in.Path)
	summary := agent.Summary{Kind: agent.KindFile, Name: p.shown, Line: strings.TrimSpace(printable.Quoted(in.Pattern) + " " + in.Path + " " + in.Glob), Arguments: inv.Arguments}
	match, bad := glob(in.Glob)
	expression, wrong := parseExpression(in.Pattern)
	switch {
	case fault != "":
		return agent.Answer(summary, agent.ErrorResult(fault)), nil
	case bad != "":
		return agent.Answer(summary, agent.ErrorResult(bad)), nil
	case wrong != "":
		return agent.Answer(summary, agent.ErrorResult(wrong)), nil
	}
	return agent.Simple(summary, func(ctx context.Context) (agent.ToolResult, error) {
		limited, cancel := context.WithTimeout(ctx, maxSearchTime)
		defer cancel()
		s := search{access: t.access, expression: expression}
		w := walk{access: t.access, visit: func(rel string, root *os.Root, base string) bool {
			if match(rel) {
				s.file(limited, shownBelow(p, rel), root, base)
			}
			return len(s.found) < maxMatches && s.size < maxText
		}}
		err := w.run(limited, p)
		s.late = limited.Err() != nil
		if err != nil && !(s.late && ctx.Err() == nil) {
			return agent.ErrorResult(t.unlisted(p, err)), context.Cause(ctx)
		}
		return s.result(w.more), nil
	}), nil
}

// shownBelow returns the path of a file below a place.
func shownBelow(p place, rel string) string {
	if rel == "." {
		return p.shown
	}
	return path.Join(p.shown, rel)
}

// search collects matching lines.
type search struct {
	access     access
	expression expression
	found      []string
	size       int
	files      int
	late       bool // it took too long, and was ended
}

// file adds the matching lines of a text file. What cannot be read is passed over.
func (s *search) file(ctx context.Context, shown string, root *os.Root, base string) {
	file, info, err := s.access.openIn(root, base)
	if err != nil {
		return
	}
	defer file.Close()
	if info.Size() > maxSearch {
		return
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSearch))
	if err != nil || loader.BinaryType(data[:min(len(data), 4096)], len(data) > 4096) != "" {
		return
	}
	before := len(s.found)
	for number := 1; len(data) > 0 && len(s.found) < maxMatches; number++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if number%256 == 0 && ctx.Err() != nil {
			break
		}
		if !s.expression.matches(ctx, line) || ctx.Err() != nil {
			continue
		}
		text := fmt.Sprintf("%s:%d: %s", printable.Line(shown), number, printable.Truncate(printable.Line(strings.ToValidUTF8(string(line), "\ufffd")), maxLine))
		s.found, s.size = append(s.found, text), s.size+len(text)+1
	}
	if len(s.found) > before {
		s.files++
	}
}

func (s *search) result(more bool) agent.ToolResult {
	if s.late {
		return agent.ErrorResult(strings.Join(append(s.found, fmt.Sprintf("The search was ended after %s. Name a folder, a glob or a simpler pattern.", maxSearchTime)), "\n"))
	}
	if len(s.found) == 0 {
		return agent.ToolResult{Text: "(no matches)", Summary: "no matches"}
	}
	text := strings.Join(s.found, "\n")
	if more {
		text += fmt.Sprintf("\n[only the first %d lines; name a folder, a glob or a narrower pattern]", len(s.found))
	}
	return agent.ToolResult{
		Text: text, Truncated: more,
		Summary: fmt.Sprintf("%d %s in %s", len(s.found), map[bool]string{true: "match", false: "matches"}[len(s.found) == 1], printable.Plural(s.files, "file")),
	}
}
