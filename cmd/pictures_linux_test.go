package cmd

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/width"

	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// TestReadmePictures runs the program at a terminal with colours and compares what it
// shows with the pictures in docs. With -update the pictures are drawn again.
func TestReadmePictures(t *testing.T) {
	t.Parallel()
	if name := sandboxName(t); name != "bubblewrap" {
		t.Skipf("bubblewrap does not work here, and the pictures show it, not %s", name)
	}
	convert := func(id, value, factor string) openaitest.Call {
		return openaitest.Call{ID: id, Name: "run_skill_script", Arguments: `{"skillName":"unit-converter","scriptName":"scripts/convert.py","arguments":{"value":` + value + `,"factor":` + factor + `}}`}
	}
	todo := func(verb, arguments string) openaitest.Call {
		return openaitest.Call{ID: verb, Name: "todos_" + verb, Arguments: arguments}
	}
	usage := &openaitest.Usage{Input: 1400, Output: 60}

	drawPicture(t, picture{name: "validate", title: "skills validate", args: []string{"validate"},
		files: map[string]string{
			"skills/pdf-forms/SKILL.md":  "---\nname: pdf-forms\ndescription: Use when: asked\n---\n\nFill in the form.\n",
			"skills/translator/SKILL.md": "---\nname: translator\ndescription: 把中文古诗词译成英文。用户要求翻译诗词时使用。\nlicence: MIT\n---\n\n先说明意思，典故见[附录](典故.md)。\n",
		}})
	drawPicture(t, picture{name: "approval", title: "approval of a script", args: []string{"run", "Convert 26.2 miles to kilometers"},
		replies: []openaitest.Reply{
			{Calls: []openaitest.Call{convert("c1", "26.2", "1.60934")}, Usage: usage},
			{Text: "A marathon, 26.2 miles, is **42.16 km** long.", Usage: usage},
		},
		answers: []string{"y"}})
	drawPicture(t, picture{name: "run", title: "skills run", args: []string{"run", "--allow-script", "unit-converter/*", "26.2 and 13.1 miles in km?"},
		replies: []openaitest.Reply{
			{Calls: []openaitest.Call{todo("add", `{"todos":[{"title":"Convert 26.2 miles"},{"title":"Convert 13.1 miles"}]}`)}, Usage: usage},
			{Calls: []openaitest.Call{{ID: "c1", Name: "load_skill", Arguments: `{"skillName":"unit-converter"}`}}, Usage: usage},
			{Calls: []openaitest.Call{convert("c2", "26.2", "1.60934")}, Usage: usage},
			{Calls: []openaitest.Call{convert("c3", "13.1", "1.60934")}, Usage: usage},
			{Calls: []openaitest.Call{todo("complete", `{"items":[{"id":1,"reason":"42.16 km"},{"id":2,"reason":"21.08 km"}]}`)}, Usage: usage},
			{Text: "| race | miles | km |\n|---|---:|---:|\n| marathon | 26.2 | 42.16 |\n| half marathon | 13.1 | 21.08 |\n", Usage: usage},
		}})
}

// picture is a terminal to draw.
type picture struct {
	name, title string
	args        []string
	files       map[string]string  // created in the working folder
	replies     []openaitest.Reply // of the model
	answers     []string           // keys, each pressed at an approval prompt
}

func drawPicture(t *testing.T, p picture) {
	t.Helper()
	server := openaitest.New(t, p.replies...)
	c := startConsole(t, nil, func(cmd *exec.Cmd) {
		dir, err := os.MkdirTemp("", "p")
		must(t, err)
		t.Cleanup(func() { os.RemoveAll(dir) })
		if len(p.files) == 0 {
			must(t, os.CopyFS(dir, os.DirFS("../testdata")))
		}
		for name, text := range p.files {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
			makeFile(t, filepath.Join(dir, name), text)
		}
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "TERM=xterm-256color", "LANG=C.UTF-8", "OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=sk-test"}
	}, "skills", p.args...)
	for i, key := range p.answers {
		c.until("tells the model why", i+1)
		c.kind(key)
	}
	if _, code := c.end(); code != exitFine && len(p.replies) > 0 {
		t.Errorf("%s: exit code %d", p.name, code)
	}
	shown := strings.NewReplacer(c.cmd.Dir, "/home/me/project", server.URL, "https://api.openai.com/v1").Replace(c.written())
	// Times differ from run to run, also in width, to which the facts are aligned.
	shown = regexp.MustCompile(` *(\x1b\[[0-9;]*m)?exit 0 · (?:\d+ ms|\d+\.\d s)`).ReplaceAllStringFunc(shown, func(facts string) string {
		at := strings.Index(facts, "exit")
		style := strings.TrimLeft(facts[:at], " ")
		blanks := at - len(style) + utf8.RuneCountInString(facts[at:]) - utf8.RuneCountInString("exit 0 · 40 ms")
		return strings.Repeat(" ", blanks) + style + "exit 0 · 40 ms"
	})
	shown = regexp.MustCompile(`tokens · (\d+ ms|\d+\.\d s)`).ReplaceAllString(shown, "tokens · 6.4 s")
	command := "$ skills"
	for _, arg := range p.args {
		if strings.ContainsAny(arg, " *") {
			arg = `"` + arg + `"`
		}
		command += " " + arg
	}
	page := filepath.Join("..", "docs", p.name+".svg")
	text, err := os.ReadFile(page)
	if err != nil && !filetest.Update() {
		t.Fatal(err)
	}
	got := svg(p.title, cells("\x1b[1m"+command+"\x1b[0m\r\n"+shown))
	switch {
	case got == string(text):
	case filetest.Update():
		must(t, os.WriteFile(page, []byte(got), 0o644))
	default:
		t.Errorf("%s does not show what the program prints; draw it again with: make pictures\n%s", page, firstDifference(string(text), got))
	}
}

