package rules

import (
	"bytes"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
)

var ownPath = &spec.Rule{
	ID:     "own-path",
	Title:  "files of the skill are named by their path in it",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: "specification, file references: paths are relative to the skill's folder, which clients and users place",
	Check: func(p *spec.Pass) {
		folder := skillOf(p).folder
		for _, in := range skillOf(p).instructions() {
			for _, at := range ownPaths(in.src, p.Doc) {
				name := strings.TrimRight(string(in.src[at[1]:at[2]]), "./")
				if name == "" || name == p.Doc.File || !folder.Exists(name) {
					continue
				}
				found := in.report(p, at[0], at[1]+len(name), "write "+printable.Quoted(name)+": elsewhere the skill is in another folder",
					"%s is"+elsewhere, printable.Quote(name))
				found.Group = "own-path"
				found.Places = []spec.Place{{Subject: name}}
			}
		}
	},
	Join: func(places []spec.Place) string {
		verb := " are"
		if len(subjects(places)) == 1 {
			verb = " is"
		}
		return printable.List(quotedSubjects(places), 5) + verb + elsewhere
	},
}

const elsewhere = " in the skill, and named by where one client or person has it"

// homeOfSkills matches the folder of a client's skills below a home folder.
var homeOfSkills = lazyregexp.New(`(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%|(?:/Users|/home)/[\w.-]+)/(?:\.[\w-]+/)+skills/$`)

// ownPaths returns the paths to files of a skill through a home folder: the start of each,
// that of the part inside the skill, and the end; at most 100.
func ownPaths(src []byte, doc *spec.Document) (out [][3]int) {
	const limit, longest = 100, 120 // of paths, and bytes of the folder of skills
	names := []string{doc.Dir}
	if name := doc.Text("name"); name != doc.Dir {
		names = append(names, name)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		for at := 0; len(out) < limit; {
			n := bytes.Index(src[at:], []byte("/"+name+"/"))
			if n < 0 {
				break
			}
			start := at + n + 1
			at = start + len(name)
			from := max(start-longest, 0)
			home := homeOfSkills().FindIndex(src[from:start])
			if home == nil {
				continue
			}
			end := at + 1
			for end < len(src) && isPathByte(src[end]) {
				end++
			}
			out = append(out, [3]int{from + home[0], at + 1, end})
		}
	}
	return out
}

// isPathByte reports whether a character is usual in paths.
func isPathByte(c byte) bool { return isUserByte(c) || c == '/' }
