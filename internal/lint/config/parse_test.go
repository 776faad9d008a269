package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"skills/internal/clients"
	"skills/internal/fault"
	"skills/internal/programs"
	"skills/internal/spec"
	"skills/internal/spec/rules"
)

func TestParse(t *testing.T) {
	none := map[string]spec.Level{}
	for name, tc := range map[string]struct {
		src  string
		want Config
	}{
		"empty":         {"", Config{Levels: none}},
		"comments only": {"# nothing yet\n\n", Config{Levels: none}},
		"byte order mark": {"\ufeffprofile: skills-ref\r\n",
			Config{Profile: spec.ProfileReference, Levels: none}},
		"everything": {`# how our skills are checked
profile: spec
strict: true
client: [claude-code, pi]
rules:
  name-length: off
  "field-client": info
  name-directory: "warning"
  encoding: error
exclude:
  - examples/
  - "**/vendor"
  - '!examples/good'
`, Config{
			Profile: spec.ProfileSpec, Strict: true, Clients: []string{"claude-code", "pi"},
			Levels:  map[string]spec.Level{"name-length": spec.Off, "field-client": spec.Info, "name-directory": spec.Warning, "encoding": spec.Error},
			Exclude: []string{"examples/", "**/vendor", "!examples/good"},
		}},
		"what a run offers": {"run:\n  only: [pdf-*]\n  without: [old]\n  resource-extensions: [md, .JSON]\n  script-extensions: [py]\n",
			Config{Levels: none, Run: Run{Only: []string{"pdf-*"}, Without: []string{"old"}, ResourceExtensions: []string{".md", ".json"}, ScriptExtensions: []string{".py"}}}},
		"banned words": {"banned:\n  gpt-4o: retired in our account\n  in  order to:\n  4.10: 'no\n\n    such'\n",
			Config{Levels: none, Banned: []spec.BannedWord{{Word: "gpt-4o", Reason: "retired in our account"}, {Word: "in order to"}, {Word: "4.10", Reason: "no such"}}}},
		"an empty run": {"run:\n", Config{Levels: none}},
		"empty values": {"profile:\nclient:\nrules:\nexclude:\n  # - old/\n", Config{Levels: none}},
		"JSON is YAML": {`{"client": ["pi"], "rules": {}}`, Config{Clients: []string{"pi"}, Levels: none}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse("f", []byte(tc.src))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ src, want, hint string }{
		"unknown key":        {"profile: spec\nexcludes: [a]\n", `f:2:1: unknown key "excludes"`, "did you mean exclude?"},
		"far from any key":   {"colour: blue\n", `f:1:1: unknown key "colour"`, "choose one of profile, client, strict, rules, exclude, per-file-ignores, banned, run"},
		"unknown rule":       {"rules:\n  name-lenght: off\n", `f:2:3: unknown rule "name-lenght"`, "did you mean name-length?"},
		"banned list":        {"banned: [a]\n", `f:1:9: banned must be a mapping`, "write keys and values: key: value"},
		"banned nothing":     {"banned: {' ': x}\n", `f:1:10: a banned word is empty`, "write word: reason"},
		"banned twice":       {"banned:\n  GPT: x\n  gpt: y\n", `f:3:3: the banned word "gpt" is given twice`, "keep one of the two: case does not matter"},
		"banned for a list":  {"banned: {gpt: [x]}\n", `f:1:15: the reason for gpt must be text`, "write a single word"},
		"unknown key of run": {"run: {onyl: [a]}", `f:1:7: unknown key "onyl"`, "did you mean only?"},
		"run as list":        {"run: [a]", `f:1:6: run must be a mapping`, "write keys and values: key: value"},
		"broken name":        {"run: {only: ['[a']}", `f:1:14: the pattern "[a" is malformed`, "write a name, with * for any characters: 'pdf-*'"},
		"no extension":       {"run: {resource-extensions: [a/b]}", `f:1:29: "a/b" is not a file extension`, "write it as .md or md"},
		"no script":          {"run: {script-extensions: [exe]}", `f:1:27: .exe is not among the extensions of scripts`, "choose some of " + strings.Join(programs.ScriptExtensions(), ", ") + "; pass others with --script-ext"},
		"far from any rule":  {"rules: {taste: off}", `f:1:9: unknown rule "taste"`, "list the rules with: skills rules"},
		"unknown level":      {"rules:\n  name-length: warn1ng\n", `f:2:16: unknown level "warn1ng"`, "did you mean warning?"},
		"no level":           {"rules:\n  name-length:\n", `f:2:15: unknown level ""`, "choose one of off, info, warning, error"},
		"boolean level":      {"rules: {name-length: false}", `f:1:22: unknown level "false"`, "choose one of off, info, warning, error"},
		"list as level":      {"rules: {name-length: [off]}", `f:1:22: name-length must be text`, "write a single word"},
		"rules as list":      {"rules:\n  - name-length\n", `f:2:3: rules must be a mapping`, "write keys and values: key: value"},
		"unknown profile":    {"profile: Spec\n", `f:1:10: unknown profile "Spec"`, "did you mean spec?"},
		"list as profile":    {"profile: [spec]\n", `f:1:10: profile must be text`, "write a single word"},
		"unknown client":     {"client: [pi, claude]\n", `f:1:14: unknown client "claude"`, "did you mean claude-code?"},
		"unknown one client": {"client: claude\n", `f:1:9: unknown client "claude"`, "did you mean claude-code?"},
		"client as mapping":  {"client: {pi: 1}\n", `f:1:9: client must be a list`, "write client: [..], or one item a line after a dash"},
		"client in client":   {"client: [[pi]]\n", `f:1:10: an item of client must be text`, "write a single word"},
		"key twice":          {"profile: spec\nclient: []\nprofile: spec\n", `f:3:1: duplicate key "profile", first on line 1`, "keep one of the two"},
		"rule twice":         {"rules:\n  name-length: off\n  name-length: error\n", `f:3:3: duplicate key "name-length", first on line 2`, "keep one of the two"},
		"empty pattern":      {"exclude: ['']\n", `f:1:11: exclude pattern "" can never match`, "the syntax is that of a .gitignore file: examples/ or **/vendor"},
		"broken pattern":     {"exclude:\n  - a\n  - '[a'\n", `f:3:5: exclude pattern "[a" can never match`, "the syntax is that of a .gitignore file: examples/ or **/vendor"},
		"comment pattern":    {"exclude: ['#a']\n", `f:1:11: exclude pattern "#a" can never match`, "the syntax is that of a .gitignore file: examples/ or **/vendor"},
		"a list":             {"- profile\n", `f:1:1: the configuration must be a mapping`, "write keys and values: key: value"},
		"a word":             {"strict\n", `f:1:1: the configuration must be a mapping`, "write keys and values: key: value"},
		"key is a list":      {"? [a]\n: b\n", `f:1:3: unknown key ""`, "choose one of profile, client, strict, rules, exclude, per-file-ignores, banned, run"},
		"alias":              {"client: &c [pi]\nexclude: *c\n", `f:2:10: exclude must be a list`, "write exclude: [..], or one item a line after a dash"},
		"columns in code points": {"{ \"client\": [\"é\", \"ü\"] }",
			`f:1:14: unknown client "é"`, "choose one of " + strings.Join(clients.IDs(), ", ")},
		"two documents": {"profile: spec\n---\nclient: []\n", `f: invalid YAML: yaml: expected single document, found multiple`, "fix the YAML syntax"},
		"broken YAML":   {"rules:\n\tname-length: off\n", `f:2:1: invalid YAML: found character that cannot start any token`, "fix the YAML syntax"},
		"not UTF-8":     {"client: [\xff]\n", `f: is not valid UTF-8`, "save it as UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("f", []byte(tc.src))
			var bad *fault.Error
			if !errors.As(err, &bad) {
				t.Fatalf("got %v, want an *fault.Error", err)
			}
			if bad.Error() != tc.want {
				t.Errorf("error\ngot  %s\nwant %s", bad, tc.want)
			}
			if bad.Hint != tc.hint {
				t.Errorf("hint\ngot  %s\nwant %s", bad.Hint, tc.hint)
			}
		})
	}
}

// FuzzParse checks that any text ends in settings that exist or in an error
// with a hint.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "profile: spec\n", "client: [pi]\nrules: {name-length: off}\nexclude: [a/]\n", "a: &a [*a]\n", "? x\n: y", "{", "\ufeff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > maxFile {
			return
		}
		c, err := Parse("f", src)
		var bad *fault.Error
		if err != nil {
			if !errors.As(err, &bad) || bad.Hint == "" || bad.Message == "" || bad.Line < 0 {
				t.Errorf("got %#v, want an *fault.Error with a message and a hint", err)
			}
			return
		}
		for id := range c.Levels {
			if rules.Find(id) == nil {
				t.Errorf("the rule %q does not exist", id)
			}
		}
		for _, p := range c.Exclude {
			if p == "" {
				t.Error("an empty pattern went through")
			}
		}
	})
}
