package doctor

import (
	"fmt"
	"strings"
	"testing"
)

// short writes requirements as "python3 >=3.10, [npx]": soft ones in brackets,
// alternatives with |.
func short(found []requirement) string {
	var out []string
	for _, r := range found {
		var each []string
		for i, c := range r.Choices {
			text := c.File
			if wanted := c.Wanted.String(); wanted != "" && (i+1 == len(r.Choices) || r.Choices[i+1].Wanted.String() != wanted) {
				if _, ok := c.Wanted.least(); ok {
					wanted = ">=" + wanted
				}
				text += " " + wanted
			}
			each = append(each, text)
		}
		text := strings.Join(each, "|")
		if r.Soft {
			text = "[" + text + "]"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// TestRecognise checks texts of the kinds that published skills have in compatibility.
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
		"Requires git, .NET/Node toolchains or a supported container engine, and this layout.":                                              "git, [dotnet]",
		"Needs the stepcap CLI (`pipx install stepcap`) on PATH. Works offline.":                                                            "[pipx]",
		"Requires `aivault` CLI and Node.js (runs via `npx tsx`).":                                                                          "node, [npx]",
		"Designed for Claude Code (or similar products)":                                                                                    "",
		"Designed for Claude Code; works in any environment with POSIX shell.":                                                              "[sh]",
		"Needs docker or podman":                           "docker|podman",
		"Requires git, npm, pnpm, or yarn":                 "[git|npm|pnpm|yarn]",
		"Uses ripgrep if it is there. No git needed.":      "[rg]",
		"Does not need docker, but ffmpeg":                 "ffmpeg",
		"Python project-agnostic; does not require pytest": "",
		"make sure that the go to person converts it":      "",
		"Requires make and go":                             "",
		"Needs: Go 1.26":                                   "go >=1.26",
		"Optional: pandoc":                                 "[pandoc]",
		"See https://example.com/git and /usr/bin/jq":      "",
		"Works with GitHub and digital nodes":              "",
		"需要 git、python3":                                   "git, python3|python",
		"Requires the gh CLI, authenticated":               "gh",
		// Alternatives, each with its version.
		"Requires Node.js 18+ or Bun":         "node >=18|bun",
		"Requires Node.js 18+, or Bun 1.1+":   "node >=18|bun >=1.1",
		"Node 20+, Deno 2+, or Bun":           "[node >=20|deno >=2|bun]",
		"Requires Python 3.9 & git":           "python3|python >=3.9, git",
		"Requires Python >=3.9,<3.13 and git": "python3|python >=3.9, git",
		"Python < 3.0":                        "python3|python",
		"Requires Python <= 3.12":             "python3|python",
		"Requires Python == 3.11":             "python3|python",
		// Programs that the table does not have, and ordinary words.
		"Requires `nmap`":                                "",
		"Requires the toolchain on PATH":                 "",
		"Requires git, nmap and masscan to be installed": "git",
		"Requires tmux or screen":                        "[tmux]",
		"Uses the `nrv` CLI and Bun on PATH":             "bun",
		"Requires kubectl, helm and az":                  "kubectl",
		"Requires kubectl, aws and `az`":                 "kubectl, az",
		"Requires the Azure CLI (az) and GitHub CLI":     "az, gh",
		"Only works if terraform is installed":           "[terraform]",
		"Works only where docker and git are available":  "[docker], git",
		// Prose.
		"Requires AWS credentials, Azure, AWS and GCP accounts":                                                                         "",
		"Requires internet, network access, a browser and MCP":                                                                          "",
		"Requires Python with `requests` and `pandas` packages":                                                                         "python3|python",
		"Requires the Python packages `requests`, `pandas` and scipy":                                                                   "",
		"Requires `main` branch, write access to `dist`":                                                                                "",
		"Requires spec-kit project structure with .specify/ directory":                                                                  "",
		"Requires a JDK 8+ (provides the `jdb` command). Driven through the `jdbg` MCP server (tools named `launch`, `run`, `locals`).": "",
		"The `models.Cellpose` wrapper class was removed":                                                                               "",
		"Requires `OPENAI_API_KEY` in the environment":                                                                                  "",
		"Needs Wizard 0.3.0 or later, and 0.4.0 for rounds with ranking, number, or bracket questions":                                  "",
		"Requires a container that can start the app, plus base-worktree":                                                               "",
		"Requires a built copperhead on PATH, kicad-cli, and the full KiCad symbol library set":                                         "",
		"Requires `ckl` binary >= 0.5.3 on $PATH, an entity created via `ckl seed`":                                                     "",
		"Requires `gh`, the CI/build/deploy workflows, the `kanban` and `code_context` MCP tools, and a working `/finish` skill":        "gh",
		"Auto-extraction needs node:sqlite":                                                                                             "node",
		"Requires Python 3.9+ and cellpose 4.2.1+. CUDA 12.4 pins torch 2.6.0":                                                          "python3|python >=3.9",
		"Requires docker or equivalent":                                                                                                 "[docker]",
		"Requires separate contaminated and clean workspaces or profiles for real clean-room use.":                                      "",
		"Requires Claude Code with subagents":                                                                                           "",
		"Works with any filesystem-based AI coding agent":                                                                               "",
		"Needs read/write access to a user-designated vault directory. Uses an Obsidian-style MCP server when one is present, and plain file operations otherwise. No network access required.": "",
		"Requires gh CLI authenticated to the repo.": "gh",
	} {
		if got := short(recognise(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{"3.9.2", "3.10", true}, {"3.10", "3.9.2", false}, {"3.10.1", "3.10", false}, {"18", "18.0.0", false}, {"2.39.5", "2.40", true}, {"1", "99999999999999999999", true}} {
		if got := compare(c.a, c.b) < 0; got != c.want {
			t.Errorf("%s older than %s: got %v", c.a, c.b, got)
		}
	}
}

func TestSpecifier(t *testing.T) {
	for _, c := range []struct {
		text, version string
		want          bool
	}{
		{"", "3.11.2", true}, {">=3.11", "3.11.2", true}, {">=3.12", "3.11.2", false},
		{"==3.11.*", "3.11.2", true}, {"==3.99.*", "3.11.2", false}, {"==3.11", "3.11.2", false}, {"==3.11", "3.11.0", true}, {"==3.11.2", "3.11.2", true},
		{"<3.9", "3.11.2", false}, {"<3.9", "3.8.19", true}, {"<=3.11", "3.11.2", false}, {"<=3.11.2", "3.11.2", true}, {">3.11", "3.11.2", true}, {">3.11.2", "3.11.2", false},
		{"!=3.11.*", "3.11.2", false}, {"!=3.11.1", "3.11.2", true}, {"!=3.11.2", "3.11.2", false},
		{"~=3.11", "3.12.1", true}, {"~=3.11", "4.0", false}, {"~=3.11", "3.10.1", false}, {"~=3.11.1", "3.11.2", true}, {"~=3.11.1", "3.12.0", false}, {"~=3.11.3", "3.11.2", false},
		{">=3.8,<3.9", "3.11.2", false}, {">= 3.8 , < 4", "3.11.2", true}, {">=3.8,!=3.11.*,<4,", "3.11.2", false}, {">=3.12.0rc1", "3.12.0", true}, {"===3.11.2", "3.11.2", true},
	} {
		s, ok := parseSpecifier(c.text)
		if got := s.Allows(c.version); !ok || got != c.want {
			t.Errorf("%q with %s: got %v, understood %v", c.text, c.version, got, ok)
		}
	}
	for _, text := range []string{"3.11", "^3.11", ">=", ">=3.x", ">=3.*", "~=3", "latest", ">=3.8;<4", "==3.11.*.1"} {
		if s, ok := parseSpecifier(text); ok {
			t.Errorf("%q is understood as %s", text, s)
		}
	}
}

func FuzzRecognise(f *testing.F) {
	for _, s := range []string{"Requires Python 3.14+ and uv", "a, or b", "docker or podman/git (jq)", "`x` CLI", "or git, or "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range recognise(text) {
			if len(r.Choices) == 0 || r.Name == "" || strings.ContainsAny(fmt.Sprint(r.Choices), "/\\\n") {
				t.Fatalf("%q: got %+v", text, r)
			}
		}
	})
}
