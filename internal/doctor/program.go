package doctor

import (
	"slices"
	"strings"
	"sync"
)

// program is something that a compatibility field may name.
type program struct {
	names   []string // as people write it, lower case
	files   []string // its executables on PATH, alternatives
	install string   // where to get it; "" for the package manager
	word    bool     // an ordinary word or a company too: only in code or with a version
}

// programs is the table, rows separated by semicolons or lines: the names of a
// program, its executables if they differ from the first name, and where to get
// it. A name with "?" is an ordinary word too.
var programs = sync.OnceValue(func() []program {
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
	var out []program
	for row := range strings.FieldsFuncSeq(table, func(r rune) bool { return r == ';' || r == '\n' }) {
		columns := append(strings.Split(row, "|"), "", "")
		names, word := strings.CutSuffix(strings.TrimSpace(columns[0]), "?")
		p := program{names: strings.Split(names, ", "), files: strings.Fields(columns[1]), install: strings.TrimSpace(columns[2]), word: word}
		if len(p.files) == 0 {
			p.files = p.names[:1]
		}
		out = append(out, p)
	}
	return out
})

// hint says how to install the program.
func (p program) hint() string {
	if p.install != "" {
		return "install " + p.install
	}
	return "install " + p.names[0] + " (your package manager)"
}

// named finds the program that a text begins with, by the longest of its names.
func named(text string) (p program, length int) {
	low := strings.ToLower(text)
	for _, row := range programs() {
		for _, name := range row.names {
			if len(name) > length && strings.HasPrefix(low, name) && (len(low) == len(name) || !wordByte(low, len(name))) {
				p, length = row, len(name)
			}
		}
	}
	return p, length
}

// wordByte reports whether a name continues at index i of a text.
func wordByte(text string, i int) bool {
	c := text[i]
	if slices.Contains([]byte(".-"), c) {
		return i+1 < len(text) && wordByte(text, i+1) // not at the end of a sentence
	}
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
