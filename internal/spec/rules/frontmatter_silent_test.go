package rules

import (
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

// front makes a document of fields, with a good name and description where
// none are given.
func front(lines string) *spec.Document {
	var b strings.Builder
	b.WriteString("---\n")
	if !strings.HasPrefix(lines, "name:") {
		b.WriteString("name: my-skill\n")
	}
	if !strings.Contains("\n"+lines, "\ndescription:") {
		b.WriteString("description: Does a thing. Use when testing.\n")
	}
	return parse(b.String() + lines + "\n---\n# Body\n")
}

// TestFrontmatterSilence lists what may look wrong to these rules, and is
// right.
func TestFrontmatterSilence(t *testing.T) {
	for _, lines := range []string{
		// scalar-quoting
		"license: MIT", "license: 0BSD", "license: Apache-2.0", "license: MIT OR Apache-2.0",
		"license: Proprietary. LICENSE.txt has complete terms", "license:", "compatibility:",
		"compatibility: Requires Python 3.11+ and network access", "compatibility: \"1.10\"", "compatibility: '3'",
		"metadata:\n  version: 1.0.0", "metadata:\n  version: v1.10", "metadata:\n  version: \"1.10\"", "metadata:\n  version: '2'",
		"metadata:\n  version: 2024.01.01", "metadata:\n  month: 2024-01", "metadata:\n  range: 1-2", "metadata:\n  hash: 1e4f5a",
		"metadata:\n  phone: 01:30", "metadata:\n  time: 3:61", "metadata:\n  size: 10MB", "metadata:\n  percent: 10%",
		"metadata:\n  answer: yeah", "metadata:\n  answer: None", "metadata:\n  answer: online", "metadata:\n  author: Y. Nobody",
		"metadata:\n  internal: true", "metadata:\n  blank: \"\"", "metadata:\n  long: |\n    1.0",
		"metadata:\n  on-call: someone", "metadata:\n  \"1\": one", "metadata:\n  v1: one", "metadata:\n  nothing: none",
		"metadata:\n  category: on and off", "metadata:\n  t: 12:30:45.5 h", "metadata:\n  t: 1:2.3.4",
		"metadata:\n  op: ==", "metadata:\n  d: \"2024-02-30\"", "metadata:\n  d: 2024-02-30 or so", "metadata:\n  d: +-1:30",
		// yaml-portability
		"# a comment\nlicense: MIT # of the code", "license: \"MIT\"", "\nlicense: MIT", "metadata:\n    author: me",
		"license: a -- b", "license: A — B", "compatibility: R&D *and* tests!", "compatibility: \"[a, b] {c} &d *e !f\"",
		"compatibility: \"tab\\there\"", "compatibility: say \"hi\" to [them]", "compatibility: a - b -- c",
		"compatibility: >-\n  Several lines\n  of text", "compatibility: |\n  Several lines\n\n  of text", "compatibility: several\n  lines",
		"description: Use when testing. # a comment", "description: Use when testing # of the code", "description: Use when testing # TODO: say more.",
		"description: Use when testing #todo say more.", "description: Use when testing #TODO(me): shorten", "description: Use when testing #region meta", "description: Use when testing #yaml-lint disable-line", "description: Use when testing # e.g. go test.", "description: Use when testing # note: keep in sync.", "description: Use when testing. ### end", "description: Use when testing #-- end --",
		"description: Use when testing C#, F# and a#b.", "description: \"Use when #12 is named\" #1", "description: >-\n  Use when\n  #12 is named",
		"license: MIT #1", "compatibility: git # and nothing else", "description: Use when\n  testing. # a comment",
		"compatibility: >\n  tab\there", "compatibility: 'tab\there'",
		// name-portability
		"name: my-skill", "name: \"my-skill\"", "name: 'my-skill'",
		// description-portability
		"description: Turns a -> b, b <- a and a <-> c around. Use when x < y or y > x.",
		"description: Use when i <3 u, if n<10 or 5>3, for 1<2 and 3>2.",
		"description: Use when a <= b and b >= a, a << b, b >> a.",
		"description: Use when naïve café façade “quotes” — dashes… 🚀",
		"description: Use when " + strings.Repeat("技", 200),
		"description: 用于", "description: 🚀", "description: é", "description: ?",
		"description: Use when " + strings.Repeat("sentences ", 101),
		"description: |\n  Use when testing.\n\n",
		"description: Use when a file is < 1 MB (a < b).",
		"description: \"  Use when testing.  \"",
		// allowed-tools-format
		"allowed-tools: Read", "allowed-tools: Read Grep Glob", "allowed-tools: Bash(git:*) Bash(jq:*) Read",
		"allowed-tools: Bash(git add *) Bash(git commit *)", "allowed-tools: Bash(a, b) Read", "allowed-tools: \"*\"",
		"allowed-tools: Bash(f(x):*) Read", "allowed-tools: mcp__server__tool Read", "allowed-tools: >-\n  Read\n  Grep",
		"allowed-tools: 'Bash(npm run test:*)'", "allowed-tools: \"Read  Grep\"",
		// description-when
		"description: Liest Texte aus Dateien und schreibt Tabellen.", "description: Extrait le texte des fichiers.", "description: Извлекает текст из файлов.", "description: テキストを翻訳する",
		"description: 텍스트를 번역합니다", "description: Extrae el texto de los archivos.", "description: Estrae il testo dei documenti con tabelle.",
		"description: Extracts text. Use when a task names a PDF.", "description: This skill should be used to make a release.",
		"description: For users who mention invoices, receipts or bills.", "description: Before a release, checks the change log.",
		"description: Toolkit for styling slides, useful with brand colours.", "description: Trigger on questions about taxes.",
		"description: Fasst Berichte zusammen, wenn ein PDF genannt wird.", "description: Résume les contrats lorsque l'on cite un PDF.",
		"description: Extrae texto de un PDF cuando se pide.", "description: Extrai texto de um PDF quando pedido.",
		"description: Estrae il testo da un PDF quando serve.", "description: Vat een tekst samen wanneer het om een PDF gaat.",
		"description: Wyciąga tekst z plików PDF, gdy jest potrzebny.", "description: Dosyadan metin çıkarır ve PDF istendiğinde çalışır.",
		"description: Извлекает текст из PDF, когда он нужен.", "description: Витягує текст із PDF, якщо він потрібен.",
		"description: 提取文本。当用户提到 PDF 时使用。", "description: 用於處理 PDF 檔案的情況。", "description: PDFからテキストを取り出す。PDFを扱うときに使用する。",
		"description: PDF에서 텍스트를 추출합니다. PDF를 다룰 때 사용하세요.", "description: يستخرج النص من ملف عندما يطلب المستخدم ذلك.",
		"description: מחלץ טקסט מקובץ כאשר מבקשים.", "description: दस्तावेज़ से पाठ निकालता है, जब पीडीएफ का नाम हो।",
		"description: Trích văn bản từ tệp khi người dùng nhắc đến PDF.", "description: Mengambil teks dari berkas ketika PDF disebut.",
		"description: ดึงข้อความจากไฟล์เมื่อผู้ใช้พูดถึง PDF", "description: Hämtar text från en fil när en PDF nämns.",
		"description: Získá text z PDF, když je potřeba.", "description: Εξάγει κείμενο όταν ζητηθεί.",
		"description: Testua ateratzen du fitxategitik.", // Basque: not known, so nothing is reported
		"description: Extreu text de fitxers PDF.", "description: Extrae texto.", "description: Crea archivos.", "description: Formata codice.",
		"description: Genereert commits.", "description: Erstellt Dateien.", "description: Formats PDF et DOCX.", "description: Create file PDF.",
		"description: Formats vidéo.", "description: Send filer.", "description: Izvlači tekst.", "description: Loob faile.", "description: Kuria failus.",
		"description: Hujambo dunia.", "description: Verwerkt tekst.", "description: Writes skaper filer på disk.", "description: Reviews de código.",
		"description: pytest ve mocking stratejileri.", "description: Guides PDF.", "description: Extracts text when a PDF is there.",
		"description: PDF", "description: Kubernetes.",
		"description: Formats code.\nwhen_to_use: Whenever code was written.",
		"description: Formats the code.\ndisable-model-invocation: true",
	} {
		doc := front(lines)
		for _, d := range Check(doc, spec.Options{Clients: []string{"claude-code"}}) {
			if d.Rule == "name-directory" || !slices.Contains(groupOf("findings_frontmatter.txtar"), Find(d.Rule)) {
				continue
			}
			t.Errorf("%q is reported: %s", lines, d)
		}
	}
}

// TestFrontmatterMore lists findings that the golden file does not show.
func TestFrontmatterMore(t *testing.T) {
	for _, tt := range []struct{ lines, rule, message string }{
		{"description: Extracts text.", "description-when", "does not say when"},
		{"description: Creates files.", "description-when", "does not say when"},
		{"description: Formats code.", "description-when", "does not say when"},
		{"description: Generates a commit message.", "description-when", "does not say when"},
		{"description: Converts tokens that the parse of a file has taken.", "description-when", "does not say when"},
		{"description: Lists the broken parts of a universe.", "description-when", "does not say when"},
		{"description: Knows about users.", "description-when", "does not say when"},
		{"description: \"**Writes** tests.\"", "description-when", "does not say when"},
		{"description: Everything about users.", "description-when", "does not say when"},
		{"description: 翻译古典诗词", "description-when", "does not say when"},
		{"name: com1", "name-portability", "device name"},
		{"name: lpt9", "name-portability", "device name"},
		{"name: αβγ-δ", "name-portability", "a-z, 0-9"},
		{"name: pαy", "name-portability", "a-z, 0-9"},
		{`description: "\u200b\u200b"`, "description-portability", "only invisible characters"},
		{`description: "\u3164 \u2800\ufe0f\u2060"`, "description-portability", "only invisible characters"},
		{"description: Use when </x> is met.", "description-portability", `"</x>"`},
		{"description: Use when <!-- x --> is met.", "description-portability", "looks like a tag"},
		{"description: Use when List<String> is met.", "description-portability", `"<String>"`},
		{"description: Use when " + strings.Repeat("技", 400), "description-portability", "409 characters, but 1209 bytes: clients that count those (Crush, Google ADK"},
		{"description: Use when " + strings.Repeat("🚀", 600), "description-portability", "609 characters, but 1209 UTF-16 units and 2409 bytes: clients that count those (pi, Crush"},
		{"description: |\n  Use when " + strings.Repeat("x", 1015), "description-portability", "1025 characters with the white space"},
		{"description: \"Use when " + strings.Repeat("x", 1000) + strings.Repeat(" ", 20) + "\"", "description-portability", "1029 characters with the white space"},
		{"description: Use when " + strings.Repeat("有人问到天气和旅行", 40), "catalogue-cost", "in every request"},
		{"license: 2.0", "scalar-quoting", "the number 2"},
		{"license: 1e3", "scalar-quoting", "the number 1000"},
		{"license: 0o17", "scalar-quoting", "the number 15"},
		{"license: NULL", "scalar-quoting", "nothing"},
		{"license: -1:30", "scalar-quoting", "a number in base 60"},
		{"license: =", "scalar-quoting", "the sign of a default value, and fail"},
		{"license: <<", "scalar-quoting", "the sign of a merge, and fail"},
		{"metadata:\n  d: 2024-02-30", "scalar-quoting", "a date that does not exist"},
		{"metadata:\n  d: 2024-13-45", "scalar-quoting", "a date that does not exist"},
		{"metadata:\n  d: 2024-02-30 10:00:00 +1", "scalar-quoting", "a date that does not exist"},
		{"metadata:\n  t: 12:30:45.5", "scalar-quoting", "a number in base 60"},
		{"metadata:\n  t: -0:30.50", "scalar-quoting", "a number in base 60"},
		{"metadata:\n  n: 123456789012345678901234567890", "scalar-quoting", "a number"},
		{"metadata:\n  a: !!str 1", "yaml-portability", "tags (!name)"},
		{"allowed-tools: (Read", "allowed-tools-format", "unclosed"},
		{"description: Handles issue #12 and more. Use when asked", "yaml-portability", `cuts off the value of "description": "#12 and more. Use when asked" is lost`},
		{"description: Uses #hashtag. Use when asked", "yaml-portability", `"#hashtag. Use when asked" is lost`},
		{"description: Use when #1 priority", "yaml-portability", "cuts"},
		{"description: Use when\n  asked for #1 priority", "yaml-portability", "cuts"},
		{"compatibility: Needs #!/bin/sh and issue #12.", "yaml-portability", "cuts"},
		{"description: 用于问题 #12。", "yaml-portability", "cuts"},
		{"description: Formats the code.\ndisable-model-invocation: false", "description-when", "does not say when"},
		{"description: #1 tool. Use when asked", "description-required", `" #" starts a comment`},
	} {
		var got []string
		found := false
		for _, d := range Check(front(tt.lines), spec.Options{}) {
			got = append(got, d.String())
			found = found || d.Rule == tt.rule && strings.Contains(d.Message, tt.message)
		}
		if !found {
			t.Errorf("%q: got %q, want %s with %q", tt.lines, got, tt.rule, tt.message)
		}
	}
}

// TestFrontmatterHelp verifies that following the help fixes the finding.
func TestFrontmatterHelp(t *testing.T) {
	for _, tt := range []struct{ lines, rule, help string }{
		{"agents: [a, b]", "field-unknown", "put it under metadata, as text, or delete it; the fields are allowed-tools, compatibility, description, license, metadata and name"},
		{"agents: a", "field-unknown", "did you mean agent? Otherwise put it under metadata"},
		{"hook:\n  Stop: []", "field-unknown", "did you mean hooks? Otherwise put it under metadata"},
		{"allowedTools: [Read]", "field-unknown", "did you mean allowed-tools? Otherwise put it under metadata"},
		{"allowed-tools: [1, {a: b}]", "allowed-tools-format", "write the tools as text with spaces between them: allowed-tools: Read Grep"},
		{"allowed-tools: [Read, ~]", "allowed-tools-format", "write allowed-tools: Read ~"},
		{"allowed-tools: [Read, \"\"]", "allowed-tools-format", "write the tools as text with spaces between them: allowed-tools: Read Grep"},
	} {
		found := Check(front(tt.lines), spec.Options{})
		i := slices.IndexFunc(found, func(d spec.Diagnostic) bool { return d.Rule == tt.rule })
		if i < 0 || found[i].Help != tt.help {
			t.Errorf("%q: got %v, want the help %q of %s", tt.lines, found, tt.help, tt.rule)
		}
	}
}

// TestClientForms verifies that --client accepts the forms that the client's documentation
// allows, and to no others.
func TestClientForms(t *testing.T) {
	for _, tt := range []struct {
		lines, client, want string
	}{
		{"allowed-tools: [Read, Grep]", "", "allowed-tools-format"},
		{"allowed-tools: [Read, Grep]", "claude-code", ""},
		{"allowed-tools: [Read, Grep]", "crush", "allowed-tools-format"},
		{"allowed-tools:\n  - Read", "claude-code", ""},
		{"allowed-tools: Read, Grep", "claude-code", ""},
		{"allowed-tools: Read, Grep", "pi", "allowed-tools-format"},
		{"allowed-tools: Read(", "claude-code", "allowed-tools-format"},
		{"allowed-tools:\n  a: b", "claude-code", "allowed-tools-format"},
		{"description: Use when <x> is met.", "claude-code", "description-portability"},
		{"argument-hint: [file]", "", "field-client"},
		{"argument-hint: [file]", "claude-code", ""},
		{"paths: &p [a, b]", "claude-code", ""},
	} {
		var got []string
		for _, d := range Check(front(tt.lines), spec.Options{Clients: []string{tt.client}}) {
			got = append(got, d.Rule)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q with --client %q: got %q, want %q", tt.lines, tt.client, got, tt.want)
		}
	}
}

// TestPositionsInMultilineValues verifies that findings inside values of several lines
// point at the faulty text.
func TestPositionsInMultilineValues(t *testing.T) {
	for _, tt := range []struct {
		lines, rule string
		at          spec.Pos // of the file
	}{
		{"name: my-skill\ndescription: >-\n  Use when\n  it is <b>", "description-portability", spec.Pos{Line: 5, Column: 9}},
		{"name: my-skill\ndescription: Use when asked\n  and so <b> x", "description-portability", spec.Pos{Line: 4, Column: 10}},
		{"name: my-skill\ndescription: |\n\n  Use when\n\n   it is <b>", "description-portability", spec.Pos{Line: 7, Column: 10}},
		{"name: my-skill\ndescription: \"Use \\\"when\\\"\n  <b>\"", "description-portability", spec.Pos{Line: 4, Column: 3}},
		{"name: my-skill\nallowed-tools: |\n  Read\n  Bash(git", "allowed-tools-format", spec.Pos{Line: 6, Column: 7}},
		{"name: >-\n  foo_bar\ndescription: Use when", "name-characters", spec.Pos{Line: 3, Column: 6}},
		{"name: >-\n  Foo_Bar\ndescription: Use when", "name-lowercase", spec.Pos{Line: 3, Column: 3}},
		{"name: a--b\ndescription: Use when", "name-hyphens", spec.Pos{Line: 2, Column: 8}},
		{"name: y1-\ndescription: Use when", "name-hyphens", spec.Pos{Line: 2, Column: 9}},
		{"name: \"--y1\"\ndescription: Use when", "name-hyphens", spec.Pos{Line: 2, Column: 8}},
	} {
		found := false
		for _, d := range Check(front(tt.lines), spec.Options{}) {
			if d.Rule == tt.rule && d.Span.Start == tt.at {
				found = true
			} else if d.Rule == tt.rule {
				t.Errorf("%q: %s is at %v, want %v", tt.lines, d.Rule, d.Span.Start, tt.at)
			}
		}
		if !found {
			t.Errorf("%q: no %s at %v", tt.lines, tt.rule, tt.at)
		}
	}
}
