package doctor

import (
	"fmt"
	"strings"
	"testing"
)

// short writes requirements as "python3 >=3.10, [npx]": soft ones in brackets,
// alternatives with |.
func short(found []Requirement) string {
	var out []string
	for _, r := range found {
		text := strings.Join(r.Programs, "|")
		if r.Least != "" {
			text += " >=" + r.Least
		}
		if r.Soft {
			text = "[" + text + "]"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// The texts are of the kinds that published skills have in the field.
func TestRecognise(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"Requires python3": "python3|python",
		"Requires git, docker, jq, and access to the internet": "git, docker, jq",
		"Requires Python 3.14+ and uv":                         "python3|python >=3.14, uv",
		"python>=3.10":                                         "python3|python >=3.10",
		"python3.11":                                           "python3|python >=3.11",
		"node 18+":                                             "node >=18",
		"node.js v18+":                                         "node >=18",
		"Requires Node.js >= 20. Install via npm install -g x or use npx x.":                                                                "node >=20",
		"Requires Python >= 3.10, an OpenSSH client, and Paramiko.":                                                                         "python3|python >=3.10, ssh",
		"Requires Node.js 18+ (native fetch) and network access to an API.":                                                                 "node >=18",
		"Python 3.11 or newer for the linter. curl and an admin token.":                                                                     "python3|python >=3.11, curl",
		"Python 3.10+ (stdlib only — no dependencies)":                                                                                      "python3|python >=3.10",
		"Needs Node.js 22.13+ and git in a project; the MCP server or a shell that can run npx. Org commands need the Salesforce CLI (sf).": "node >=22.13, git, [npx]",
		"Requires git, .NET/Node toolchains or a supported container engine, and this layout.":                                              "git, [dotnet], [node]",
		"Needs the stepcap CLI (`pipx install stepcap`) on PATH. Works offline.":                                                            "[stepcap], [pipx]",
		"Requires `aivault` CLI and Node.js (runs via `npx tsx`).":                                                                          "aivault, node, [npx]",
		"Designed for Claude Code (or similar products)":                                                                                    "",
		"Designed for Claude Code; works in any environment with POSIX shell.":                                                              "[sh]",
		"Needs docker or podman":                           "docker|podman",
		"Requires git, npm, pnpm, or yarn":                 "git|npm|pnpm|yarn",
		"Uses ripgrep if it is there. No git needed.":      "[rg]",
		"Does not need docker, but ffmpeg":                 "ffmpeg",
		"Python project-agnostic; does not require pytest": "",
		"make sure that the go to person converts it":      "",
		"Requires make and go":                             "make, go",
		"Needs: Go 1.26":                                   "go >=1.26",
		"Optional: pandoc":                                 "[pandoc]",
		"See https://example.com/git and /usr/bin/jq":      "",
		"Works with GitHub and digital nodes":              "",
		"需要 git、python3":                                   "git, python3|python",
		"Requires the gh CLI, authenticated":               "gh",
	} {
		if got := short(Recognise(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestOlder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"3.9.2", "3.10", true}, {"3.10", "3.9.2", false}, {"3.10.1", "3.10", false}, {"18", "18.0.0", false}, {"2.39.5", "2.40", true}, {"1", "99999999999999999999", true}} {
		if got := Older(c.a, c.b); got != c.want {
			t.Errorf("%s older than %s: got %v", c.a, c.b, got)
		}
	}
}

func FuzzRecognise(f *testing.F) {
	for _, s := range []string{"Requires Python 3.14+ and uv", "a, or b", "docker or podman/git (jq)", "`x` CLI", "or git, or "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Recognise(text) {
			if len(r.Programs) == 0 || r.Name == "" || strings.ContainsAny(fmt.Sprint(r.Programs), "/\\\n") {
				t.Fatalf("%q: got %+v", text, r)
			}
		}
	})
}
