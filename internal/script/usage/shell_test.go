package usage

import (
	"encoding/json"
	"strings"
	"testing"
)

const shellLoop = `#!/usr/bin/env bash
set -euo pipefail
usage() {
  cat >&2 <<EOF
Usage: $0 --source FILE [options]

Options:
  -s, --source FILE   what to read
  --level <n>         how much (1-9)
  --tag=NAME          a label
  -v, --verbose       say more
EOF
  exit 2
}
SOURCE=""
LEVEL=3
TAGS=()
QUIET=false
while [[ $# -gt 0 ]]; do
  case "$1" in
    -s|--source) SOURCE="$2"; shift 2 ;;
    --level)
      [[ $# -ge 2 ]] || usage
      LEVEL="$2"
      shift
      shift
      ;;
    --tag) TAGS+=("$2"); shift 2 ;;
    --tag=*) TAGS+=("${1#*=}"); shift ;;
    --only=*) ONLY="${1#*=}"; shift ;;
    -v|--verbose) QUIET=false; shift ;;
    -h|--help) usage ;;
    *) echo "unknown: $1" >&2; exit 1 ;;
  esac
done
if [[ -z "$SOURCE" || -z "$LEVEL" ]]; then
  usage
fi
`

func TestShellLoop(t *testing.T) {
	u, ok := Of("run", []byte(shellLoop))
	if !ok || u.Partial {
		t.Fatalf("%+v, %t", u, ok)
	}
	want := `{"type":"object","properties":{"source":{"type":"string","description":"what to read"},` +
		`"level":{"type":"string","description":"how much (1-9) (default: 3)"},"tag":{"type":"array","items":{"type":"string"},"description":"a label"},` +
		`"only":{"type":"string"},"verbose":{"type":"boolean","description":"say more"}},"required":["source"]}`
	if got := u.Compact(4000); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, test := range []struct{ arguments, words string }{
		{`{"source": "a", "tag": ["x", "y"], "only": "-z", "verbose": true}`, "--source|a|--tag|x|--tag|y|--only=-z|--verbose"},
		{`["-s", "a", "--level", "-1", "--tag=x"]`, "-s|a|--level|-1|--tag=x"},
		{`{"source": "a", "colour": 1}`, ""},
		{`["-s", "a", "b"]`, ""},
		{`{}`, ""},
	} {
		words, err := u.Words(json.RawMessage(test.arguments))
		if got := strings.Join(words, "|"); err == nil && got != test.words || err != nil && test.words != "" {
			t.Errorf("%s: %q, %v", test.arguments, got, err)
		}
	}
}