// cell is one column of a line. The second column of a wide rune is empty.
type cell struct{ text, style string }

// cells is what a terminal shows after it has obeyed what was written: colours,
// carriage returns, the removal of what follows, and full lines. Hyperlinks are
// dropped.
func cells(written string) [][]cell {
	written = regexp.MustCompile("\x1b\\]8;[^\x1b]*\x1b\\\\").ReplaceAllString(written, "")
	sequence := regexp.MustCompile("^\x1b\\[[0-9;]*([A-Za-z])")
	var lines [][]cell
	var line []cell
	column, style := 0, ""
	put := func(c cell) {
		if column == columns {
			lines, line, column = append(lines, line), nil, 0
		}
		for len(line) <= column {
			line = append(line, cell{" ", ""})
		}
		line[column] = c
		column++
	}
	for written != "" {
		if m := sequence.FindStringSubmatch(written); m != nil {
			switch m[1] {
			case "m":
				style = restyle(style, m[0][2:len(m[0])-1])
			case "J", "K":
				line = line[:min(column, len(line))]
			}
			written = written[len(m[0]):]
			continue
		}
		r := []rune(written)[0]
		written = written[len(string(r)):]
		switch {
		case r == '\n':
			lines, line, column = append(lines, line), nil, 0
		case r == '\r':
			column = 0
		default:
			put(cell{string(r), style})
			if wide(cell{text: string(r)}) {
				put(cell{"", style})
			}
		}
	}
	return append(lines, line)
}

// restyle returns the CSS classes of a style after the parameters of an SGR
// sequence.
func restyle(style, parameters string) string {
	for p := range strings.SplitSeq(parameters, ";") {
		switch p {
		case "", "0":
			style = ""
		default:
			style = strings.TrimSpace(style + " s" + p)
		}
	}
	return style
}

const (
	cellWidth, lineHeight, margin = 8.4, 19, 20
	columns                       = 80
)

// svg draws lines with their own background, so that they are readable on light and
// dark pages. Each text has the width of its columns, for every font.
func svg(title string, lines [][]cell) string {
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	across, height := columns*cellWidth+2*margin, len(lines)*lineHeight+3*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %d" role="img">
<title>%s</title>
<style>
text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace; fill: #d6dae0 }
.s1 { font-weight: bold; fill: #ffffff }
.s2, .s90 { fill: #9aa3ad }
.s3 { font-style: italic }
.s4 { text-decoration: underline }
.s31, .s91 { fill: #ff7b72 }
.s32, .s92 { fill: #6fdd8b }
.s33, .s93 { fill: #e3b341 }
.s34, .s94 { fill: #79c0ff }
.s35, .s95 { fill: #d2a8ff }
.s36, .s96 { fill: #56d4dd }
</style>
<rect x="0.5" y="0.5" width="%g" height="%d" rx="8" fill="#1c2128" stroke="#6e7681"/>
<circle cx="20" cy="18" r="5" fill="#ff7b72"/><circle cx="38" cy="18" r="5" fill="#e3b341"/><circle cx="56" cy="18" r="5" fill="#6fdd8b"/>
`, across, height, html.EscapeString(title), across-1, height-1)
	for i, line := range lines {
		for start := 0; start < len(line); {
			// A word at a time, because not every reader keeps white space and widths.
			// Wide runes are often from another font: each has its own element.
			end, text := start+1, line[start].text
			for end < len(line) && text != " " && line[end].text != " " && line[end].style == line[start].style &&
				(line[end].text == "" || !wide(line[start]) && !wide(line[end])) {
				text += line[end].text
				end++
			}
			if text != " " {
				class := ""
				if line[start].style != "" {
					class = fmt.Sprintf(` class="%s"`, line[start].style)
				}
				fmt.Fprintf(&b, `<text x="%.1f" y="%d" textLength="%.1f"%s>%s</text>`+"\n",
					margin+float64(start)*cellWidth, 2*margin+i*lineHeight+margin/2, float64(end-start)*cellWidth, class, html.EscapeString(text))
			}
			start = end
		}
	}
	return b.String() + "</svg>\n"
}

// wide reports whether a column belongs to a rune of two.
func wide(c cell) bool {
	r, _ := utf8.DecodeRuneInString(c.text)
	kind := width.LookupRune(r).Kind()
	return c.text == "" || kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}
