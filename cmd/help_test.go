package cmd

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skills/internal/run"
)

// TestHelpSize checks that help fits narrow and wide terminals, and that its groups and
// texts stay short.
func TestHelpSize(t *testing.T) {
	const maxGroup, maxText = 9, 70
	a := newApp(OS())
	root := a.root()
	var list strings.Builder
	a.writeHelp(&list, root, 80)
	at := 0
	for _, name := range []string{"new", "validate", "list", "rules", "run", "exec", "to-prompt", "read-properties", "mcp", "doctor", "completion", "version"} {
		next := strings.Index(list.String(), "\n  "+name+" ")
		if next < at {
			t.Errorf("%s is out of order in\n%s", name, list.String())
		}
		at = next
	}
	for _, c := range append(root.Commands(), root) {
		for _, width := range []int{60, 80, 100} {
			var b strings.Builder
			a.writeHelp(&b, c, width)
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%s at %d columns: %d columns: %s", c.Name(), width, n, line)
				}
			}
		}
		for _, flags := range a.groups[c] {
			n := 0
			flags.VisitAll(func(*pflag.Flag) { n++ })
			if n > maxGroup {
				t.Errorf("%s: %d flags in the group %q", c.Name(), n, flags.Name())
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if n := utf8.RuneCountInString(f.Usage); n > maxText || strings.Contains(f.Usage, "`") {
				t.Errorf("%s --%s: %d characters: %s", c.Name(), f.Name, n, f.Usage)
			}
		})
		if c.Annotations[pageNote] == "" {
			t.Errorf("%s: no page to learn more", c.Name())
		}
		if c.Long != "" && !strings.HasPrefix(strings.ReplaceAll(c.Long, "\n", " "), c.Short) {
			t.Errorf("%s: help does not begin with the purpose: %s", c.Name(), c.Short)
		}
		if c.Annotations[exitNote] == "" && c != root && c.Name() != "help" {
			t.Errorf("%s: no exit codes", c.Name())
		}
	}
}

// TestCompletion checks that completion proposes the values of every flag with a fixed
// set of values, and the skills and scripts that are installed.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"validate --format ":                  "sarif",
		"validate --profile ":                 "skills-ref",
		"validate --client ":                  "claude-code",
		"validate --rule ":                    "link-target=",
		"validate --rule link-target=":        "link-target=off",
		"run --format ":                       "jsonl",
		"run --approve ":                      "never",
		"run --sandbox ":                      "require",
		"run --skill ":                        "unit-converter",
		"run --allow-script unit":             "unit-converter/",
		"run --allow-script unit-converter/":  "unit-converter/convert",
		"exec --allow-script unit-converter/": "unit-converter/convert",
		"mcp --allow-script unit":             "unit-converter/",
		"run --param ":                        "temperature=",
		"run --hook ":                         "before-run=",
		"run /unit":                           "/unit-converter",
		"exec --sandbox ":                     "off",
		"exec unit-converter ":                "convert",
		"list --format ":                      "json",
		"doctor --format ":                    "json",
		"to-prompt --format ":                 "xml",
		"new --script ":                       "python",
		"rules ":                              "link-target",
		"help ":                               "to-prompt",
		"completion ":                         "zsh",
		"validate --color ":                   "never",
	} {
		var out strings.Builder
		env := Env{Env: run.Env{Dir: t.TempDir(), Home: t.TempDir()}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &strings.Builder{}}
		Run(t.Context(), env, append([]string{"__complete"}, strings.Split(line, " ")...))
		found := false
		for proposed := range strings.Lines(out.String()) {
			name, _, _ := strings.Cut(strings.TrimSpace(proposed), "\t")
			found = found || name == want
		}
		if !found {
			t.Errorf("%q proposes %q, want %s", line, out.String(), want)
		}
	}
}

// TestManPage checks that a line of the text which ends in a colon is no title.
func TestManPage(t *testing.T) {
	a := newApp(OS())
	text := strings.Repeat("word ", 13) + "colon: and what follows on the next line of the page"
	page := manPage(a, a.command(&cobra.Command{Use: "x", Short: "Do x", Long: text, Run: func(*cobra.Command, []string) {}}))
	if !strings.Contains(page, "\nword word") || !strings.Contains(page, " colon:\n") || strings.Contains(page, ".SH WORD") {
		t.Errorf("the page is\n%s", page)
	}
	if !strings.Contains(page, ".SH SYNOPSIS\n.nf\nx [flags]\n.fi\n.SH DESCRIPTION\n") {
		t.Errorf("no synopsis before the description:\n%s", page)
	}
}
