package clients

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"skills/internal/printable"
	"skills/internal/spec/frontmatter"
)

// text returns the name or description; ok is false if the client sees none.
func (r *reading) text(key string) (text string, ok bool) {
	v := r.field(key)
	switch {
	case v == nil || v.Kind == frontmatter.Null:
		return "", false
	case !v.Scalar(), r.Dates && v.Kind == frontmatter.Timestamp, r.Texts && (v.Kind == frontmatter.Number || v.Kind == frontmatter.Bool):
		r.violation("%s is %s, not text", key, v.Kind)
		return "", false
	case r.Collapses:
		return strings.Join(strings.Fields(v.Text), " "), true
	}
	text = v.Text
	if r.StripsTags {
		text = tags().ReplaceAllString(text, "")
	}
	if p := r.Replaces; p != nil && key == "name" {
		text = p().ReplaceAllString(text, "-")
	}
	if text != v.Text {
		r.note(Altered, "characters of the %s are replaced", key)
	}
	return text, true
}

func (r *reading) name() {
	folder := r.file.Folder
	name, ok := r.text("name")
	r.skill.Name = name
	switch {
	case r.skipped():
	case r.FolderName == "always":
		r.skill.Name = folder
		if ok && name != folder && folder != "" {
			r.note(Altered, "it uses the name of the folder, %s", printable.Quote(folder))
		}
	case name == "" && r.FolderName != "":
		r.skill.Name = folder
		r.note(Altered, "no name: it uses that of the folder")
	case !ok || name == "" && !r.BlankName:
		r.violation("no name")
	default:
		if r.NamePattern != nil && !r.NamePattern().MatchString(name) {
			r.violation("it does not take the name %s", printable.Quote(name))
		}
		isSame := name == folder || r.FoldsCase && strings.EqualFold(name, folder)
		if r.SameFolder && folder != "" && !isSame {
			r.violation("the name %s is not that of the folder, %s", printable.Quote(name), printable.Quote(folder))
		}
	}
}

func (r *reading) description(body string) {
	text, ok := r.text("description")
	switch empty := text == "" || !r.Blank && strings.TrimSpace(text) == ""; {
	case ok && !empty || r.skipped():
	case r.NoDescription == "first line":
		text, _, _ = strings.Cut(strings.TrimSpace(body), "\n")
		r.note(Altered, "no description: it shows the first line of the body")
	case r.NoDescription == "hidden" && !ok:
		r.note(Hidden, "no description: the model does not see it")
	case r.NoDescription == "empty" && (ok || r.Broken != "lines"):
		r.note(Altered, "no description: it shows the name alone")
	default:
		r.violation("no description")
	}
	if when := r.field("when_to_use"); slices.Contains(r.client.Fields, "when_to_use") && when != nil && when.Text != "" {
		text += " - " + when.Text
	}
	if most := r.client.Listing.Cap; most > 0 && utf8.RuneCountInString(text) > most {
		r.note(Altered, "the description is cut to %d characters", most)
		text = printable.Truncate(text, most-1)
	}
	r.skill.Description = text
}

// limit applies a limit to the value as read by the client.
func (r *reading) limit(l Limit) {
	text := map[string]*string{"name": &r.skill.Name, "description": &r.skill.Description}[l.Field]
	if v := r.field(l.Field); text == nil && v != nil {
		text = &v.Text
	}
	if text == nil {
		return
	}
	n := Count(*text, l.Unit)
	switch {
	case n <= l.Max:
	case l.Cuts:
		r.note(Altered, "the %s is cut from %d to %d %s", l.Field, n, l.Max, l.Unit)
		*text = string(utf16.Decode(utf16.Encode([]rune(*text))[:l.Max]))
	default:
		r.violation("the %s has %d %s, more than %d", l.Field, n, l.Unit, l.Max)
	}
}

// Count returns the length of a text.
func Count(text string, u Unit) int {
	switch u {
	case Bytes:
		return len(text)
	case UTF16:
		return len(utf16.Encode([]rune(text)))
	case Tokens:
		return (len(text) + 3) / 4
	}
	return utf8.RuneCountInString(text)
}

// visibility records the fields that hide the skill from the model, and those that are
// not read.
func (r *reading) visibility() {
	var ignored []string
	for _, f := range r.fields {
		switch {
		case slices.Contains(common(), f.Key):
		case !slices.Contains(r.client.Fields, f.Key):
			ignored = append(ignored, printable.Quote(f.Key))
		case f.Key == "disable-model-invocation" && isTrue().MatchString(f.Value.Text):
			r.note(Hidden, "%s: the model does not see it", f.Key)
		case f.Key == "disabled" && isTrue().MatchString(f.Value.Text):
			r.note(Hidden, "%s: the model does not see it", f.Key)
		case f.Key == "paths" && f.Value.Kind != frontmatter.Null:
			r.note(Hidden, "%s: the model sees it only while it works on such files", f.Key)
		}
	}
	if len(ignored) > 0 {
		r.note(Altered, "it does not read %s", strings.Join(ignored, ", "))
	}
}
