package doctor

import (
	"strings"
	"sync"
)

// program is something that a compatibility field may name.
type program struct {
	names   []string // as people write it, lower case
	files   []string // as it stands on the search path, alternatives; empty: the names
	install string   // what to do where none is there; empty: the package manager
	word    bool     // an ordinary word, too: only where it stands alone, in code or with a version
	exact   bool     // in capitals it is something else
}

// programs is the table, made when first needed; a new program is a new row.
var programs = sync.OnceValue(func() []program {
	return []program{
		{names: []string{"python3", "python"}, files: []string{"python3", "python"}, install: "install Python 3 (python.org, or your package manager)"},
		{names: []string{"uv", "uvx"}, install: "install uv (docs.astral.sh/uv)"},
		{names: []string{"pip", "pip3"}, files: []string{"pip3", "pip"}},
		{names: []string{"pipx"}}, {names: []string{"poetry"}}, {names: []string{"pdm"}}, {names: []string{"conda"}},
		{names: []string{"node.js", "nodejs", "node"}, files: []string{"node"}, install: "install Node.js (nodejs.org, or your package manager)"},
		{names: []string{"npm"}, install: "install Node.js, which brings it (nodejs.org)"},
		{names: []string{"npx"}, install: "install Node.js, which brings it (nodejs.org)"},
		{names: []string{"pnpm"}, install: "install pnpm (pnpm.io)"}, {names: []string{"yarn"}, install: "install Yarn (yarnpkg.com)"},
		{names: []string{"bun"}, install: "install Bun (bun.sh)"}, {names: []string{"deno"}, install: "install Deno (deno.com)"},
		{names: []string{"git"}}, {names: []string{"git-lfs"}}, {names: []string{"github cli", "gh"}, files: []string{"gh"}, install: "install the GitHub CLI (cli.github.com)"},
		{names: []string{"gitlab cli", "glab"}, files: []string{"glab"}, install: "install the GitLab CLI (gitlab.com/gitlab-org/cli)"},
		{names: []string{"docker"}, install: "install Docker (docs.docker.com/get-docker)"}, {names: []string{"podman"}},
		{names: []string{"docker-compose"}}, {names: []string{"kubectl"}, install: "install kubectl (kubernetes.io/docs/tasks/tools)"},
		{names: []string{"helm"}, word: true}, {names: []string{"terraform"}}, {names: []string{"ansible"}},
		{names: []string{"aws cli", "aws-cli", "awscli"}, files: []string{"aws"}, install: "install the AWS CLI (aws.amazon.com/cli)"},
		{names: []string{"aws"}, install: "install the AWS CLI (aws.amazon.com/cli)", word: true, exact: true},
		{names: []string{"az"}, install: "install the Azure CLI (learn.microsoft.com/cli/azure)", word: true, exact: true},
		{names: []string{"google cloud cli", "google cloud sdk", "gcloud"}, files: []string{"gcloud"}, install: "install the Google Cloud CLI (cloud.google.com/sdk)"},
		{names: []string{"azure cli"}, files: []string{"az"}, install: "install the Azure CLI (learn.microsoft.com/cli/azure)"},
		{names: []string{"stripe cli"}, files: []string{"stripe"}}, {names: []string{"vercel cli"}, files: []string{"vercel"}},
		{names: []string{"supabase cli"}, files: []string{"supabase"}}, {names: []string{"heroku cli"}, files: []string{"heroku"}},
		{names: []string{"firebase cli"}, files: []string{"firebase"}}, {names: []string{"1password cli"}, files: []string{"op"}},
		{names: []string{"jq"}}, {names: []string{"yq"}}, {names: []string{"ripgrep", "rg"}, files: []string{"rg"}, install: "install ripgrep (your package manager)"},
		{names: []string{"fzf"}}, {names: []string{"curl"}}, {names: []string{"wget"}}, {names: []string{"rsync"}}, {names: []string{"unzip"}},
		{names: []string{"openssh", "ssh"}, files: []string{"ssh"}, install: "install OpenSSH (your package manager)"},
		{names: []string{"openssl"}}, {names: []string{"gnupg", "gpg"}, files: []string{"gpg"}, install: "install GnuPG (your package manager)"},
		{names: []string{"ffmpeg"}}, {names: []string{"ffprobe"}, install: "install FFmpeg, which brings it (your package manager)"},
		{names: []string{"imagemagick"}, files: []string{"magick", "convert"}, install: "install ImageMagick (your package manager)"},
		{names: []string{"exiftool"}}, {names: []string{"pandoc"}}, {names: []string{"tesseract"}},
		{names: []string{"poppler", "poppler-utils", "pdftotext"}, files: []string{"pdftotext"}, install: "install poppler (poppler-utils in most package managers)"},
		{names: []string{"pdftoppm"}, install: "install poppler (poppler-utils in most package managers)"}, {names: []string{"qpdf"}}, {names: []string{"ghostscript"}, files: []string{"gs"}},
		{names: []string{"libreoffice", "soffice"}, files: []string{"soffice", "libreoffice"}, install: "install LibreOffice (libreoffice.org)"},
		{names: []string{"graphviz"}, files: []string{"dot"}, install: "install Graphviz (your package manager)"},
		{names: []string{"latex", "pdflatex"}, files: []string{"pdflatex"}, install: "install TeX Live (tug.org/texlive)"}, {names: []string{"xelatex"}, install: "install TeX Live (tug.org/texlive)"},
		{names: []string{"sqlite3", "sqlite"}, files: []string{"sqlite3"}}, {names: []string{"psql"}}, {names: []string{"redis-cli"}},
		{names: []string{"make"}, word: true}, {names: []string{"cmake"}}, {names: []string{"gcc"}}, {names: []string{"clang"}},
		{names: []string{"golang", "go"}, files: []string{"go"}, install: "install Go (go.dev)", word: true},
		{names: []string{"cargo"}, install: "install Rust (rustup.rs)"}, {names: []string{"rustc", "rust"}, files: []string{"rustc"}, install: "install Rust (rustup.rs)", word: true},
		{names: []string{"java"}}, {names: []string{"maven", "mvn"}, files: []string{"mvn"}}, {names: []string{"gradle"}},
		{names: []string{"ruby"}}, {names: []string{"perl"}}, {names: []string{"php"}}, {names: []string{"composer"}, word: true},
		{names: []string{".net sdk", "dotnet", ".net"}, files: []string{"dotnet"}, install: "install the .NET SDK (dot.net)"},
		{names: []string{"powershell", "pwsh"}, files: []string{"pwsh"}, install: "install PowerShell 7 (github.com/PowerShell/PowerShell)"},
		{names: []string{"bash"}}, {names: []string{"zsh"}}, {names: []string{"posix shell"}, files: []string{"sh"}}, {names: []string{"tmux"}},
	}
})

// fix says what to do where the program is not there.
func (p program) fix() string {
	if p.install != "" {
		return p.install
	}
	return "install " + p.names[0] + " (your package manager)"
}

// onPath are the names under which it may be there.
func (p program) onPath() []string {
	if len(p.files) > 0 {
		return p.files
	}
	return p.names[:1]
}

// named finds the program that a text begins with, by the longest of its names.
func named(text string) (p program, length int) {
	low := strings.ToLower(text)
	for _, row := range programs() {
		for _, name := range row.names {
			if len(name) > length && strings.HasPrefix(low, name) && (!row.exact || strings.HasPrefix(text, name)) && (len(low) == len(name) || !wordByte(low, len(name))) {
				p, length = row, len(name)
			}
		}
	}
	return p, length
}

// wordByte reports whether a name goes on at a place of a text.
func wordByte(text string, i int) bool {
	c := text[i]
	if c == '.' || c == '-' {
		return i+1 < len(text) && wordByte(text, i+1) // the end of a sentence, or a longer name
	}
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
