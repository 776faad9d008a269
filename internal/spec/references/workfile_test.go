package references

import "testing"

// TestWorkFile finds files that a reader is to work on, and neither a skill's own nor examples.
func TestWorkFile(t *testing.T) {
	for body, want := range map[string]string{
		"Read `package.json` first.":                             "package.json",
		"1. Save the report to `report.md`.":                     "report.md",
		"- Update `CHANGELOG.md` with the entry":                 "CHANGELOG.md",
		"Collect the facts, then write them to `out/facts.csv`.": "out/facts.csv",
		"- **Write** the summary in `docs/summary.docx`":         "docs/summary.docx",
		"Read `tool.md` for details.":                            "",
		"Read `references/api.md`.":                              "",
		"Read `SKILL.md`.":                                       "",
		"You could read `notes.md`, for example.":                "",
		"For example, save it to `notes.md`.":                    "",
		"Do not edit `notes.md`.":                                "",
		"Save it to `path/to/notes.md`.":                         "",
		"The file `notes.md` is made by the build.":              "",
		"Read `config.json` if it exists.":                       "",
		"Write a poem.":                                          "",
		"":                                                       "",
	} {
		got := WorkFile(body, "x", func(name string) bool { return name == "tool.md" })
		if got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
}
