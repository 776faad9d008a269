package rules

import (
	"testing"

	"skills/internal/spec"
)

// goodSkill is a careful skill without findings about bodies and references.
type goodSkill struct {
	body  string
	files map[string]string
}

var goodSkills = map[string]goodSkill{
	"office documents": {`
# Working with text documents

A .odt file is a ZIP archive of XML files. You need pandoc and LibreOffice.

| Task | How |
|------|-----|
| Read | ` + "`pandoc`" + ` or unpack it |
| Create | see [Creating](#creating) below, then [the library](library.md) |
| Edit | Unpack → edit → pack, as in [**editing.md**](editing.md "all steps") |

## Reading

` + "```bash\n# to text\npandoc input.odt -o output.md\n\npython scripts/office/unpack.py input.odt unpacked/\n```" + `

Edit the files in ` + "`unpacked/content/`" + `. Use ` + "`comment.py`" + ` for remarks:
` + "```bash\npython scripts/comment.py unpacked/ 0 \"Text with &amp;\"   # reply: --parent 0\n```" + `

## Creating

` + "```javascript\nconst { Document } = require('odt');\nfs.writeFileSync(\"out.odt\", data); // [x](y.md)\n```" + `

Save the result as ` + "`outputs/report.odt`" + `, and pictures to ` + "`assets/chart.png`" + `. To start from scratch,
run ` + "`soffice --headless --convert-to pdf file.odt`" + ` (set up by ` + "`scripts/office/soffice.py`" + `), and put the parts together with ` + "`scripts/office/pack.py`" + `.

- **Replace whole ` + "`<w:r>`" + ` elements**: ` + "`<w:r>...</w:r>`" + `
- https://example.com/spec and <https://example.com/more>
`, map[string]string{
		"editing.md": "# Editing\n\n1. Unpack\n2. [Back](SKILL.md#reading)\n", "library.md": "# Library\n\nsee `editing.md`\n",
		"scripts/office/unpack.py": "from helpers import merge", "scripts/office/soffice.py": "SCHEMAS = here / 'schemas'", "scripts/office/pack.py": "import zipfile",
		"scripts/office/helpers/merge.py": "import re", "scripts/office/helpers/__init__.py": "", "scripts/office/schemas/ecma/a.xsd": "x", "scripts/office/schemas/b.xsd": "x",
		"scripts/comment.py": "TEMPLATES = here / 'templates'", "scripts/templates/people.xml": "x", "scripts/__init__.py": "", "LICENSE.txt": "x",
	}},
	"how to write skills": {`
# Writing skills

Every skill is a folder with a SKILL.md:

` + "```\nskill-name/\n├── SKILL.md (required)\n├── scripts/   - code\n├── references/\n└── assets/\n```" + `

#### Scripts (` + "`scripts/`" + `)

- **Example**: ` + "`scripts/rotate_pdf.py`" + ` for tasks with PDFs
- **Benefit**: may be run without being read

#### References

- **Examples**: ` + "`references/finance.md` for schemas, `references/policies.md`" + ` for policies
- Keep SKILL.md lean: one level, ` + "`references/schema.md`" + ` and not deeper

#### Assets

- ` + "`assets/logo.png`, `assets/slides.pptx`, `assets/frontend-template/`" + `

A pattern:

` + "```markdown\n# PDF\n\nSee [FORMS.md](FORMS.md) and [REFERENCE.md](references/REFERENCE.md). Run `python scripts/fill.py`.\n```" + `

The agent loads FORMS.md only when needed. A ` + "`scripts/rotate_pdf.py`" + ` script would be helpful.

## Start

` + "```bash\nscripts/init_skill.py <skill-name> --path <output-directory>\nscripts/init_skill.py my-skill --path skills/public --resources scripts,references\n```" + `

- **Steps**: See references/workflows.md for order and conditions
- Do not add README.md, CHANGELOG.md or INSTALLATION_GUIDE.md to a skill.

Then check it: ` + "`scripts/quick_validate.py <path/to/skill-folder>`" + `. Edit ` + "`SKILL.md`" + `, and read ` + "`references/workflows.md`" + ` again.
`, map[string]string{
		"scripts/init_skill.py*": "#!/usr/bin/env python3\n", "scripts/quick_validate.py*": "#!/usr/bin/env python3\n", "references/workflows.md": "# Order\n\n[x](../SKILL.md)\n", "LICENSE.txt": "x", "agents/openai.yaml": "x",
	}},
	"test an application": {`
# Testing a web application

**Helper**: ` + "`scripts/with_server.py`" + ` starts servers. Run it with ` + "`--help`" + ` first.

` + "```\nTask → static HTML?\n    ├─ yes → read the file\n    └─ no → run: python scripts/with_server.py --help\n```" + `

` + "```bash\npython scripts/with_server.py \\\n  --server \"cd backend && python server.py\" --port 3000 \\\n  --server \"cd frontend && npm run dev\" --port 5173 \\\n  -- python your_automation.py\n```" + `

` + "```python\nfrom playwright.sync_api import sync_playwright\npage.goto('http://localhost:5173')\npage.screenshot(path='/tmp/inspect.png')\n```" + `

Write your script to ` + "`scripts/automation.py`" + ` in the project, then run ` + "`python scripts/automation.py`" + `.

## 参考

- **examples/** – patterns:
  - ` + "`element_discovery.py`" + ` – buttons and links
  - ` + "`console_logging.py`" + ` – logs

参见 [常见陷阱](#常见陷阱)。

## 常见陷阱

❌ Do not look at the page before ` + "`networkidle`" + `. See [⚠️ Care](#️-care) and [again](#-care).

## ⚠️ Care
`, map[string]string{
		"scripts/with_server.py": "x", "examples/element_discovery.py": "x", "examples/console_logging.py": "x", "LICENSE.txt": "x",
	}},
	"many languages": {`
# API guide

Detect the language, then read from its folder. If it is not clear, ask.

| Language | Start with |
|---|---|
| Python | [python/](./python/) |
| Go | ` + "`go/README.md`" + ` |

Read ` + "`{lang}/streaming.md`" + ` for streams, ` + "`shared/errors.md`" + ` for errors[^1], and ` + "`{lang}/tools/*.md`" + ` for tools.

Load [📋 the guide](./reference/best_practices.md) first. v2 projects: run the check in the [v2 guide](./reference/server_v2.md#verify-your-server).
The [v1][v1] guide is for old projects. Never write ` + "`[text](url)`" + ` or [text](url).

<details><summary>More</summary>
<img src="assets/diagram.svg" alt=""> <a href="#api-guide">up</a> <a id="here"></a>
</details>

[here](#here), [mail](mailto:me@example.com), [site](https://example.com/a.md), [abs](/docs/api), [ed](vscode://file/x)

[v1]: ./reference/server_v1.md "old"
[^1]: errors.md
`, map[string]string{
		"python/streaming.md": "x", "python/tools/run.md": "[s](../../shared/errors.md) [t](../../go/streaming.md)", "go/README.md": "x", "go/streaming.md": "x", "go/tools/run.md": "x",
		"shared/errors.md": "# E\n\nSee `shared/extra.md`.", "shared/extra.md": "x", "reference/best_practices.md": "[b](server_v2.md#verify-your-server)",
		"reference/server_v2.md": "# Server\n\n## Verify your server\n\n1. `npm run build`\n", "reference/server_v1.md": "[v2](server_v2.md)", "assets/diagram.svg": "<svg/>",
	}},
	"release chores": {`
# Release

1. Run the checks of the repository: ` + "`./scripts/lint`, `./scripts/test.sh`, `python scripts/ci/check.py`" + `.
2. Update ` + "`CHANGELOG.md`" + ` and ` + "`package.json`" + `; write the notes to ` + "`references/notes-1.2.md`" + `.
3. Follow [the house rules](references/rules.md#tags); the template is ` + "`assets/notes.md.tmpl`" + `.

` + "```console\n$ git tag v1.2.3\n$ cd ../other-repo\n$ bash scripts/publish.sh --yes\n```" + `

Set ` + "`$RELEASE_DIR/scripts/env.sh`" + ` up, or ` + "`source ~/.config/release/env.sh`" + `. For example, ` + "`python scripts/bump.py minor`" + ` in your project.

> [!NOTE]
> Do **not** push. Compare https://example.com/scripts/gone.py and a/b/scripts/gone.sh.

- [ ] Tag
- [x] Notes in ` + "`docs/releases/<version>.md`" + `
`, map[string]string{
		"references/rules.md": "# Rules\n\n## Tags\n\nSee the [fonts](../assets/fonts/).\n", "assets/notes.md.tmpl": "x", "assets/fonts/a.ttf": "x", "assets/fonts/b.ttf": "x",
	}},
}

