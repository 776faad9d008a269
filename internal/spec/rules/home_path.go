package rules

// A path into a home folder is a mistake where the skill uses it, and harmless in a sample,
// a report or a container. Names that many people have are placeholders.

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
	Level:  spec.Off,
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
	// failure matches a line of a program's output.
	failure = lazyregexp.New(`(?i)^[\s>]*(?:error|fatal|warning|traceback|panic)\b`)
	// showing matches text that introduces a program's output.
	showing = lazyregexp.New(`(?:^|[^\pL])(?:output|prints?|returns?|results?|reports?|logs?|looks like|example)(?:[^\pL]|$)|输出|示例|结果`)
)

// isOutput reports whether an offset is in a comment, in a line about a container, or
// in a code block that shows a program's output.
func isOutput(p *spec.Pass, t *text, at int) bool {
	line := t.lineAround(at)
	comment := t.isProgram() && bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) || bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//"))
	if comment || containerLine().Match(line) || failure().Match(line) {
		return true
	}
	in := skillOf(p).page(t.name)
	return in != nil && at >= in.start && in.InBlock(at-in.start) && showing().MatchString(in.Introduction(at-in.start))
}

// homeFolders are the beginnings of paths below a home folder. The last one follows a
// drive; its backslashes may be doubled.
var homeFolders = [3]string{"/Users/", "/home/", `\Users\`}

// findHomes returns the ranges of paths to personal home folders, at most 100. Such a
// path continues, because a folder alone is often a word. It must not be inside another
// path or a URL, except a file URL.
func findHomes(src []byte) (out [][2]int) {
	const limit, most = 100, 1000
	var next [len(homeFolders)]int // where each folder occurs next
	seek := func(i, from int) {
		next[i] = len(src)
		if n := bytes.Index(src[from:], []byte(homeFolders[i])); n >= 0 {
			next[i] = from + n
		}
	}
	for i := range next {
		seek(i, 0)
	}
	for seen, last := 0, -1; len(out) < limit && seen < most; {
		first := slices.Index(next[:], slices.Min(next[:]))
		at := next[first]
		if at == len(src) {
			break
		}
		seek(first, at+1)
		start, name := homeAt(src, at, len(homeFolders[first]))
		end := name
		for end < len(src) && isUserByte(src[end]) {
			end++
		}
		continues := end < len(src) && (src[end] == '/' || src[end] == '\\')
		if start <= last || end == name || !continues {
			continue
		}
		seen, last = seen+1, end
		if !isPlaceholderUser(string(src[name:end])) {
			out = append(out, [2]int{start, end})
		}
	}
	return out
}

// homeAt returns the start of the path whose home folder is at an offset, and that of
// the user's name. It returns -1 if the path is inside another one.
func homeAt(src []byte, at, length int) (start, name int) {
	folder, name := at, at+length
	windows := src[at] == '\\'
	doubled := at > 0 && src[at-1] == '\\' && name < len(src) && src[name] == '\\'
	if windows && doubled {
		folder, name = at-1, name+1
	}
	hasDrive := folder > 1 && src[folder-1] == ':' && src[folder-2]|0x20-'a' < 26
	if hasDrive && startsPath(src, folder-2) {
		return folder - 2, name
	}
	if !windows && startsPath(src, folder) {
		return folder, name
	}
	return -1, name
}

// startsPath reports whether a path may start at an offset.
func startsPath(src []byte, at int) bool {
	return at == 0 || !isUserByte(src[at-1]) && strings.IndexByte(`/\~}>])*%`, src[at-1]) < 0 || bytes.HasSuffix(src[:at], []byte("file://"))
}

// isUserByte reports whether a character may be part of a user's name.
func isUserByte(c byte) bool {
	return c == '.' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// isPlaceholderUser reports whether a user name is a placeholder, or a default of a
// system, an image or a service.
func isPlaceholderUser(name string) bool {
	name = strings.ToLower(name)
	if strings.Trim(name, "0123456789abcdef-.") == "" && len(name) > 12 || strings.Trim(name, ".x-_") == "" {
		return true // an id in a URL, or dots
	}
	for _, word := range []string{"user", "name", "your", "votre", "dein", "usuario", "nome", "nombre", "example", "someone", "placeholder", "automation", "service", "deploy"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return slices.Contains([]string{
		"you", "me", "my", "foo", "bar", "baz", "alice", "bob", "carol", "dave", "eve", "jane", "john", "joe", "jdoe", "johndoe", "janedoe", "john.doe", "jane.doe", "doe",
		"test", "demo", "dev", "developer", "admin", "root", "guest", "shared", "public", "default", "home", "person", "people", "somebody", "anyone", "dir", "folder", "path", "project", "projects",
		"runner", "runneradmin", "ubuntu", "debian", "fedora", "centos", "azureuser", "vscode", "node", "app", "jovyan", "coder", "codespace", "gitpod", "circleci", "travis", "vagrant", "pi",
		"docker", "nonroot", "linuxbrew", "sandbox", "agent", "claude", "codex", "oai", "openhands", "workspace", "site", "wwwroot", "git", "builder", "build", "jenkins", "steam", "deck", "nixbld", "computer", "opam", "deno", "kasm-default-profile",
		"page", "index", "dashboard", "settings", "x", "u",
	}, name)
}
