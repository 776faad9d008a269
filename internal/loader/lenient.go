package loader

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"skills/internal/spec"
)

// usable reports whether an agent can offer the skill: a catalogue needs a
// name and a description, nothing else.
func usable(d *spec.Document) bool { return d.Text("name") != "" && d.Text("description") != "" }

// parseLenient reads a document whose frontmatter does not start on the first
// line but is there all the same, as several clients do. Broken values are
// repaired by the parser itself.
func parseLenient(path, dir string, src []byte) *spec.Document {
	text := bytes.TrimPrefix(src, []byte("\ufeff"))
	return ParseDocument(path, dir, bytes.TrimLeft(text, " \t\r\n"))
}

// unusable says why a skill was left out.
func unusable(d *spec.Document) Notice {
	n := Notice{Path: d.Path, Hint: "skills validate explains it: " + validateCommand(d)}
	var missing []string
	for _, key := range []string{"name", "description"} {
		if d.Text(key) == "" {
			missing = append(missing, key)
		}
	}
	if len(d.Faults) > 0 {
		f := d.Faults[0]
		n.Message = "skill not loaded: " + oneLine(f.Message)
		if f.Help != "" {
			n.Hint = oneLine(f.Help)
		}
		return n
	}
	n.Message = "skill not loaded: it has no " + strings.Join(missing, " and no ")
	return n
}

// flawed says in one line that a skill was loaded although it breaks the
// specification; ok is false where it does not.
func flawed(d *spec.Document) (n Notice, ok bool) {
	// What is no error is nobody's business here, and takes much longer.
	found := spec.Check(d, spec.Options{Least: spec.Error})
	found = slices.DeleteFunc(found, func(f spec.Diagnostic) bool { return f.Level < spec.Error })
	if len(found) == 0 {
		return n, false
	}
	first, count := found[0], len(found)
	n = Notice{Path: first.Place(), Message: "skill loaded all the same: " + oneLine(first.Message), Hint: oneLine(first.Help)}
	if count > 1 {
		n.Message += fmt.Sprintf(" (and %d more)", count-1)
		n.Hint = validateCommand(d) + " lists them"
	}
	return n, true
}

func validateCommand(d *spec.Document) string { return "skills validate " + d.Path }

// oneLine keeps a message with a value of several lines on one.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
