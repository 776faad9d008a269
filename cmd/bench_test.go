package cmd

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkValidate checks trees of generated skills, each with about 9 KB of
// SKILL.md, two references, two scripts and two other files: the whole command,
// from its arguments to its exit code.
func BenchmarkValidate(b *testing.B) {
	for _, n := range []int{1, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("skills=%d", n), func(b *testing.B) {
			root := b.TempDir()
			for i := range n {
				writeBenchSkill(b, root, i)
			}
			env := Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Dir: root}
			b.ReportAllocs()
			for b.Loop() {
				if code := Run(b.Context(), env, []string{"validate", "--no-config", root}); code != 0 {
					b.Fatalf("exit code %d", code)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/skill")
		})
	}
}

// writeBenchSkill writes the skill of number i, as large as skills usually are,
// and returns its folder.
func writeBenchSkill(b *testing.B, root string, i int) (dir string) {
	b.Helper()
	name := fmt.Sprintf("skill-%05d", i)
	dir = filepath.Join(root, fmt.Sprintf("group-%02d", i%20), name)
	var body strings.Builder
	fmt.Fprintf(&body, "---\nname: %s\ndescription: Turns reports into tables. Use when the user asks for report %d.\nlicense: MIT\nmetadata:\n  version: \"1.0\"\n---\n\n# Reports\n\n", name, i)
	body.WriteString("See [the guide](references/guide.md) and [forms](references/forms.md#usage). Run:\n\n```bash\npython3 scripts/run.py --in a.csv\nbash scripts/check.sh\n```\n")
	for section := 0; body.Len() < 8_700; section++ {
		fmt.Fprintf(&body, "\n## Section %d\n\n%s\n\n- **Read** the table first, then its head.\n- `column %d` holds the sum of the row.\n", section, prose(i+section, 60), section)
		if section%3 == 0 {
			body.WriteString("\n```python\nfor row in rows:\n    print(row[0], sum(row[1:]))\n```\n")
		}
		if section%4 == 0 {
			body.WriteString("\n| in | out |\n|----|-----|\n| kg | lb |\n")
		}
	}
	page := "# Usage\n\n" + strings.Repeat(prose(i, 40)+"\n\n", 8)
	script := "import sys\n\n" + strings.Repeat("def step(row):\n    return sum(row)\n\n", 25) + "print(sys.argv)\n"
	for file, text := range map[string]string{
		"SKILL.md": body.String(), "references/guide.md": page, "references/forms.md": page,
		"references/data.json": "[" + strings.Repeat("1, ", 400) + "1]\n", "LICENSE.txt": prose(i, 150) + "\n",
		"scripts/run.py": "#!/usr/bin/env python3\n" + script, "scripts/check.sh": "#!/bin/bash\nset -e\n" + strings.Repeat("echo step\n", 40),
	} {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// prose returns a paragraph of n words that differs with seed.
func prose(seed, n int) string {
	words := strings.Fields("extract text from tables when the user asks for a report then merge split and render each sheet as chart value column row filter query")
	var p strings.Builder
	for k := range n {
		p.WriteString(words[(seed*7+k*k+k)%len(words)])
		p.WriteByte(' ')
	}
	return strings.TrimSpace(p.String()) + "."
}
