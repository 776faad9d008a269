// Package programs is a table of programs that skills use, with their names in texts
// and how to install them.
package programs

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Program is a program that skills use and that is not part of every system.
type Program struct {
	Names   []string // in texts, lower case
	Files   []string // alternative executables on PATH
	Install string   // how to install it
	Word    bool     // also an ordinary word or a company: only in code or with a version
}

// all is the table of programs, with rows separated by semicolons or lines: the names
// of a program, its executables if they differ from the first name, and how to install
// it. A name with "?" is an ordinary word too.
var all = sync.OnceValue(func() []Program {
	const table = `
pipx; poetry; pdm; conda; git; git-lfs; podman; docker-compose; helm?; terraform; ansible; jq; yq
fzf; curl; wget; rsync; unzip; openssl; ffmpeg; exiftool; pandoc; tesseract; qpdf; psql; redis-cli
make?; cmake; gcc; clang; java; gradle; ruby; perl; php; composer?; bash; zsh; tmux
pip, pip3 | pip3 pip; stripe cli | stripe; vercel cli | vercel; supabase cli | supabase; heroku cli | heroku
firebase cli | firebase; 1password cli | op; ripgrep, rg | rg; openssh, ssh | ssh; gnupg, gpg | gpg
imagemagick | magick convert; ghostscript | gs; graphviz | dot; sqlite3, sqlite | sqlite3; maven, mvn | mvn
posix shell | sh
python3, python | python3 python | Python 3 (python.org, or your package manager)
uv, uvx | | uv (docs.astral.sh/uv)
node.js, nodejs, node | node | Node.js (nodejs.org, or your package manager)
npm | | Node.js, which includes it (nodejs.org)
npx | | Node.js, which includes it (nodejs.org)
pnpm | | pnpm (pnpm.io)
yarn | | Yarn (yarnpkg.com)
bun | | Bun (bun.sh)
deno | | Deno (deno.com)
github cli, gh | gh | the GitHub CLI (cli.github.com)
gitlab cli, glab | glab | the GitLab CLI (gitlab.com/gitlab-org/cli)
docker | | Docker (docs.docker.com/get-docker)
kubectl | | kubectl (kubernetes.io/docs/tasks/tools)
aws cli, aws-cli, awscli | aws | the AWS CLI (aws.amazon.com/cli)
aws? | | the AWS CLI (aws.amazon.com/cli)
azure cli | az | the Azure CLI (learn.microsoft.com/cli/azure)
az? | | the Azure CLI (learn.microsoft.com/cli/azure)
google cloud cli, google cloud sdk, gcloud | gcloud | the Google Cloud CLI (cloud.google.com/sdk)
ffprobe | | FFmpeg, which includes it (your package manager)
poppler, poppler-utils, pdftotext | pdftotext | poppler (poppler-utils in most package managers)
pdftoppm | | poppler (poppler-utils in most package managers)
libreoffice, soffice | soffice libreoffice | LibreOffice (libreoffice.org)
latex, pdflatex | pdflatex | TeX Live (tug.org/texlive)
xelatex | | TeX Live (tug.org/texlive)
golang | go | Go (go.dev)
go? | | Go (go.dev)
cargo | | Rust (rustup.rs)
rustc | | Rust (rustup.rs)
rust? | rustc | Rust (rustup.rs)
.net sdk, dotnet, .net | dotnet | the .NET SDK (dot.net)
powershell, pwsh | pwsh | PowerShell 7 (github.com/PowerShell/PowerShell)`
	var out []Program
	for row := range strings.FieldsFuncSeq(table, func(r rune) bool { return r == ';' || r == '\n' }) {
		columns := append(strings.Split(row, "|"), "", "")
		names, word := strings.CutSuffix(strings.TrimSpace(columns[0]), "?")
		p := Program{Names: strings.Split(names, ", "), Files: strings.Fields(columns[1]), Word: word}
		p.Install = "install " + cmp.Or(strings.TrimSpace(columns[2]), p.Names[0]+" (your package manager)")
		if len(p.Files) == 0 {
			p.Files = p.Names[:1]
		}
		out = append(out, p)
	}
	return out
})

// Named returns the program whose name is at the start of a text, preferring the
// longest.
func Named(text string) (p Program, length int) {
	low := strings.ToLower(text)
	for _, row := range all() {
		for _, name := range row.Names {
			whole := strings.HasPrefix(low, name) && (len(low) == len(name) || !Continues(low, len(name)))
			if whole && len(name) > length {
				p, length = row, len(name)
			}
		}
	}
	return p, length
}

// Continues reports whether a name continues at index i of a text.
func Continues(text string, i int) bool {
	c := text[i]
	if slices.Contains([]byte(".-"), c) {
		return i+1 < len(text) && Continues(text, i+1) // not at the end of a sentence
	}
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// OfFile returns the program with an executable of this name; ok is false if there is
// none.
func OfFile(name string) (p Program, ok bool) {
	i := slices.IndexFunc(all(), func(p Program) bool { return slices.Contains(p.Files, name) })
	if i < 0 {
		return Program{}, false
	}
	return all()[i], true
}

// IsNamed reports whether a text contains one of the program's names or executables.
func (p Program) IsNamed(text string) bool {
	text = strings.ToLower(text)
	for _, name := range slices.Concat(p.Names, p.Files) {
		for from := 0; ; {
			n := strings.Index(text[from:], name)
			if n < 0 {
				break
			}
			from += n
			inWord := from > 0 && Continues(text, from-1)
			continues := from+len(name) < len(text) && Continues(text, from+len(name))
			if !inWord && !continues {
				return true
			}
			from += len(name)
		}
	}
	return false
}
