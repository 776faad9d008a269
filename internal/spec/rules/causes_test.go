package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

// TestNameFaults verifies that all faults of a name are one finding with one
// correction.
func TestNameFaults(t *testing.T) {
	long := strings.Repeat("x", 65)
	for _, tt := range []struct{ dir, target, name, around, rules, help, fix string }{
		{"pdf-tools", "", "PDF_Tools", "", "name-lowercase name-characters name-directory", "write name: pdf-tools", "pdf-tools"},
		{"pdf-tools", "", "PDF_Tools", "../PDF_Tools", "name-lowercase name-characters name-directory", "write name: pdf-tools", "pdf-tools"},
		{"pdf-tools", "", "pdftools", "", "name-directory", "write name: pdf-tools", "pdf-tools"},
		{"pdf-tools", "", "--pdf--tools-", "", "name-hyphens name-directory", "write name: pdf-tools", "pdf-tools"},
		{"pdf-tools", "", "My_Tools", "", "name-lowercase name-characters name-directory", "write name: pdf-tools, or write name: my-tools, and give the folder the same name", ""},
		{"adapter", "", "Managing Tests", "", "name-lowercase name-characters name-directory", "write name: managing-tests, and give the folder the same name, or write name: adapter", ""},
		{"pdf-tools", "", "My_Tools", "../my-tools", "name-lowercase name-characters name-directory", "write name: pdf-tools", ""},
		{"pdf-tools", "", "other", "", "name-directory", "write name: pdf-tools, or rename the folder to other", ""},
		{"pdf-tools", "", "other", "../other", "name-directory", "write name: pdf-tools", ""},
		{"pdf-tools", "", long, "", "name-length name-directory", "write name: pdf-tools", ""},
		{long, "", long, "", "name-length", "shorten it; details belong in the description", ""},
		{"PDF_Tools", "", "PDF_Tools", "", "name-lowercase name-characters", "write name: pdf-tools, and give the folder the same name", ""},
		{"PDF Tools", "", "pdf--Tools", "", "name-hyphens name-directory name-lowercase", "write name: pdf-tools, and give the folder the same name", ""},
		{"PDF_Tools", "", "My_Tools", "../my-tools", "name-lowercase name-characters name-directory", "write name: pdf-tools, and give the folder the same name", ""},
		{"PDF_Tools", "", "other", "", "name-directory", "rename the folder to other", ""},
		{"__", "", "'!'", "", "name-characters name-directory", "use lowercase letters, digits and single hyphens, such as pdf-tools, also for the folder", ""},
		{"Pdf-Tools", "", "Pdf-Tools", "../pdf-tools ../PDF-TOOLS", "name-lowercase", "write name: pdf-tools, and give the folder the same name", ""}, // a disk that ignores case
		{"Pdf-Tools", "", "Pdf-Tools", "../pdf-tools", "name-lowercase", "use lowercase letters, digits and single hyphens, such as pdf-tools, also for the folder", ""},
		{"Link", "pdf-tools", "PDF Tools", "", "name-lowercase name-characters name-directory", "write name: pdf-tools", "pdf-tools"},
		{"Link", "pdf-tools", "other", "", "name-directory", "write name: pdf-tools, or rename the folder to other", ""},
		{"", "", "PDF Tools", "", "name-lowercase name-characters", "write name: pdf-tools", "pdf-tools"},
		{"", "", "pdf.tools", "", "name-characters", "write name: pdf-tools", ""},
	} {
		d := parse("---\nname: " + tt.name + "\ndescription: Does a thing. Use when testing.\n---\n")
		files := inMemory(nil)
		files.around = map[string]bool{}
		for _, name := range strings.Fields(tt.around) {
			files.around[name] = true
		}
		d.Dir, d.LinkTarget, d.Files = tt.dir, tt.target, files
		found := Check(d, spec.Options{Least: spec.Error})
		if len(found) != 1 {
			t.Errorf("%s in %s: got %v, want one finding", tt.name, tt.dir, found)
			continue
		}
		rules, fix := strings.TrimSpace(found[0].Rule+" "+found[0].Also), ""
		if found[0].Fix != nil {
			fix = found[0].Fix.Edits[0].Text
		}
		if rules != tt.rules || found[0].Help != tt.help || fix != tt.fix {
			t.Errorf("%s in %s: got %s, help %q, fix %q", tt.name, tt.dir, rules, found[0].Help, fix)
		}
	}
}

// TestJoined verifies which findings take part.
func TestJoined(t *testing.T) {
	const name, key = "name: -Foo\ndescription: Does a thing. Use when testing.", "name: my-skill\nDescription: Does a thing. Use when testing."
	for _, tt := range []struct {
		lines string
		opts  spec.Options
		want  string
	}{
		{name, spec.Options{}, "2:7 error name-hyphens also name-directory name-lowercase"},
		{name, spec.Options{Profile: spec.ProfileReference}, "2:7 error name-hyphens also name-directory name-lowercase"},
		{name, spec.Options{Levels: map[string]spec.Level{"name-hyphens": spec.Off}}, "2:8 error name-lowercase also name-directory"},
		{name, spec.Options{Levels: map[string]spec.Level{"name-hyphens": spec.Info, "name-directory": spec.Warning, "name-lowercase": spec.Off}}, "2:7 warning name-hyphens also name-directory"},
		{key, spec.Options{}, "3:1 error description-required also field-unknown"},
		{key, spec.Options{Levels: map[string]spec.Level{"field-unknown": spec.Off}}, "1:1 error description-required also "},
		{"name: my-skill\nsummary: Does a thing.", spec.Options{}, "1:1 error description-required also , 3:1 error field-unknown also "},
		{key + "\ndescription: Does a thing. Use when testing.", spec.Options{}, "3:1 error field-unknown also "},
		{"Name: my-skill\nDescription: x", spec.Options{}, "2:1 error name-required also field-unknown, 3:1 error description-required also field-unknown"},
	} {
		var got []string
		for _, d := range Check(parse("---\n"+tt.lines+"\n---\nText.\n"), tt.opts) {
			got = append(got, strings.TrimPrefix(d.Place(), "my-skill/SKILL.md:")+" "+d.Level.String()+" "+d.Rule+" also "+d.Also)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%q with %v: got %q, want %q", tt.lines, tt.opts, got, tt.want)
		}
	}
}
