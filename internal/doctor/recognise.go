package doctor

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// program is something that a compatibility field may name.
type program struct {
	names   []string // as people write it, lower case
	files   []string // its executables on PATH, alternatives
	install string   // what to do to get it
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
		p := program{names: strings.Split(names, ", "), files: strings.Fields(columns[1]), word: word}
		p.install = "install " + cmp.Or(strings.TrimSpace(columns[2]), p.names[0]+" (your package manager)")
		if len(p.files) == 0 {
			p.files = p.names[:1]
		}
		out = append(out, p)
	}
	return out
})

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

// Requirement is a program that a text says is needed.
type Requirement struct {
	Name    string   // as the text has it
	Choices []Choice // what to look for on PATH, alternatives
	Install string   // what to do if none is there
	Soft    bool     // optional, one of several, or not certain to be meant
}

// Choice is an executable that will do.
type Choice struct {
	File   string
	Wanted Specifier // the versions that will do; empty for any
}

// maxField is how much of a field is read: four times what the specification
// allows.
const maxField = 2000

// patterns are what the field's free text is read with.
var patterns = sync.OnceValue(func() (p struct {
	path, aside, python, later, sentence, item, denied, optional, or, language, version *regexp.Regexp
}) {
	p.path = regexp.MustCompile(`\S+://\S+|(^|\s)[~.]{0,2}/\S+`) // addresses and paths
	p.aside = regexp.MustCompile(`[(（][^()（）]*[)）]`)             // text in brackets
	p.python = regexp.MustCompile(`(?i)\bpython(\d\.\d+)`)       // a version grown together with the name
	p.later = regexp.MustCompile(`(?i)\s+(or|and)\s+(later|newer|higher|above|greater|up)\b`)
	p.sentence = regexp.MustCompile(`[.;!?]+(\s+|$)|[。；！？\n]|\s[–—]\s`)      // between sentences
	p.item = regexp.MustCompile(`,\s+|[，、]|\s+and\s+|\s+plus\s+|\s+[&+]\s+`) // between items of a list
	p.denied = regexp.MustCompile(`(?i)\b(no|not|without|never|install|installed with|instead of|rather than)\b|n't\b`)
	p.optional = regexp.MustCompile(`(?i)\b(optional|optionally|recommended|if|when|where|may|can|e\.g|such as|like|ideally|prefers?|preferably|any|via)\b`)
	p.or = regexp.MustCompile(`(?i)\bor\b|/`)
	p.language = regexp.MustCompile(`^\s+(project|package|code|skill|app)s?\b`) // after a name that means the language
	// Lowest versions only; "<4" and "==3.11" are not read.
	p.version = regexp.MustCompile("^`?\\s*(?:version|>=|=>|≥|~=|\\^|>|v)?\\s*v?(\\d+(?:\\.\\d+){0,2})")
	return p
})

// Recognise finds the programs of the table that a compatibility field names,
// each with the version right after its name. The field is free text: what is
// denied is no requirement; what is optional, in brackets or one of several is a
// soft one.
func Recognise(text string) []Requirement {
	p := patterns()
	text = strings.ToValidUTF8(text[:min(len(text), maxField)], "")
	text = p.python.ReplaceAllString(p.path.ReplaceAllString(text, " "), "Python $1")
	text = p.later.ReplaceAllString(text, "")
	var out []Requirement
	for _, sentence := range p.sentence.Split(p.aside.ReplaceAllString(text, " "), -1) {
		items := []string{sentence}
		if !strings.Contains(sentence, ", or ") {
			items = p.item.Split(sentence, -1)
		}
		for _, item := range items {
			out = join(out, inItem(item, false))
		}
	}
	for _, aside := range p.aside.FindAllString(text, -1) {
		out = join(out, inItem(aside, true))
	}
	return out
}

// inItem finds the programs that a list item names; several with "or" between
// them are one requirement.
func inItem(text string, soft bool) []Requirement {
	p := patterns()
	soft = soft || p.optional.MatchString(text)
	alternatives := len(p.or.FindAllString(text, -1)) + 1
	if cut := p.denied.FindStringIndex(text); cut != nil {
		text = text[:cut[0]]
	}
	var out []Requirement
	for i := 0; i < len(text); i++ {
		if i > 0 && (wordByte(text, i-1) || strings.IndexByte("-./:@$=", text[i-1]) >= 0) {
			continue
		}
		row, n := named(text[i:])
		if n == 0 {
			continue
		}
		name, rest := text[i:i+n], text[i+n:]
		wanted := versionAfter(rest)
		quoted := i > 0 && text[i-1] == '`'
		if (!row.word || quoted || len(wanted) > 0) && !p.language.MatchString(rest) {
			r := Requirement{Name: name, Install: row.install}
			for _, file := range row.files {
				r.Choices = append(r.Choices, Choice{file, wanted})
			}
			out = append(out, r)
		}
		i += n - 1
	}
	for i := range out {
		out[i].Soft = soft || alternatives > 1 && alternatives != len(out)
	}
	if alternatives > 1 && len(out) > 1 {
		for _, r := range out[1:] {
			out[0].Name += " or " + r.Name
			out[0].Install += ", or " + r.Install
			out[0].Choices = append(out[0].Choices, r.Choices...)
		}
		out = out[:1]
	}
	return out
}

// versionAfter reads a lowest version right after a name: "3.10+", ">= 18", "v20".
func versionAfter(text string) Specifier {
	if found := patterns().version.FindStringSubmatch(text); found != nil {
		return Specifier{{op: ">=", version: found[1]}}
	}
	return nil
}

// join adds requirements. One for a program that is required already adds its
// version, and certainty.
func join(all, more []Requirement) []Requirement {
	sameFile := func(a, b Choice) bool { return a.File == b.File }
	for _, r := range more {
		i := slices.IndexFunc(all, func(a Requirement) bool { return slices.EqualFunc(a.Choices, r.Choices, sameFile) })
		if i < 0 {
			all = append(all, r)
			continue
		}
		all[i].Soft = all[i].Soft && r.Soft
		if len(all[i].Choices[0].Wanted) == 0 {
			all[i].Choices = r.Choices
		}
	}
	return all
}
