package workspace

import (
	"strings"
	"testing"
)

// TestParseLine: the commands of a line are all that it runs, or the line is opaque.
func TestParseLine(t *testing.T) {
	for text, want := range map[string]string{
		"git status":                        "git|status",
		"cd docs && ls -l | wc -l":          "cd|docs;ls|-l;wc|-l",
		`echo "a b" 'c d' e\ f`:             "echo|a b|c d|e f",
		"(cd x; make test) 2>&1 >/dev/null": "cd|x;make|test",
		"if true; then rm x; fi":            "true;rm|x",
		"cat <<EOF\nhello\nEOF":             "cat",
		"wc -l src/*.py ./*.md":             "wc|-l|src/*.py|./*.md",
		"sleep 1 & wait":                    "sleep|1;wait",
		"ls # a comment\npwd":               "ls;pwd",
		"cat <<E\n$HOME ${HOME}\nE":         "cat",
		"ls 2>&1 1>&2 2>&-":                 "ls",
		"test -f x && [ -d y ]":             "test|-f|x;[|-d|y|]",
		"ls \\\n  -l":                       "ls|-l",
		"printf %s x":                       "printf|%s|x",
		"python3 - <<'E'\nprint('$(x)')\nE": "python3|-",
		"git commit -m \"$(cat <<'EOF'\na \"b\" $(c)\n\nd\nEOF\n)\"": "git|commit|-m|a \"b\" $(c)\n\nd",
		"! grep -q x y || { echo a; echo b;}":                        "grep|-q|x|y;echo|a;echo|b",
	} {
		line := ParseLine(text)
		var got []string
		for _, words := range line.Commands {
			got = append(got, strings.Join(words, "|"))
		}
		if strings.Join(got, ";") != want || line.Opaque != "" {
			t.Errorf("%q: got %q, opaque %q; want %q", text, got, line.Opaque, want)
		}
	}
	for _, text := range []string{
		"", "# only a comment", "git $(cat x)", "git `x`", "git status > x", "git status >> x", "git status &> x", "X=1 git status", "eval ls",
		"source x", ". x", "f() { ls; }; f", "git $X", `git "$X"`, "ls *", "ls -*", "ls ~", "ls {a,b}", "echo 'x", "if", "exec 3<>x", "$X", "coproc ls",
		"diff <(ls) y", "for f in a b; do rm $f; done", "export A=1", "ls <<EOF\n$(rm x)\nEOF", `echo $'a'`, `echo $"a"`, "case x in a) ls;; esac", "trap ls EXIT",
		"git commit -m $(cat <<'E'\nx\nE\n)", "git commit -m \"$(cat <<E\nx\nE\n)\"", "git commit -m \"$(cat x <<'E'\nx\nE\n)\"", "git commit -m \"$(cat <<'E' >x\nx\nE\n)\"",
		"git commit -m \"$(cat <<'E'\nx\nE\nls)\"", "git commit -m \"$(sh <<'E'\nx\nE\n)\"", "x=\"$(cat <<'E'\nx\nE\n)\"", "git commit -m \"$(cat <<'E' &\nx\nE\n)\"",
		"((x=1))", "let x=1", "alias a=b", "cat >&x", "while true; do ls; done", "command ls", "builtin cd", "set -x", "[[ -f $x ]]", "echo ${x:-$(ls)}",
		"echo a #\\\nrm x", "echo a \\\r\nrm x", "echo a\r\nrm x", "./a*", "a[b]", "echo \"$\\\n(rm x)\"", "echo $\\\n-p", "echo \"$\\\n{x:=y}\"", "ls a[{x,y}", "ls a*{x,y}", "cat {PATH}</dev/null", "cat <<<$((PATH=1))", "cat <<E\n$((PATH=1))\nE", "cat <<E\n${A:=b}\nE", "cat <${A:=b}",
		"cat >&'0 1'", "cat >&' '", `ls \-*`, "ls \\\n-*", "printf -v PATH x", "printf -vPATH x", "printf -v 'a[$(ls)]' x", "read PATH <x", "test -v 'a[$(ls)]'", "[ 1 -a -v 'a[$(ls)]' ]",
		"wait -np 'a[$(ls)]'", `\export PATH=x`, "'let' 'a[$(ls)]'", "compgen -C ls", "mapfile -C ls", "unset 'a[$(ls)]'", "jobs -x ls",
	} {
		if line := ParseLine(text); line.Opaque == "" {
			t.Errorf("%q is certain: %q", text, line.Commands)
		}
	}
}

// TestLineFacts: why a line is not certain comes before its commands, in a row of its own.
func TestLineFacts(t *testing.T) {
	for text, want := range map[string]string{
		"git add . && git commit -m 'a b'":   "runs=git add . · git commit -m 'a b'",
		"X=1 make " + strings.Repeat("x", 9): "uncertain=it sets variables|runs=make xxxxxxxxx",
		"echo 'x":                            "uncertain=it cannot be parsed",
	} {
		var got []string
		for _, f := range ParseLine(text).facts() {
			got = append(got, f.Label+"="+f.Value)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add("git status && ls")
	f.Add("echo \"a$(b)\" > c")
	f.Fuzz(func(t *testing.T, text string) {
		line := ParseLine(text)
		if line.Opaque == "" && strings.ContainsAny(text, "`") && !strings.ContainsAny(text, "'\\#\"") {
			t.Errorf("a substitution is certain: %q", line.Commands)
		}
		line.facts()
	})
}
