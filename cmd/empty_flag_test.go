package cmd

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"skills/internal/run"
	"skills/internal/testing/openaitest"
)

// TestEmptyFlags passes an empty value, as an unset variable would, to every text flag of
// run and exec. Each is a usage error except --system, which may be empty.
func TestEmptyFlags(t *testing.T) {
	server := openaitest.New(t)
	run := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		env := Env{Env: run.Env{Dir: t.TempDir(), Environ: []string{"OPENAI_BASE_URL=" + server.URL}}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
		return Run(t.Context(), env, args), errs.String()
	}
	a := newApp(Env{})
	for name, command := range map[string]struct {
		flags *pflag.FlagSet
		rest  []string
		texts int // how many flags there are of which this is held
	}{
		"run":  {runCommand(a).Flags(), []string{"hello"}, 39},
		"exec": {execCommand(a).Flags(), []string{"skill", "script"}, 13},
	} {
		texts := 0
		command.flags.VisitAll(func(f *pflag.Flag) {
			if !slices.Contains([]string{"string", "stringArray"}, f.Value.Type()) || f.Name == "system" {
				return
			}
			texts++
			code, errs := run(slices.Concat([]string{name, "--" + f.Name, ""}, command.rest)...)
			want := "error: --" + f.Name + ": the value is empty\nhint: give a "
			if code != exitUsage || !strings.HasPrefix(errs, want) {
				t.Errorf("%s --%s: exit code %d, %s", name, f.Name, code, errs)
			}
		})
		if texts < command.texts {
			t.Errorf("%s has %d flags that take a text, fewer than %d", name, texts, command.texts)
		}
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--audit=", "hello"}, "error: --audit: the value is empty\nhint: give a FILE, or omit the flag; an unset variable makes it empty\n"},
		{[]string{"run", "--base-url", "", "hello"}, "error: --base-url: the value is empty\nhint: give a URL, or omit the flag; an unset variable makes it empty\n"},
		{[]string{"run", "--skills", "a", "--skills", "", "hello"}, "error: --skills: the value is empty\nhint: give a PATH, or omit the flag; an unset variable makes it empty\n"},
		{[]string{"run", "--pass-env", "TOKEN=secret", "hello"}, "error: --pass-env takes the name of a variable, without a value\nhint: set the variable in the environment, and write --pass-env TOKEN\n"},
		{[]string{"exec", "--pass-env", "A", "--pass-env", "=b", "x", "y"}, "error: --pass-env takes the name of a variable, without a value\nhint: set the variable in the environment, and write --pass-env\n"},
		{[]string{"run", "--api-key-env", "KEY=secret", "hello"}, "error: --api-key-env takes the name of a variable, without a value\nhint: set the variable in the environment, and write --api-key-env KEY\n"},
	} {
		if code, errs := run(test.args...); code != exitUsage || errs != test.want {
			t.Errorf("%q: exit code %d, stderr %q", test.args, code, errs)
		}
	}
	server.Add(openaitest.Text("fine"))
	if code, errs := run("run", "--system", "", "hello"); code != exitFine {
		t.Errorf("--system: exit code %d, %s", code, errs)
	}
}
