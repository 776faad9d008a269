package rules

import (
	"strings"
	"testing"

	"skills/internal/spec"
)

func licensed(license string, files map[string]string) *spec.Document {
	return skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\nlicense: "+license+"\n---\nx\n", files)
}

func TestLicenseFile(t *testing.T) {
	there := map[string]string{"LICENSE.txt": "x", "legal/TERMS.md": "x"}
	for _, tt := range []struct {
		license string
		files   map[string]string
		want    string
	}{
		{"LICENSE.txt", nil, `SKILL.md:4:10: license names "LICENSE.txt", which is not in the skill's folder`},
		{`"Complete terms in LICENSE.txt"`, nil, `SKILL.md:4:29: license names "LICENSE.txt", which is not in the skill's folder`},
		{"Proprietary. LICENSE.txt has complete terms", map[string]string{"license.txt": "x"}, `SKILL.md:4:23: license names "LICENSE.txt", but the file is called "license.txt"`},
		{"See LICENSE", nil, `SKILL.md:4:14: license names "LICENSE", which is not in the skill's folder`},
		{"COPYING", nil, `SKILL.md:4:10: license names "COPYING", which is not in the skill's folder`},
		{"é (see ./legal/LICENSE.md)", there, `SKILL.md:4:19: license names "legal/LICENSE.md", which is not in the skill's folder`},
		{"|\n  Terms in\n  TERMS.txt", nil, `SKILL.md:6:3: license names "TERMS.txt", which is not in the skill's folder`},
		{`"[LICENSE.md](https://example.org/LICENSE.md)"`, nil, ""},
		{"See UNLICENSE", nil, `SKILL.md:4:14: license names "UNLICENSE", which is not in the skill's folder`},
		{"See the LICENSE file", nil, `SKILL.md:4:18: license names "LICENSE", which is not in the skill's folder`},
		{"LICENSE-MIT", nil, `SKILL.md:4:10: license names "LICENSE-MIT", which is not in the skill's folder`},
		{"许可证.txt", nil, `SKILL.md:4:10: license names "许可证.txt", which is not in the skill's folder`},

		{"LICENSE.txt", there, ""},
		{"UNLICENSED", nil, ""},
		{"UNLICENSE", nil, ""},
		{"Unlicense", nil, ""},
		{"LICENSED", nil, ""},
		{"MIT LICENSE file", nil, ""},
		{"Proprietary, terms at acme.com/terms.html", nil, ""},
		{"v1.0/LICENSE.txt", map[string]string{"v1.0/LICENSE.txt": "x"}, ""},
		{"Proprietary. LICENSE.txt has complete terms", there, ""},
		{"legal/TERMS.md", there, ""},
		{"LICENSE", there, ""},
		{"See LICENSE.", map[string]string{"License.md": "x"}, ""},
		{"LICENSE.txt", map[string]string{"LICENSE.txt": "-> ../../LICENSE"}, ""},
		{"docs/LICENSE.txt", map[string]string{"docs/": ""}, ""},
		{"MIT", nil, ""},
		{"MIT License", nil, ""},
		{"Apache License, Version 2.0", nil, ""},
		{"THE MIT LICENSE", nil, ""},
		{"GPL-3.0-or-later WITH Classpath-exception-2.0", nil, ""},
		{"LicenseRef-Proprietary", nil, ""},
		{"CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/legalcode.txt)", nil, ""},
		{"MIT, see LICENSE in the repository root", nil, ""},
		{"See ../../LICENSE.txt", nil, ""},
		{"See LICENSE.txt of the plugin", nil, ""},
		{"<your LICENSE.txt>", map[string]string{"LICENSE.txt": ""}, ""},
		{"[LICENSE.txt]", nil, ""},
		{"", nil, ""},
	} {
		if got := strings.Join(findings(licensed(tt.license, tt.files), "license-file"), "\n"); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.license, got, tt.want)
		}
	}
	d := licensed("LICENSE.txt", nil)
	d.Files = nil
	if got := findings(d, "license-file"); len(got) > 0 {
		t.Errorf("without a folder: got %q", got)
	}
}
