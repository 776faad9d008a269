package spec

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// insideText fails unless a stretch lies in a text and is not turned around.
func insideText(t *testing.T, src []byte, start, end int) {
	t.Helper()
	if start < 0 || end < start || end > len(src) {
		t.Fatalf("bytes %d to %d lie outside a text of %d", start, end, len(src))
	}
}

// FuzzHidden: every stretch lies inside, none overlaps the one before, each
// consists of whole characters, no plain character is reported, and the fast
// search misses nothing that a slow one sees.
func FuzzHidden(f *testing.F) {
	for _, s := range []string{
		"a" + tags("hide") + "b", "🏴" + tags("gbsct") + "\U000E007F", selectors("hide"), "שלום \u2067x\u2069\n\u202Ex", "a\u200B\u200Cb\uFEFF", "می\u200Cخ", "👨\u200D👩",
		"\xe2\x80", "\xf3\xa0", "\xd8\x9c\xe1\xa0\x8e\xe3\x85\xa4\xef\xbe\xa0", strings.Repeat("\u200B\u200C", 40),
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, src []byte, code bool) {
		last := 0
		got := findHidden(src, code)
		for _, h := range got {
			insideText(t, src, h.start, h.end)
			if h.start < last || h.start == h.end {
				t.Fatalf("%v after %d", h, last)
			}
			last = h.end
			for _, r := range string(src[h.start:h.end]) {
				if r < 0x80 || r == utf8.RuneError {
					t.Fatalf("%U is reported", r)
				}
			}
			if p := h.payload(src); !utf8.ValidString(p) {
				t.Fatalf("payload %q", p)
			}
		}
		if again := findHidden(src, code); !reflect.DeepEqual(got, again) {
			t.Fatal("twice is not the same")
		}
		if i := bytes.IndexFunc(src, func(r rune) bool { return isTag(r) || isBidiControl(r) || isBidiMark(r) || isZeroWidth(r) }); i >= 0 {
			if n := nextSuspicious(src, 0); n > i {
				t.Fatalf("the character at %d was passed over", i)
			}
		}
	})
}

// FuzzSecrets: every key lies inside, starts with what is shown of it, and no
// message can repeat the rest. Those are found that are found where every byte
// is looked at.
func FuzzSecrets(f *testing.F) {
	for _, key := range newChance(1).keys() {
		f.Add([]byte("x=" + key + "\n"))
		f.Add([]byte("words before it " + key + " and behind"))
	}
	f.Add([]byte("-----BEGIN PRIVATE KEY-----\nMAAA\n-----END PRIVATE KEY-----"))
	f.Add([]byte("-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA\\n-----END RSA PRIVATE KEY-----"))
	f.Fuzz(func(t *testing.T, src []byte) {
		last := 0
		for _, s := range findSecrets(src) {
			insideText(t, src, s.start, s.end)
			if s.start < last || s.shown > s.end-s.start {
				t.Fatalf("%+v after %d", s, last)
			}
			last = s.end
		}
		placeholderKey(src, src)
		wholeKey(src)
		all := keyScan{table: keys(), src: src, most: maxSecrets}
		all.stretch(0, len(src))
		for _, s := range all.out {
			if !slices.Contains(findSecrets(src), s) {
				t.Fatalf("%+v is not found", s)
			}
		}
	})
}

// FuzzEvals: findings lie inside the file, and the parser's places are those
// of its values.
func FuzzEvals(f *testing.F) {
	for _, s := range []string{
		`{"skill_name": "my-skill", "evals": [{"id": 1, "prompt": "x", "files": ["a"], "assertions": ["b"]}]}`,
		`[{"query": 1}]`, `{"a": [1, "é\n", null, true, {"b": -1.5e3}]}`, "{\n\"a\": 1,\n}", "\uFEFF{}", `{"evals": [{"id": "x"}, {}]}`, "", "[", "'", "{} }", "\"䵵",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if at, message, _, ok := jsonFault(src); !ok {
			insideText(t, src, at, at)
			if message == "" {
				t.Fatal("a fault without a message")
			}
		} else if n := parseJSON(src); n != nil {
			inOrder(t, src, n)
		}
		d := bodyWith("", map[string]string{evalsFile: string(src)})
		for _, x := range Check(d, Options{Levels: map[string]Level{"secret": Off, "hidden-text": Off, "home-path": Off}}) {
			if x.Rule == "evals-format" {
				insideLines(t, src, x.Span)
			}
		}
	})
}

