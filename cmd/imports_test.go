package cmd

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rooms says which package may import which others, beyond the standard
// library: the directions are outside in, and each third-party library has its
// place. "skills/…" is a package of this module.
var rooms = map[string][]string{
	".":                          {"skills/cmd"},
	"cmd":                        {"skills/internal/…", "github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/charmbracelet/lipgloss", "golang.org/x/sys", "golang.org/x/term"},
	"internal/suggest":           {},
	"internal/safefile":          {"golang.org/x/sys"},
	"internal/printable":         {},
	"internal/terminal":          {"golang.org/x/sys", "github.com/charmbracelet/lipgloss", "github.com/muesli/termenv"},
	"internal/builtin":           {"skills/internal/loader", "skills/internal/spec"},
	"internal/markdown":          {"github.com/yuin/goldmark"},
	"internal/spec":              {"skills/internal/spec/frontmatter", "skills/internal/markdown", "skills/internal/spec/hidden", "skills/internal/spec/prompts", "skills/internal/spec/references", "skills/internal/spec/strictyaml", "golang.org/x/text"},
	"internal/spec/frontmatter":  {"skills/internal/printable", "go.yaml.in/yaml/v4"},
	"internal/spec/strictyaml":   {"go.yaml.in/yaml/v4"},
	"internal/doctor":            {"skills/internal/loader", "skills/internal/script"},
	"internal/redact":            {},
	"internal/spec/references":   {"skills/internal/markdown", "golang.org/x/text"},
	"internal/spec/secrets":      {},
	"internal/spec/hidden":       {},
	"internal/spec/prompts":      {},
	"internal/spec/tokens":       {},
	"internal/loader":            {"skills/internal/safefile", "skills/internal/params", "skills/internal/spec", "github.com/adrg/frontmatter"},
	"internal/prompt":            {"skills/internal/loader", "skills/internal/spec"},
	"internal/script":            {"skills/internal/script/sandbox", "skills/internal/script/supervisor", "golang.org/x/sys"},
	"internal/script/sandbox":    {"golang.org/x/sys"},
	"internal/script/supervisor": {"skills/internal/script/sandbox", "golang.org/x/sys"},
	"internal/params":            {},
	"internal/agent":             {"skills/internal/agent/model", "skills/internal/params"},
	"internal/agent/model":       {"skills/internal/params", "github.com/openai/openai-go/v3", "github.com/tidwall/gjson"},
	"internal/agent/replay":      {"skills/internal/agent/model"},
	"internal/runner":            {"skills/internal/agent/skills", "skills/internal/builtin", "skills/internal/lint", "skills/internal/loader", "skills/internal/prompt", "skills/internal/report", "skills/internal/spec", "skills/internal/terminal", "golang.org/x/term"},
	"internal/agent/openaitest":  {},
	"internal/agent/skills":      {"skills/internal/agent", "skills/internal/loader", "skills/internal/prompt", "skills/internal/script", "skills/internal/script/sandbox"},
	"internal/audit":             {"skills/internal/agent", "skills/internal/agent/skills", "skills/internal/jsonlfile"},
	"internal/hook":              {"skills/internal/agent", "skills/internal/params", "skills/internal/script"},
	"internal/jsonlfile":         {"skills/internal/safefile"},
	"internal/session":           {"skills/internal/agent", "skills/internal/jsonlfile", "skills/internal/safefile"},
	"internal/todo":              {"skills/internal/agent", "skills/internal/prompt"},
	"internal/lint":              {"skills/internal/lint/baseline", "skills/internal/lint/config", "skills/internal/lint/fix", "skills/internal/lint/git", "skills/internal/loader", "skills/internal/report", "skills/internal/safefile", "skills/internal/spec", "skills/internal/spec/secrets"},
	"internal/lint/config":       {"skills/internal/safefile", "skills/internal/loader", "skills/internal/spec", "go.yaml.in/yaml/v4"},
	"internal/lint/git":          {"golang.org/x/text"},
	"internal/lint/baseline":     {"skills/internal/safefile", "skills/internal/report", "skills/internal/spec"},
	"internal/lint/fix":          {"skills/internal/safefile", "skills/internal/loader", "skills/internal/spec", "github.com/aymanbagabas/go-udiff"},
	"internal/report":            {"skills/internal/spec", "skills/internal/terminal", "github.com/charmbracelet/lipgloss"},
	"internal/transcript":        {"skills/internal/agent", "skills/internal/todo", "skills/internal/terminal", "github.com/charmbracelet/lipgloss"},
}

// leaves are packages that import nothing of this module, and that all others
// may import.
var leaves = []string{"skills/internal/printable", "skills/internal/suggest", "skills/internal/spec/secrets", "skills/internal/spec/tokens"}

// fenced are standard packages that only some rooms may use: running programs
// is audited in one place, and templates double the binary.
var fenced = map[string][]string{
	"os/exec":       {"internal/lint/git", "internal/script", "internal/script/supervisor"},
	"text/template": nil,
	"html/template": nil,
	"net/http":      {"cmd", "internal/agent/model", "internal/agent/replay", "internal/agent/openaitest", "internal/agent/skills"},
}

// TestImports holds the table against the real imports of everything but
// tests.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		rel, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		room := filepath.ToSlash(filepath.Dir(rel))
		allowed, known := rooms[room]
		if !known {
			t.Errorf("%s: the package %s is not in the table of rooms", rel, room)
			return nil
		}
		seen[room] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !mayImport(room, imported, allowed) {
				t.Errorf("%s: %s may not import %s", rel, room, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for room := range rooms {
		if !seen[room] {
			t.Errorf("the table has a room %s that is not there", room)
		}
	}
}

func mayImport(room, imported string, allowed []string) bool {
	if rooms, ok := fenced[imported]; ok {
		return slices.Contains(rooms, room)
	}
	if first, _, _ := strings.Cut(imported, "/"); first != "skills" && !strings.Contains(first, ".") {
		return true // standard library
	}
	if slices.Contains(leaves, imported) {
		return true
	}
	for _, a := range allowed {
		prefix, wild := strings.CutSuffix(a, "…")
		if imported == a || wild && strings.HasPrefix(imported, prefix) || strings.HasPrefix(imported, a+"/") && !strings.HasPrefix(a, "skills/") {
			return true
		}
	}
	return false
}