// TestShell checks what is certain, as a usage line, and what is only known as the script's
// own usage line, behind "?".
func TestShell(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"checked", "if [ $# -ne 2 ]; then\n  echo \"Usage: $0 <in> <out>\"\n  exit 1\nfi\ncp \"$1\" \"$2\"", "IN OUT"},
		{"asserted", "[[ $# -ge 1 ]] || { echo 'usage: x.sh FILE [OUT]'; exit 1; }\nIN=$1\nOUT=${2:-out.txt}", "FILE [OUT=out.txt]"},
		{"arithmetic", "(( $# < 2 )) && exit 2\nleft=$1 right=$2", "LEFT RIGHT"},
		{"required", "NAME=\"${1:?a name is missing}\"\nPLACE=\"${2:-}\"", "NAME [PLACE]"},
		{"empty", "if [ -z \"$1\" ]; then exit 1; fi\ncat \"$1\"", "ARG1"},
		{"later", "FILE=${1:-}\nif [[ -z $FILE ]]; then exit 1; fi", "FILE"},
		{"else", "if [ $# -gt 0 ]; then\n  cat \"$1\"\nelse\n  exit 1\nfi", "ARG1"},
		{"nounset", "set -eu\necho \"$1\"", "ARG1"},
		{"optional", "echo \"$1\"", "[ARG1]"},
		{"function", "main() {\n  local file=\"$1\"\n  helper \"$file\" \"$2\"\n}\nhelper() { echo \"$1\" \"$2\" \"$3\"; }\nmain \"$@\"", "[FILE] [ARG2]"},
		{"shifted", "CMD=${1:?}\nshift\nfor f in \"$@\"; do echo \"$f\"; done", "CMD [F …]"},
		{"all", "# Usage: x.sh [FILE...]\nfor file; do wc \"$file\"; done", "[FILE …]"},
		{"joined", "set -u\n[ -n \"$1\" ] || exit 1\nQUERY=\"$*\"", "QUERY …"},
		{"each", "[[ $# -gt 0 ]] || exit 1\nwhile [ $# -gt 0 ]; do\n  NAME=$1\n  echo $NAME\n  shift\ndone", "NAME …"},
		{"any words", "for file; do wc \"$file\"; done", ""},
		{"commands", "case \"${1:-}\" in\n  start) run ;;\n  stop|halt) end ;;\n  -h|--help) usage ;;\n  *) exit 1 ;;\nesac", "ARG1{start,stop,halt}"},
		{"getopts", "while getopts 'n:vh' o; do\n  case $o in\n    n) N=$OPTARG ;;\n    v) V=1 ;;\n    *) exit 2 ;;\n  esac\ndone\nshift $((OPTIND - 1))\nINPUT=${1:?}\n", "INPUT -n -v!"},
		{"flags of a loop over all", "for a in \"$@\"; do\n  case $a in\n    --dry-run) DRY=1 ;;\n    --to=*) TO=${a#*=} ;;\n    *) exit 1 ;;\n  esac\ndone", "--dry-run! --to"},
		{"words in the loop", "while [ $# -gt 0 ]; do\n  case $1 in\n    --fast) F=1; shift ;;\n    *) FILES+=(\"$1\"); shift ;;\n  esac\ndone", "[FILES …] --fast!"},
		{"words behind the loop", "while [ $# -gt 0 ]; do\n  case $1 in\n    --fast) F=1 ;;\n    -*) exit 1 ;;\n    *) break ;;\n  esac\n  shift\ndone\nSOURCE=${1:?}", "SOURCE --fast!"},
		{"behind dashes", "while [ $# -gt 0 ]; do\n  case $1 in\n    --fast) shift ;;\n    --) shift; REST=(\"$@\"); break ;;\n    *) exit 1 ;;\n  esac\ndone", "[REST …] --fast!"},
		{"nothing", "echo hello", ""},

		{"passed through", "# Usage: x.sh FILE...\nexec tool \"$@\"", "? FILE..."},
		{"optional value", "echo 'usage: x.sh [--log [FILE]]'\nwhile [ $# -gt 0 ]; do\n  case $1 in\n    --log) if [ -n \"$2\" ]; then LOG=$2; shift; fi; shift ;;\n    *) exit 1 ;;\n  esac\ndone", "? [--log [FILE]]"},
		{"flag in a test", "echo 'usage: x.sh [--force]'\nif [[ \"${1:-}\" == \"--force\" ]]; then rm x; fi", "? [--force]"},
		{"replaced", "# Usage: x.sh A\nset -- b c\necho $1", "? A"},
		{"conditional shift", "# Usage: x.sh [A] B\nif [ \"$1\" = a ]; then shift; fi\necho $1", "? [A] B"},
		{"disagrees", "# Usage: x.sh A B\necho \"${1:?}\"", "? A B"},
		{"broken", "# Usage: x.sh A\nif then", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, ok := Of("scripts/x.sh", []byte(test.script+"\n"))
			got := summaryOf(u, ok)
			for i, p := range u.Positionals {
				if len(p.Choices) > 0 {
					got += strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(p.choiceText(), "|", ","), ","), " ", "")
					got = strings.Replace(got, strings.ToUpper(u.Positionals[i].Key), strings.ToUpper(u.Positionals[i].Key)+"{", 1) + "}"
				}
			}
			for _, p := range u.Options {
				got = strings.TrimSpace(got + " " + p.Name() + map[bool]string{true: "!"}[p.Kind == Flag])
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestShellBehindDashes checks that words which are only accepted behind -- get it.
func TestShellBehindDashes(t *testing.T) {
	u := ofShell(t, "while [ $# -gt 0 ]; do\n  case $1 in\n    --fast) shift ;;\n    --) shift; REST=(\"$@\"); break ;;\n    *) exit 1 ;;\n  esac\ndone\n")
	words, err := u.Words(json.RawMessage(`{"rest": ["-a", "b"], "fast": true}`))
	if got := strings.Join(words, " "); err != nil || got != "--fast -- -a b" {
		t.Error(got, err)
	}
}

func ofShell(t *testing.T, script string) Usage {
	t.Helper()
	u, ok := Of("x.sh", []byte(script))
	if !ok {
		t.Fatalf("no usage for\n%s", script)
	}
	return u
}