func inOrder(t *testing.T, src []byte, n *jsonNode) {
	t.Helper()
	insideText(t, src, n.start, n.end)
	first := map[jsonKind]string{jsonNull: "n", jsonBool: "tf", jsonNumber: "-0123456789", jsonString: `"`, jsonArray: "[", jsonObject: "{"}[n.kind]
	if strings.IndexByte(first, src[n.start]) < 0 {
		t.Fatalf("%s starts with %q", n.kind, src[n.start])
	}
	for _, c := range n.items {
		inOrder(t, src, c)
	}
	for _, c := range n.fields {
		inOrder(t, src, c.value)
	}
}

func insideLines(t *testing.T, src []byte, s Span) {
	t.Helper()
	x := indexLines(src)
	for _, p := range []Pos{s.Start, s.End} {
		if p.Line < 1 || p.Line > len(x.starts) || p.Column < 1 || p.Column > utf8.RuneCount(x.src[x.starts[p.Line-1]:])+1 {
			t.Fatalf("%v lies outside", p)
		}
	}
}

// FuzzPrompts: stripping keeps every byte in its place, and what is found lies
// in what is left.
func FuzzPrompts(f *testing.F) {
	for _, s := range []string{
		"input('x')", "read -p 'x' a\ncat <<EOF\nread\nEOF", "rl.question(`${prompt('x')}`) // readline", "Read-Host @'\n'@ <# #>", "gets.chomp <<~A\nA\n=begin\n=end",
		"\\", "'", "\"\\", "<<", "<<-", "`${", "/[/", "$'\\''", "#!/usr/bin/env deno\nprompt(", "import 'prompts'\nprompts(",
		"f\"{input('x')} {{\" rf'''{a:{b}'''", "set /p \"x=y\"\r\nif \"\"==\"\" pause & choice /c yn", "print \"x \"; $x = <STDIN>;\n=pod\n=cut",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, language := range []string{"python", "shell", "javascript", "powershell", "ruby", "perl", "batch", ""} {
			code := stripped(language, src)
			if len(code) != len(src) {
				t.Fatalf("%s: %d bytes became %d", language, len(src), len(code))
			}
			for i := range code {
				if code[i] != src[i] && code[i] != ' ' {
					t.Fatalf("%s: byte %d became %q", language, i, code[i])
				}
			}
			for _, p := range findPrompts(language, src) {
				insideText(t, src, p.start, p.end)
			}
		}
		scriptLanguage("x", src)
		findHomes(src)
		for _, words := range new(splitter).split(string(src), 3) {
			for _, w := range words {
				insideText(t, src, w.start-3, w.end-3)
			}
		}
	})
}

// megabytes are texts of 1 MiB: ordinary ones, and some made to be slow.
func megabytes() map[string]string {
	c := newChance(9)
	out := map[string]string{
		"prose":       "The quick brown fox jumps over the lazy dog – and “again”, at 12:30.\n",
		"Japanese":    "これは日本語の文章です。検査の速さを測るためのものです。\n",
		"Persian":     "می\u200Cخواهم کتاب\u200Cها را\n",
		"program":     "def f(x):\n    # read the task's input\n    return {'a': x[\"b\"], \"sk-\": f'{x}'}\n",
		"base64":      c.text(76, alnum) + "\n",
		"one line":    c.text(76, alnum),
		"zero width":  "\u200B",
		"tags":        tags("a"),
		"controls":    "\u202Ea",
		"prefixes":    "sk-ant-sk-proj-xoxb-AKIAghp_AIza-----BEGIN ",
		"keys":        "ghp_" + c.text(36, alnum) + "\n",
		"PEM":         "-----BEGIN PRIVATE KEY-----\n",
		"quotes":      "'\"`\\",
		"slashes":     "(/[",
		"heredocs":    "<<A\n",
		"homes":       "/home/abc/x ",
		"backslashes": "\\ ",
		"pipes":       "a|b;`",
		"IFS":         "IFS= read ",
		"questions":   "readline.question(input(read -p",
		"hash":        "#",
	}
	for name, text := range out {
		out[name] = strings.Repeat(text, 1<<20/len(text)+1)[:1<<20]
	}
	return out
}

func BenchmarkScan(b *testing.B) {
	for name, text := range megabytes() {
		src := []byte(text)
		for scan, f := range map[string]func(){
			"hidden":  func() { findHidden(src, false) },
			"secrets": func() { findSecrets(src) },
			"homes":   func() { findHomes(src) },
			"python":  func() { findPrompts("python", src) },
			"shell":   func() { findPrompts("shell", src) },
			"js":      func() { findPrompts("javascript", src) },
			"command": func() { new(splitter).split(text, 0) },
		} {
			b.Run(fmt.Sprintf("%s/%s", scan, strings.ReplaceAll(name, " ", "-")), func(b *testing.B) {
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					f()
				}
			})
		}
	}
}
