package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseEnv(t *testing.T) {
	vars, problems := parseEnv("\uFEFF# comment\r\nA=plain # why\r\nexport B = spaced \nC='single \\n #'\nD=\"double\\n\\\"q\\\" \\\\ \\x\" # c\n\nE=\nF=a#b\nno line\n1X=y\nG=\"open\nÄ=x\n")
	want := map[string]string{"A": "plain", "B": "spaced", "C": `single \n #`, "D": "double\n\"q\" \\ \\x", "E": "", "F": "a#b"}
	if diff := cmp.Diff(want, vars); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	wantProblems := []string{
		"9: not a line of the form NAME=VALUE", "10: not a line of the form NAME=VALUE",
		"11: the quote of G is never closed", "12: not a line of the form NAME=VALUE",
	}
	if diff := cmp.Diff(wantProblems, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