func TestGoodSkills(t *testing.T) {
	for name, skill := range goodSkills {
		t.Run(name, func(t *testing.T) {
			d := skillWith("---\nname: my-skill\ndescription: Does a thing. Use when testing.\nlicense: Apache-2.0\n---\n"+skill.body, skill.files)
			for _, f := range Check(d, spec.Options{}) {
				t.Errorf("reported: %s", f)
			}
		})
	}
}

// TestGoodSkillsGoBad takes away one file at a time: the rules are not silent
// because they see nothing.
func TestGoodSkillsGoBad(t *testing.T) {
	for _, tt := range []struct{ skill, file, rule string }{
		{"office documents", "editing.md", "link-target"},
		{"office documents", "scripts/comment.py", "script-target"},
		{"how to write skills", "references/workflows.md", "link-target"},
		{"test an application", "scripts/with_server.py", "script-target"},
		{"many languages", "reference/server_v1.md", "link-target"},
		{"many languages", "assets/diagram.svg", "link-target"},
		{"release chores", "references/rules.md", "link-target"},
	} {
		files := map[string]string{}
		for name, text := range goodSkills[tt.skill].files {
			if name != tt.file {
				files[name] = text
			}
		}
		if got := findings(bodyWith(goodSkills[tt.skill].body, files), tt.rule); len(got) == 0 {
			t.Errorf("%s without %s: no %s", tt.skill, tt.file, tt.rule)
		}
	}
}
