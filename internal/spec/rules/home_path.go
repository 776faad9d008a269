package rules

import (
	"bytes"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
)

var homePath = &spec.Rule{
	ID:     "home-path",
	Title:  "no path into one person's home folder",
	Level:  spec.Info,
	Needs:  spec.NeedsBody,
	Source: "other machines do not have it",
	Check: func(p *spec.Pass) {
		for t := range texts(p.Doc) {
			if p.Full() {
				return
			}
			if inSampleFolder(t.name) || !t.isProse() && !t.isProgram() && !t.isConfiguration() {
				continue
			}
			told := map[string]bool{}
			for _, h := range findHomes(t.src) {
				if name := string(t.src[h.start:h.end]); !told[name] {
					told[name] = true
					t.report(p, h.start, h.end, "write the path relative to the skill, or with ~ or $HOME", "%s is one person's home folder", printable.Quoted(name))
				}
			}
		}
	},
}

// home is a path to a home folder in a text.
type home struct{ start, end int }

// findHomes returns the paths to home folders of certain persons, at most 100.
func findHomes(src []byte) []home {
	var out []home
	for _, root := range []string{"/Users/", "/home/", `:\Users\`, `:\\Users\\`, ":/Users/"} {
		for i := 0; len(out) < 100; {
			n := bytes.Index(src[i:], []byte(root))
			if n < 0 {
				break
			}
			start, name := i+n, i+n+len(root)
			end := name
			for end < len(src) && (isNameByte(src[end]) || src[end] == '.') {
				end++
			}
			i = name
			// A path has to continue: a folder alone is often a word.
			if end == name || end == len(src) || src[end] != '/' && src[end] != '\\' || anybody(string(src[name:end])) {
				continue
			}
			if root[0] == ':' {
				start++
			}
			drive := endsInDrive(src[:start])
			if drive {
				start -= 2
			}
			// Paths on a drive are found with its colon only.
			if drive == (root[0] == ':') && beginsPath(src[:start]) {
				out = append(out, home{start, end})
			}
		}
	}
	slices.SortFunc(out, func(a, b home) int { return a.start - b.start })
	return out
}

// endsInDrive reports whether a text ends in a drive of Windows, such as C:.
func endsInDrive(before []byte) bool {
	n := len(before)
	if n < 2 || before[n-1] != ':' {
		return false
	}
	letter := before[n-2] | 0x20
	return 'a' <= letter && letter <= 'z' && (n == 2 || !isNameByte(before[n-3]))
}

// beginsPath reports whether a path can begin after a text: not inside another path
// or an address, apart from one of a file.
func beginsPath(before []byte) bool {
	if bytes.HasSuffix(before, []byte("file://")) {
		return true
	}
	return len(before) == 0 || !isNameByte(before[len(before)-1]) && !bytes.ContainsRune([]byte("/\\.~}>])*%"), rune(before[len(before)-1]))
}

// anybody reports whether a user name is a placeholder, or a default of systems,
// images and services.
func anybody(name string) bool {
	name = strings.ToLower(name)
	if strings.Trim(name, "0123456789abcdef-.") == "" && len(name) > 12 || strings.Trim(name, ".x-_") == "" {
		return true // an identifier in an address, or dots
	}
	for _, word := range []string{"user", "name", "your", "example", "someone", "placeholder"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return slices.Contains([]string{
		"you", "me", "my", "foo", "bar", "baz", "alice", "bob", "carol", "dave", "eve", "jane", "john", "joe", "jdoe", "johndoe", "janedoe", "john.doe", "jane.doe", "doe",
		"test", "demo", "dev", "developer", "admin", "root", "guest", "shared", "public", "default", "home", "person", "people", "somebody", "anyone", "dir", "folder", "path", "project", "projects",
		"runner", "runneradmin", "ubuntu", "debian", "fedora", "centos", "azureuser", "vscode", "node", "app", "jovyan", "coder", "codespace", "gitpod", "circleci", "travis", "vagrant", "pi",
		"docker", "nonroot", "linuxbrew", "sandbox", "agent", "claude", "codex", "oai", "openhands", "workspace", "site", "wwwroot", "git", "builder", "build", "jenkins", "steam", "deck", "nixbld", "computer", "opam", "kasm-default-profile",
		"page", "index", "dashboard", "settings", "x", "u",
	}, name)
}

// isNameByte reports whether c may be part of a name.
func isNameByte(c byte) bool { return isWordByte(c) || c == '-' }
