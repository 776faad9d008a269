package spec

import (
	"slices"
	"strings"
	"testing"
)

// TestSecretIsNeverTold finds a key wherever it stands in a document, broken or
// not, and repeats it in no finding of any rule.
func TestSecretIsNeverTold(t *testing.T) {
	key := newChance(3).keys()["AKIA"]
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
		found := Check(doc, Options{})
		if !slices.ContainsFunc(found, func(d Diagnostic) bool { return d.Rule == "secret" }) {
			t.Errorf("%s: the key is not found among %v", name, found)
		}
		for _, opts := range []Options{{}, {Levels: map[string]Level{"secret": Off}}, {Profile: ProfileReference}} {
			if _, err := ReadProperties(doc); err != nil {
				if e, ok := IsReadError(err); !ok || strings.Contains(e.Message+e.Help, key) {
					t.Errorf("%s: reading the properties tells the key: %v", name, err)
				}
			}
			for _, d := range Check(doc, opts) {
				told := d.Message + "\n" + d.Help
				if d.Fix != nil {
					told += "\n" + d.Fix.Description
				}
				if strings.Contains(strings.ToUpper(told), key) {
					t.Errorf("%s: the key is told by %s: %s", name, d.Rule, told)
				}
			}
		}
	}
}
