package lsp

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"skills/internal/list"
	"skills/internal/lsp/protocol"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

// The kinds of symbols.
const (
	kindField   = 8  // field
	kindHeading = 15 // string
)

// symbols returns the fields and the headings of a file.
func (a answers) symbols(ctx context.Context, p protocol.DocumentParams) (any, error) {
	return a.with(ctx, p.Document.URI, func(q *query) (any, error) {
		out := append([]*protocol.Symbol{}, append(q.fields(), q.headings()...)...)
		if q.client.TextDocument.DocumentSymbol.Hierarchical {
			return out, nil
		}
		return q.flat([]protocol.FlatSymbol{}, out), nil
	})
}

// fields returns the fields of the frontmatter.
func (q *query) fields() (out []*protocol.Symbol) {
	if !q.isSkillFile() {
		return nil
	}
	for _, f := range q.doc.Fields {
		key := q.text.OfSpan(f.KeySpan)
		whole := protocol.Range{Start: key.Start, End: key.End}
		if f.Value.Span.End.Line > 0 {
			whole.End = q.text.OfSpan(f.Value.Span).End
		}
		out = append(out, &protocol.Symbol{Name: orUnnamed(f.Key), Detail: printable.Truncate(printable.Line(f.Value.Text), 60), Kind: kindField, Range: whole, Selection: key})
	}
	return out
}

// headings returns the headings, each with those below it. The range of one ends before the
// next of its level or above.
func (q *query) headings() []*protocol.Symbol {
	page, start, ok := q.all.Page(q.ruleName())
	if !ok {
		return nil
	}
	root := &protocol.Symbol{}
	open, levels := []*protocol.Symbol{root}, []int{0} // headings that contain the next one
	for i, h := range page.Headings {
		end := len(q.text.Source)
		for _, next := range page.Headings[i+1:] {
			if next.Level <= h.Level {
				end = q.lineStart(start + next.Start)
				break
			}
		}
		for levels[len(levels)-1] >= h.Level {
			open, levels = open[:len(open)-1], levels[:len(levels)-1]
		}
		s := &protocol.Symbol{
			Name: orUnnamed(h.Text), Kind: kindHeading,
			Range: q.text.Range(q.lineStart(start+h.Start), end), Selection: q.text.Range(start+h.Start, start+h.End),
		}
		parent := open[len(open)-1]
		parent.Nested = append(parent.Nested, s)
		open, levels = append(open, s), append(levels, h.Level)
	}
	return root.Nested
}

// lineStart returns the offset of the line with an offset.
func (q *query) lineStart(offset int) int {
	_, start := q.line(offset)
	return start
}

// orUnnamed returns a name that clients accept, which is not empty.
func orUnnamed(name string) string {
	shown := printable.Line(name)
	if strings.TrimSpace(shown) == "" {
		return "(unnamed)"
	}
	return shown
}

// flat returns symbols without their hierarchy, for older clients.
func (q *query) flat(out []protocol.FlatSymbol, list []*protocol.Symbol) []protocol.FlatSymbol {
	for _, s := range list {
		out = append(out, protocol.FlatSymbol{Name: s.Name, Kind: s.Kind, Location: protocol.Location{URI: q.uri(q.path), Range: s.Range}})
		out = q.flat(out, s.Nested)
	}
	return out
}

// inlayHints returns the counts of a SKILL.md: the catalogue entry at the opening fence, the
// length of fields with a limit, and the body at the closing fence.
func (a answers) inlayHints(ctx context.Context, p protocol.RangeParams) (any, error) {
	return a.with(ctx, p.Document.URI, func(q *query) (any, error) {
		out := []protocol.InlayHint{}
		block := q.doc.Block()
		if !q.isSkillFile() || !block.Closed() {
			return out, nil
		}
		add := func(line int, label, tooltip string) {
			at := q.text.Position(q.text.Starts[line-1] + len(q.text.Text(line)))
			if p.Range.Start.Line <= at.Line && at.Line <= p.Range.End.Line {
				hint := protocol.InlayHint{Position: at, Label: label, PaddingLeft: true}
				if tooltip != "" {
					text := q.markdown(tooltip)
					hint.Tooltip = &text
				}
				out = append(out, hint)
			}
		}
		if n := list.CatalogueTokens(q.doc); n > 0 {
			add(block.Line-1, fmt.Sprintf("catalogue entry: about %s tokens", number(n)), "Every request to a model has these tokens.\n\n"+counts("description", q.doc.Text("description"), spec.MaxDescription))
		}
		for _, info := range rules.FieldInfos() {
			f := q.doc.Field(info.Name)
			if info.Max == 0 || f == nil {
				continue
			}
			if !f.Value.Scalar() || f.Value.Kind == spec.Null {
				continue
			}
			line := max(f.Value.Span.End.Line, f.KeySpan.Start.Line)
			if f.Value.Span.End.Column == 1 { // the value ends with the line before
				line = max(line-1, f.KeySpan.Start.Line)
			}
			add(line, fmt.Sprintf("%s/%s", number(utf8.RuneCountInString(spec.Trim(f.Value.Text))), number(info.Max)), counts(info.Name, f.Value.Text, info.Max))
		}
		add(q.text.At(max(block.BodyStart-1, 0)).Line, fmt.Sprintf("body: about %s of %s tokens, %s of %s lines",
			number(q.doc.BodyTokens()), number(spec.MaxBodyTokens), number(q.doc.Lines().Count()), number(spec.MaxLines)), "")
		return out, nil
	})
}
