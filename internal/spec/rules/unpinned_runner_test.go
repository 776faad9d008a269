package rules

import (
	"strings"
	"testing"
)

func TestUnpinnedRunner(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    string // the package
	}{
		{"npx create-thing", "create-thing"},
		{"npx -y @scope/thing --flag", "@scope/thing"},
		{"npx thing@latest", "thing"},
		{"bunx thing", "thing"},
		{"bun x thing", "thing"},
		{"pnpm dlx thing", "thing"},
		{"yarn dlx thing", "thing"},
		{"npx -p thing other", "thing"},
		{"npx --package=thing other", "thing"},
		{"uvx ruff check .", "ruff"},
		{"uvx --from thing other", "thing"},
		{"uv tool run thing", "thing"},
		{"pipx run thing", "thing"},
		{"cd x && FOO=1 npx thing | tee", "thing"},
		{"npx \\\n  thing", "thing"},
		{"npm exec thing", "thing"},
		{"npm exec --package=thing -- other", "thing"},
		{"npm x -y thing@latest", "thing"},
		{"deno run npm:thing", "npm:thing"},
		{"deno run --allow-read npm:@scope/thing", "npm:@scope/thing"},
		{"go run example.com/cmd/thing@latest ./...", "example.com/cmd/thing"},
		{"deno run npm:thing@1", ""},
		{"deno run main.ts npm:thing", ""},
		{"deno run", ""},
		{"go run example.com/cmd/thing@v1.2.3", ""},
		{"go run example.com/cmd/thing", ""},
		{"go run ./cmd/thing", ""},
		{"go run", ""},
		{"npm exec", ""},
		{"npm run thing", ""},
		{"yarn thing", ""},
		{"pnpm thing", ""},
		{"bun thing", ""},
		{"pipx thing", ""},
		{"uv tool thing", ""},
		{"npx thing@1.2.3", ""},
		{"npx @scope/thing@1", ""},
		{"npx thing@^2", ""},
		{"uvx ruff==0.8.0", ""},
		{"uvx ruff@0.8.0", ""},
		{"uvx --from 'thing>=1,<2' other", ""},
		{"uvx --from git+https://example.com/x thing", ""},
		{"npx ./local", ""},
		{"npx github:user/thing", ""},
		{"npx user/thing", ""},
		{"npx <package>", ""},
		{"npx $PACKAGE", ""},
		{"npx package-name", ""},
		{"npx --no-install thing", ""},
		{"npx tsc --noEmit", ""},
		{"npx eslint .", ""},
		{"npx stryker run", ""},
		{"npx", ""},
		{"npx --help", ""},
		{"npx -p", ""},
		{"uv run --with thing x.py", "thing"},
		{"uv run -q --with=thing x.py", "thing"},
		{"deno run -A https://deno.land/x/thing/mod.ts", "https://deno.land/x/thing/mod.ts"},
		{"uv run x.py", ""},
		{"uv run --with thing==1.2 x.py", ""},
		{"uv run --with 'thing>=1' x.py", ""},
		{"uv run --with-requirements thing x.py", ""},
		{"uv run --with", ""},
		{"deno run https://deno.land/x/thing@v1.2.3/mod.ts", ""},
		{"deno run https://example.com/mod.ts", ""},
		{"uv tool install thing", ""},
		{"pnpm add thing", ""},
		{"# npx thing", ""},
		{"echo npx thing", ""},
	} {
		got := strings.Join(findings(bodyWith("```bash\n"+tt.command+"\n```\n", nil), "unpinned-runner"), "\n")
		if _, name, _ := strings.Cut(got, "the newest version of "); strings.Trim(strings.TrimSuffix(name, ", which changes"), `"`) != tt.want {
			t.Errorf("%s: got %q, want %q", tt.command, got, tt.want)
		}
	}
	for _, tt := range []struct {
		body  string
		files map[string]string
		want  string
	}{
		{"Run `npx thing` or `npx thing x`.\n", nil, `SKILL.md:5:10: npx runs the newest version of "thing", which changes`},
		{"> ```sh\n> uvx --from=thing x\n> ```\n", nil, `SKILL.md:6:14: uvx runs the newest version of "thing", which changes`},
		{"Run npx thing.\n", nil, ""},
		{"```json\n{\"command\": \"npx\", \"args\": [\"thing\"]}\n```\n", nil, ""},
		{"```js\nnpx thing\n```\n", nil, ""},
		{"Run `npx thing`.\n", map[string]string{"package.json": "{}"}, ""},
	} {
		if got := strings.Join(findings(bodyWith(tt.body, tt.files), "unpinned-runner"), "\n"); got != tt.want {
			t.Errorf("%s: got  %s\nwant %s", tt.body, got, tt.want)
		}
	}
}
