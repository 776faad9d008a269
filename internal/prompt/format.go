package prompt

import (
	"bytes"
	"fmt"
	"io"
)

// Entry is one skill in a catalogue.
type Entry struct {
	Name        string
	Description string
	Location    string // absolute path of the SKILL.md; "" for a skill without a file
}

// Options say what a catalogue block holds.
type Options struct {
	NoLocation bool // leave the location out, for agents with tools instead of files
}

// Format is one way to write a catalogue.
type Format struct {
	Name string // as --format spells it
	Help string // one line for people
	// Write prints the entries in the order given, and ends with a line feed
	// where it prints anything. Its errors are those of the writer.
	Write func(w io.Writer, entries []Entry, opt Options) error
}

// Formats returns the formats of `skills to-prompt`, the default first.
func Formats() []Format {
	return []Format{
		{"skills-ref", "byte for byte what the reference library prints", writeWith(skillsRef)},
		{"xml", "indented, values inline", writeWith(indentedXML)},
		{"json", "one object with the list available_skills", writeWith(jsonObject)},
		{"markdown", "a list under a heading", writeWith(markdown)},
	}
}

// writeWith makes a format's Write from a function that builds the block. The
// block goes out in one piece, so that a reader never sees half of one.
func writeWith(build func(*bytes.Buffer, []Entry)) func(io.Writer, []Entry, Options) error {
	return func(w io.Writer, entries []Entry, opt Options) error {
		if opt.NoLocation {
			bare := make([]Entry, len(entries))
			for i, e := range entries {
				bare[i] = Entry{Name: e.Name, Description: e.Description}
			}
			entries = bare
		}
		var block bytes.Buffer
		build(&block, entries)
		if _, err := w.Write(block.Bytes()); err != nil {
			return fmt.Errorf("writing the catalogue: %w", err)
		}
		return nil
	}
}
