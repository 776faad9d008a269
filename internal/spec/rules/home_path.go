package rules

import (
	"bytes"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
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
		for t := range texts(p) {
			if spec.IsSample(t.name) || recordFolder().MatchString(t.name) {
				continue
			}
			if !t.isProse() && !t.isProgram() && !t.isConfiguration() {
				continue
			}
			reported := map[string]bool{}
			for _, h := range findHomes(t.src) {
				if name := string(t.src[h[0]:h[1]]); !reported[name] && !isOutput(p, t, h[0]) {
					reported[name] = true
					t.report(p, h[0], h[1], "write the path relative to the skill, or with ~ or $HOME", "%s is one person's home folder", printable.Quoted(name))
				}
			}
		}
	},
}

var (
	// recordFolder matches files in folders for generated output.
	recordFolder = lazyregexp.New(`(?i)(?:^|/)(?:benchmarks?|results?|reports?|outputs?|logs?|screenshots?|history|archives?)/|(?:example|report|changelog|history|transcript)[^/]*$`)
	// containerLine matches lines about containers, whose user names are not
	// personal.
	containerLine = lazyregexp.New(`(?i)docker|container|podman|kubectl|\b(?:WORKDIR|COPY|VOLUME|mountPath)\b`)
	// showing matches text that introduces a program's output.
	showing = lazyregexp.New(`(?:^|[^\pL])(?:output|prints?|returns?|results?|reports?|logs?|looks like|example)(?:[^\pL]|$)|输出|示例|结果`)
)

// isOutput reports whether an offset is in a comment, in a line about a container, or
// in a code block that shows a program's output.
func isOutput(p *spec.Pass, t *text, at int) bool {
	line := t.src[bytes.LastIndexByte(t.src[:at], '\n')+1:]
	line, _, _ = bytes.Cut(line, []byte("\n"))
	comment := t.isProgram() && bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) || bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//"))
	if comment || containerLine().Match(line) {
		return true
	}
	in := skillOf(p).page(t.name)
	return in != nil && at >= in.start && in.InBlock(at-in.start) && showing().MatchString(in.Introduction(at-in.start))
}

// homePaths matches a path below a home folder in the first group, and the user
// name in one of the others. The path must continue, because a folder alone is
// often a word. It must not be inside another path or a URL, except a file URL.
var homePaths = lazyregexp.New(`(?m)(?:file://|^|[^\w\-/\\.~}>\])*%])` +
	`((?:/Users/|/home/)([\w.-]+)|[A-Za-z]:(?:/Users/|/home/|\\Users\\|\\\\Users\\\\)([\w.-]+))[/\\]`)

// findHomes returns the ranges of paths to personal home folders, at most 100.
func findHomes(src []byte) [][2]int {
	if !holdsAny(src, []string{"/Users/", "/home/", `\Users\`}) {
		return nil // the pattern is slow
	}
	var out [][2]int
	for _, at := range homePaths().FindAllSubmatchIndex(src, 1000) {
		if person := string(src[max(at[4], at[6]):at[3]]); !isPlaceholderUser(person) && len(out) < 100 {
			out = append(out, [2]int{at[2], at[3]})
		}
	}
	return out
}

// isPlaceholderUser reports whether a user name is a placeholder, or a default of a
// system, an image or a service.
func isPlaceholderUser(name string) bool {
	name = strings.ToLower(name)
	if strings.Trim(name, "0123456789abcdef-.") == "" && len(name) > 12 || strings.Trim(name, ".x-_") == "" {
		return true // an id in a URL, or dots
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
