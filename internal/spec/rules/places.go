package rules

import (
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

// joinPlaces merges the findings of a rule that are one habit: they have the same
// group and level. The finding is at the first place and lists all of them.
func joinPlaces(found []spec.Diagnostic) []spec.Diagnostic {
	type habit struct {
		rule, group string
		level       spec.Level
	}
	first := map[habit]int{} // index in out
	out := found[:0]
	for _, d := range found {
		if d.Group == "" {
			out = append(out, d)
			continue
		}
		place := spec.Place{Path: d.Path, Span: d.Span, Message: d.Message}
		if len(d.Places) > 0 {
			place.Subject = d.Places[0].Subject
		}
		key := habit{d.Rule, d.Group, d.Level}
		if i, ok := first[key]; ok {
			out[i].Places = append(out[i].Places, place)
			continue
		}
		first[key] = len(out)
		d.Places = []spec.Place{place}
		out = append(out, d)
	}
	for _, i := range first {
		setPlaces(&out[i], out[i].Places)
	}
	return out
}

// OnlyPlaces returns a finding about those of its places that keep reports. A
// finding without places is returned as it is.
func OnlyPlaces(d spec.Diagnostic, keep func(i int) bool) spec.Diagnostic {
	var places []spec.Place
	for i, place := range d.Places {
		if keep(i) {
			places = append(places, place)
		}
	}
	if len(places) > 0 {
		setPlaces(&d, places)
	}
	return d
}

// setPlaces makes a finding one about these places, of which there is at least one.
func setPlaces(d *spec.Diagnostic, places []spec.Place) {
	first := places[0]
	d.Path, d.Span, d.Message, d.Snippet, d.Sensitive = first.Path, first.Span, first.Message, first.Snippet, first.Sensitive
	d.Places = nil
	if len(places) > 1 {
		d.Places, d.Message = places, Find(d.Rule).Join(places)
		if strings.HasSuffix(places[len(places)-1].Message, spec.More) {
			d.Message += spec.More
		}
	}
}

// subjects returns what is at the places, each once.
func subjects(places []spec.Place) (out []string) {
	for _, p := range places {
		if !slices.Contains(out, p.Subject) {
			out = append(out, p.Subject)
		}
	}
	return out
}

// quotedSubjects returns subjects in quotes.
func quotedSubjects(places []spec.Place) (out []string) {
	for _, subject := range subjects(places) {
		out = append(out, printable.Quote(subject))
	}
	return out
}
