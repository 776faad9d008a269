package skills

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/loader"
)

// TestFilled replaces the spellings of a skill's folder, and nothing that only looks like
// one.
func TestFilled(t *testing.T) {
	plugin := t.TempDir()
	dir := filepath.Join(plugin, "skills", "pdf")
	for _, name := range []string{dir, filepath.Join(plugin, ".claude-plugin")} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	alone := &loader.Skill{Name: "pdf", Dir: dir}
	for text, want := range map[string]string{
		"python {baseDir}/scripts/x.py":                                         "python DIR/scripts/x.py [{baseDir}]",
		"${baseDir} {{baseDir}} {baseDirs}":                                     "",
		`"${CLAUDE_SKILL_DIR}/a" $CLAUDE_SKILL_DIR/b`:                           `"DIR/a" DIR/b [${CLAUDE_SKILL_DIR}, $CLAUDE_SKILL_DIR]`,
		"cd $SKILL_DIR && ls ${SKILL_DIR}x":                                     "cd DIR && ls DIRx [$SKILL_DIR, ${SKILL_DIR}]",
		"$SKILL_DIRECTORY $SKILL_DIR2 \\$SKILL_DIR SKILL_DIR":                   "",
		"$SKILL_ROOT, ${SKILL_ROOT}.":                                           "DIR, DIR. [$SKILL_ROOT, ${SKILL_ROOT}]",
		"${CLAUDE_PLUGIN_ROOT}/x":                                               "",
		"~/.claude/skills/pdf/x.py ($HOME/.claude/skills/pdf)":                  "DIR/x.py (DIR) [~/.claude/skills/pdf, $HOME/.claude/skills/pdf]",
		"`.claude/skills/pdf/a`, ./.claude/skills/pdf":                          "`DIR/a`, DIR [.claude/skills/pdf, ./.claude/skills/pdf]",
		"skills/pdf/x, ./skills/pdf. End":                                       "DIR/x, DIR. End [skills/pdf, ./skills/pdf]",
		"skills/pdf":                                                            "DIR [skills/pdf]",
		"skills/pdf-forms skills/pdfs skills/pdf.md skills/pdf_x skills/pdf.-x": "",
		"my/skills/pdf ../skills/pdf myskills/pdf -skills/pdf éskills/pdf":      "",
		"https://example.com/?path=skills/pdf file://~/.claude/skills/pdf":      "",
		"[x](https://example.com) skills/pdf":                                   "[x](https://example.com) DIR [skills/pdf]",
		"github:skills/pdf @skills/pdf":                                         "",
		"skills/docx":                                                           "",
		"":                                                                      "",
	} {
		if i := strings.LastIndex(want, " ["); i >= 0 {
			want = want[:i] + "\n\n[Replaced by absolute paths in the text above: " + want[i+2:]
		}
		want = strings.ReplaceAll(want, "DIR", "\x00")
		if want == "" {
			want = text
		}
		for _, name := range []string{"CLAUDE_SKILL_", "SKILL_"} { // names of variables in the line below
			want = strings.ReplaceAll(want, name+"\x00", name+"DIR")
		}
		want = strings.ReplaceAll(strings.ReplaceAll(want, "base\x00", "baseDir"), "\x00", dir)
		if got := filled(alone, text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(plugin, ".claude-plugin", "plugin.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := filled(alone, "${CLAUDE_PLUGIN_ROOT}/skills/pdf/x"); !strings.HasPrefix(got, plugin+"/skills/pdf/x\n") {
		t.Errorf("of a plugin: %q", got)
	}
	if got := filled(&loader.Skill{Name: "pdf"}, "{baseDir}"); got != "{baseDir}" {
		t.Errorf("without a folder: %q", got)
	}
	other := &loader.Skill{Name: "forms", Dir: dir}
	if got := filled(other, "skills/forms/a skills/pdf/b"); !strings.HasPrefix(got, dir+"/a "+dir+"/b\n") {
		t.Errorf("with another name: %q", got)
	}
}
