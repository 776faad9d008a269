package rules

import (
	"crypto/sha512"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"testing"

	"skills/internal/spec"
)

// githubKey is an invented key, concatenated so that no scanner finds it in the source.
const githubKey = "ghp" + "_" + "Wq8ZtR5nXv2LpKc7YbHd4MsJf9GaUe3TxNi6"

func TestSecretRule(t *testing.T) {
	random := sha512.Sum512([]byte("no key"))
	sequence := append([]byte{0x30, byte(len(random))}, random[:]...) // a DER sequence, as private keys are
	private := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: sequence}))
	d := bodyWith("Token "+githubKey+".\n", map[string]string{
		"references/é.md":     "é " + githubKey + "\n",
		".env":                "TOKEN=" + githubKey + "\n",
		"copy.md":             "-> references/é.md",
		"key.pem":             private,
		"tests/key.pem":       private,
		"scripts/test_tls.py": private,
		"tests/scan_test.py":  "assert redact('" + githubKey + "') == '…'\n",
		"tests/fixture.json":  "{\"a\": \"" + githubKey + "\"}\n",
	})
	want := []string{
		".env:1:7: possible GitHub key in the file: ghp_… (40 characters)",
		"SKILL.md:5:7: possible GitHub key in the file: ghp_… (40 characters)",
		"key.pem:1:1: private key in the file",
		"references/é.md:1:3: possible GitHub key in the file: ghp_… (40 characters)",
		"tests/fixture.json:1:8: possible GitHub key in the file: ghp_… (40 characters)",
	}
	if got := findings(d, "secret"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSecretInScannersTests(t *testing.T) {
	d := skillWith("---\nname: leaks\ndescription: Finds leaked keys. Use before publishing.\n---\nText.\n", map[string]string{
		"tests/fixtures/a.env": "TOKEN=" + githubKey + "\n",
		"scripts/a.env":        "TOKEN=" + githubKey + "\n",
	})
	if got := findings(d, "secret"); len(got) != 1 || !strings.HasPrefix(got[0], "scripts/a.env:1:7: ") {
		t.Errorf("got %q, want the key of the script only", got)
	}
}

// TestSecretIsNeverRepeated finds a key anywhere in a document, broken or
// not, and repeats it in no finding of any rule.
func TestSecretIsNeverRepeated(t *testing.T) {
	key := "AK" + "IA" + "QZ4WXN7RJT5YKVHM"
	for name, src := range map[string]string{
		"broken value":      "---\nname: my-skill\ndescription: Use: when KEY is asked for\n---\nText.\n",
		"broken continued":  "---\nname: my-skill\ndescription: Use\n  when: KEY\nlicense: MIT\n---\nText.\n",
		"comment":           "---\nname: my-skill\ndescription: Sends what #KEY allows to the server and\n---\nText.\n",
		"field's name":      "---\nname: my-skill\ndescription: Use when testing.\nKEY: x\n---\nText.\n",
		"name":              "---\nname: KEY\ndescription: Use when testing.\n---\nText.\n",
		"license":           "---\nname: my-skill\ndescription: Use when testing.\nlicense: see KEY.txt\n---\nText.\n",
		"unclosed":          "---\nname: my-skill\ndescription: Use KEY when testing.\n",
		"no frontmatter":    "KEY\n",
		"link":              "---\nname: my-skill\ndescription: Use when testing.\n---\nSee [a](KEY.md).\n",
		"command":           "---\nname: my-skill\ndescription: Use when testing.\n---\nRun `uvx KEY` or `python3 ./scripts/a.KEY.py`.\n",
		"no rule's comment": "---\nname: my-skill\ndescription: Use when testing.\n---\n<!-- skills: ignore KEY -->\n",
	} {
		doc := skillWith(strings.ReplaceAll(src, "KEY", key), map[string]string{"references/": ""})
		found := Check(doc, spec.Options{})
		if !slices.ContainsFunc(found, func(d spec.Diagnostic) bool { return d.Rule == "secret" }) {
			t.Errorf("%s: the key is not found among %v", name, found)
		}
		for _, opts := range []spec.Options{{}, {Levels: map[string]spec.Level{"secret": spec.Off}}, {Profile: spec.ProfileReference}} {
			if _, err := spec.ReadProperties(doc); err != nil {
				var e *spec.ReadError
				if !errors.As(err, &e) || strings.Contains(e.Message+e.Help, key) {
					t.Errorf("%s: reading the properties repeats the key: %v", name, err)
				}
			}
			for _, d := range Check(doc, opts) {
				texts := d.Message + "\n" + d.Help
				if d.Fix != nil {
					texts += "\n" + d.Fix.Description
				}
				if strings.Contains(strings.ToUpper(texts), key) {
					t.Errorf("%s: the key is repeated by %s: %s", name, d.Rule, texts)
				}
			}
		}
	}
}
