package rules

import (
	"strings"
	"testing"
)

func TestScriptGuidance(t *testing.T) {
	for _, tt := range []struct {
		rule, name, text string
		want             string // the place; "" for no finding
	}{
		{"script-help", "a.py", "import sys\nmain(sys.argv[1])\n", "2:6"},
		{"script-help", "a.py", "import sys\nfor name in sys.argv[1:]:\n    go(name)\n", "2:13"},
		{"script-help", "a.sh", "#!/bin/sh\nset -e\ncp \"${1:?}\" out\n", "3:1"},
		{"script-help", "a.sh", "while getopts 'a:b' opt; do :; done\n", "1:1"},
		{"script-help", "a.js", "run(process.argv[2]);\n", "1:5"},
		{"script-help", "a.ts", "run(Deno.args[0]);\n", "1:5"},
		{"script-help", "a.py", "import argparse, sys\nargparse.ArgumentParser().parse_args(sys.argv[1:])\n", ""},
		{"script-help", "a.py", "import sys\nif len(sys.argv) < 2:\n    sys.exit('Usage: a.py FILE')\nmain(sys.argv[1])\n", ""},
		{"script-help", "a.py", "import sys\nprint(sys.argv[0])\n", ""},
		{"script-help", "a.sh", "if [ $# -lt 1 ]; then echo 'usage: a.sh FILE' >&2; exit 2; fi\n", ""},
		{"script-help", "a.sh", "greet() { echo \"$1\"; }\ngreet you\n", ""},
		{"script-help", "a.js", "import { parseArgs } from 'node:util';\nconst args = parseArgs({args: process.argv.slice(2)});\n", ""},
		{"script-help", "tests/a.py", "import sys\nmain(sys.argv[1])\n", ""},

		{"script-output", "a.py", "def main():\n    if not x:\n        print(f\"Error: {x} is missing\")\n        return\nif __name__ == '__main__':\n    main()\n", "3:9"},
		{"script-output", "a.py", "def main():\n    print('❌ no file')\n    sys.exit(0)\nif __name__ == '__main__':\n    main()\n", "2:5"},
		{"script-output", "a.py", "def main():\n    print('Error: x')\n    parser.print_help()\n    return\nif __name__ == '__main__':\n    main()\n", "2:5"},
		{"script-output", "a.sh", "if ! test -f x; then\n  echo \"Error: no x\"\n  exit 0\nfi\n", "2:3"},
		{"script-output", "a.js", "if (!x) {\n  console.log('Error: no x');\n  process.exit(0);\n}\n", "2:3"},
		{"script-output", "a.py", "try:\n    main()\nexcept Exception as e:\n    print(f\"Error: {e}\")\n", "3:1"},
		{"script-output", "a.py", "try:\n    main()\nexcept Exception as e: print(f\"Error: {e}\")\n", "3:1"},
		{"script-output", "a.py", "if __name__ == '__main__':\n    try:\n        main()\n    except Exception as e:\n        print(f\"❌ Failed: {e}\")\n\n", "4:5"},
		{"script-output", "a.py", "try:\n    main()\nexcept Exception as e:\n    print(f\"Error: {e}\")\nprint('done')\n", ""},
		{"script-output", "a.py", "try:\n    main()\nexcept Exception as e:\n    print(f\"Error: {e}\", file=sys.stderr)\n", ""},
		{"script-output", "a.py", "def main():\n    print('Error: x', file=sys.stderr)\n    return\nif __name__ == '__main__':\n    main()\n", ""},
		{"script-output", "a.py", "class A:\n    def b(self):\n        try:\n            c()\n        except OSError as e:\n            print(f\"Error: {e}\")\n", ""},
		{"script-output", "a.py", "def main():\n    print('Error: x', file=sys.stderr)\n    sys.exit(1)\nif __name__ == '__main__':\n    main()\n", ""},
		{"script-output", "a.py", "def main():\n    print('Error: x')\n    return 1\nif __name__ == '__main__':\n    sys.exit(main())\n", ""},
		{"script-output", "a.py", "def part():\n    print('Error: x')\n    return\n", ""},
		{"script-output", "a.py", "def main():\n    print('No errors')\n    return\nif __name__ == '__main__':\n    main()\n", ""},
		{"script-output", "a.sh", "echo \"Error: no x\" >&2\nexit 0\n", ""},
		{"script-output", "a.sh", "set -e\necho \"Error: no x\"\nexit 0\n", ""},
		{"script-output", "a.js", "console.log('Error: no x');\nprocess.exit(1);\n", ""},

		{"script-destructive", "a.sh", "OUT=\"$1\"\nrm -rf \"$OUT\"\n", "2:1"},
		{"script-destructive", "a.sh", "rm -r \"$1\"\n", "1:1"},
		{"script-destructive", "a.sh", "cd project\ngit clean -fdx\n", "2:1"},
		{"script-destructive", "a.sh", "git reset --hard\n", "1:1"},
		{"script-destructive", "a.py", "target = Path(args.output)\nif target.exists():\n    shutil.rmtree(target)\n", "3:12"},
		{"script-destructive", "a.js", "const out = process.argv[2];\nfs.rmSync(out, { recursive: true });\n", "2:4"},
		{"script-destructive", "a.sh", "rm -rf \"$1/\"*\n", "1:1"},
		{"script-destructive", "a.sh", "rm -rf -- \"$@\"\n", "1:1"},
		{"script-destructive", "a.sh", "find \"$1\" -delete\n", "1:1"},
		{"script-destructive", "a.sh", "find \"$1\" -mindepth 1 -type f -exec rm {} +\n", "1:1"},
		{"script-destructive", "a.sh", "DIR=${1:-.}; rm -rf \"$DIR\"/*\n", "1:1"},
		{"script-destructive", "a.sh", "OUT=\"${1:?}\"\n[ -d \"$OUT\" ] && rm -rf \"$OUT\" && mkdir \"$OUT\"\n", "2:1"},
		{"script-destructive", "a.sh", "log() { echo \"$1\"; }\nmain() {\n  local out=\"$1\"\n  rm -rf \"${out:?}\"/*\n}\nmain \"$@\"\n", "4:3"},
		{"script-destructive", "a.py", "shutil.rmtree(args.folder, ignore_errors=True)\n", "1:8"},
		{"script-destructive", "a.py", "shutil.rmtree(sys.argv[1])\n", "1:8"},
		{"script-destructive", "a.js", "fs.rmSync(process.argv[2],{recursive:true})\n", "1:4"},
		{"script-destructive", "a.rb", "FileUtils.rm_rf(ARGV[0])\n", "1:11"},
		{"script-destructive", "a.rb", "out = ARGV.first\nFileUtils.rm_rf out\n", "2:11"},
		{"script-destructive", "a.sh", "drop() {\n  rm -rf \"$1\"\n}\nfunction clear {\n  local out=\"$1\"\n  rm -rf \"$out\"\n}\ndrop dist\n", ""},
		{"script-destructive", "a.sh", "rm -rf \"$1/build\"\nrm -rf \"$1\"/dist/*\nrm -rf \"$1\"*.o\nOUT=\"$1/dist\"\nrm -rf \"$OUT\"\nX=\"${1:-.}/x\"\nrm -rf \"$X\"\n", ""},
		{"script-destructive", "a.sh", "OUT=${1:-$(mktemp -d)}\nrm -rf \"$OUT\"\n", ""},
		{"script-destructive", "a.sh", "find \"$1\" -name '*.pyc' -delete\nfind \"$1\" -type d -empty -delete\nfind \"$1\" -type f | sort\nfind \"$1\" -mtime +7 -delete\n", ""},
		{"script-destructive", "a.sh", "echo \"Delete $1? [y/N]\"\nread -r answer\nrm -rf \"$1\"\n", ""},
		{"script-destructive", "a.py", "shutil.rmtree(args.cache)\nshutil.rmtree(args.out / 'build')\nout = args.out\nshutil.rmtree(out / 'x')\n", ""},
		{"script-destructive", "a.rb", "FileUtils.rm_rf('dist')\nFileUtils.rm_rf(File.join(ARGV[0], 'x'))\nDir.mktmpdir { |d| FileUtils.rm_rf(d) }\n", ""},
		{"script-destructive", "a.sh", "T=$(mktemp -d)\nrm -rf \"$T\"\nrm -rf dist node_modules\n", ""},
		{"script-destructive", "a.sh", "OUT=\"$1\"\nread -rp 'Delete? ' x\nrm -rf \"$OUT\"\n", ""},
		{"script-destructive", "a.sh", "TMP_DIR=\"$1\"\nrm -rf \"$TMP_DIR\"\n", ""},
		{"script-destructive", "a.sh", "git reset --soft HEAD~1\ngit checkout -b x\necho 'git clean -fdx'\n", ""},
		{"script-destructive", "a.py", "parser.add_argument('--force')\ntarget = Path(args.output)\nshutil.rmtree(target)\n", ""},
		{"script-destructive", "a.py", "target = tempfile.mkdtemp()\nshutil.rmtree(target)\n", ""},
		{"script-destructive", "a.js", "fs.rmSync('dist', { recursive: true });\n", ""},
	} {
		d := bodyWith("Run `scripts/"+tt.name+"`.\n", map[string]string{"scripts/" + tt.name: tt.text})
		got := strings.Join(findings(d, tt.rule), "\n")
		place, _, _ := strings.Cut(strings.TrimPrefix(got, "scripts/"+tt.name+":"), ": ")
		if place != tt.want {
			t.Errorf("%s: %s\ngot %q, want %q", tt.rule, tt.text, got, tt.want)
		}
	}
	const bare = "import sys\nmain(sys.argv[1])\n"
	got := strings.Join(findings(bodyWith("x\n", map[string]string{"scripts/a.py": bare, "scripts/b.py": bare, "scripts/c.py": bare}), "script-help"), "\n")
	if want := `scripts/a.py:2:6: "scripts/a.py" takes arguments and has no --help or usage text (and 2 more scripts)`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
