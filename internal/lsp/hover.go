package lsp

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"skills/internal/clients"
	"skills/internal/loader"
	"skills/internal/lsp/protocol"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/rules"
	"skills/internal/spec/tokens"
)

// hover explains what is at a position: the rules of findings, a field, or a file.
func (a answers) hover(ctx context.Context, p protocol.PositionParams) (any, error) {
	return a.with(ctx, p.Document.URI, func(q *query) (any, error) {
		var parts, seen = []string{}, map[string]bool{}
		for _, d := range q.findingsAt(protocol.Range{Start: p.Position, End: p.Position}) {
			for _, id := range append([]string{d.Rule}, strings.Fields(d.Also)...) {
				if rule := rules.Find(id); rule != nil && !seen[id] {
					seen[id] = true
					parts = append(parts, rules.Explain(rule))
				}
			}
		}
		offset := q.text.Offset(p.Position)
		if f := q.fieldAt(offset); f != nil {
			parts = append(parts, describeField(f))
		}
		for _, place := range q.all.Places(q.ruleName()) {
			if place.Start <= offset && offset <= place.End {
				parts = append(parts, q.describeFile(place.File))
			}
		}
		if len(parts) == 0 {
			return nil, nil
		}
		return protocol.Hover{Contents: q.markdown(strings.Join(parts, "\n\n---\n\n"))}, nil
	})
}

// describeField explains a field, with its limits and the count so far.
func describeField(f *spec.Field) string {
	for _, info := range rules.FieldInfos() {
		if info.Name != f.Key {
			continue
		}
		text := "**" + info.Name + "**"
		if len(info.Clients) > 0 {
			text += " (read by " + strings.Join(titles(info.Clients), ", ") + ")"
		}
		text += "\n\n" + info.Meaning + "\n"
		if len(info.Values) > 0 {
			text += "\nValues: " + strings.Join(info.Values, ", ") + "\n"
		}
		if f.Value.Scalar() && f.Value.Kind != spec.Null {
			text += "\n" + counts(f.Key, f.Value.Text, info.Max)
		}
		return text
	}
	return "**" + printable.Line(f.Key) + "**\n\nNot read by any known client."
}

func titles(list []clients.Client) []string {
	return printable.Map(list, func(c clients.Client) string { return c.Title })
}

// counts lists the length of a field against the specification's limit and those of
// clients that count otherwise.
func counts(key, text string, limit int) string {
	var out []string
	if limit > 0 {
		out = append(out, fmt.Sprintf("- %s of %s characters", number(utf8.RuneCountInString(spec.Trim(text))), number(limit)))
	}
	for _, c := range clients.All() {
		for _, l := range c.Reader.Limits {
			if l.Field == key && (l.Max != limit || l.Unit != clients.Characters) {
				out = append(out, fmt.Sprintf("- %s: %s of %s %s", c.Title, number(clients.Count(text, l.Unit)), number(l.Max), l.Unit))
			}
		}
		if c.Listing.Cap > 0 && key == "description" {
			out = append(out, fmt.Sprintf("- %s shows %s of at most %s characters", c.Title, number(min(utf8.RuneCountInString(text), c.Listing.Cap)), number(c.Listing.Cap)))
		}
	}
	return strings.Join(out, "\n")
}

func number(n int) string { return printable.Grouped(int64(n)) }

// describeFile returns the size of a file, in tokens if it is text.
func (q *query) describeFile(name string) string {
	entry, ok := q.entry(name)
	if !ok {
		return ""
	}
	text := fmt.Sprintf("**%s**: %s", printable.Line(name), spec.FormatSize(entry.Size))
	src, err := q.doc.Files.Read(name, loader.MaxSkillFile)
	if err == nil && utf8.Valid(src) {
		text += fmt.Sprintf(", about %s tokens", number(tokens.Estimate(string(src))))
	}
	return text
}
