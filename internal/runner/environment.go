package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"skills/internal/safefile"
)

// envFile is a file of variables, and what came of reading it.
type envFile struct {
	name     string
	vars     map[string]string
	warnings []string
	err      error
}

// maxEnvFile is the most that is read of a .env file.
const maxEnvFile = 64 << 10

// readEnv reads the file a flag names, or .env here, which need not be there;
// once, for it may be a pipe. It comes with the folder, so it is not trusted:
// it is bounded, only a regular file is read, and nothing in it reaches the
// environment.
func (r *Runner) readEnv(ctx context.Context) *envFile {
	if r.vars != nil {
		return r.vars
	}
	f := &envFile{name: cmp.Or(r.EnvFile, ".env")}
	r.vars = f
	if r.EnvFile == "" {
		if info, err := os.Stat(r.absolute(f.name)); err != nil || !info.Mode().IsRegular() {
			return f
		}
	}
	text, err := r.file(ctx, "--env-file", f.name, maxEnvFile)
	switch {
	case err == nil:
		var problems []string
		f.vars, problems = parseEnv(text)
		for _, p := range problems {
			f.warnings = append(f.warnings, f.name+":"+p)
		}
	case r.EnvFile == "" && !errors.As(err, new(*safefile.UnfinishedError)):
		f.warnings = []string{err.Error() + "; it is ignored"}
	default:
		f.err = err
	}
	return f
}

// parseEnv reads NAME=VALUE lines, with quotes, comments and a leading export;
// nothing is expanded. Any other line is ignored and reported by its number,
// without its text: it may be a key.
func parseEnv(text string) (vars map[string]string, problems []string) {
	vars = map[string]string{}
	variable := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	text = strings.TrimPrefix(text, "\uFEFF")
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		if !found || !variable.MatchString(name) {
			problems = append(problems, fmt.Sprintf("%d: not a line of the form NAME=VALUE", i+1))
			continue
		}
		value, ok := unquoteEnv(strings.TrimSpace(value))
		if !ok {
			problems = append(problems, fmt.Sprintf("%d: the quote of %s is never closed", i+1, name))
			continue
		}
		vars[name] = value
	}
	return vars, problems
}

// unquoteEnv understands the escapes \n, \r, \t, \" and \\ in double quotes, and
// none in single quotes. An unquoted value ends at " #". ok says that a quote ends.
func unquoteEnv(value string) (text string, ok bool) {
	if value == "" || value[0] != '"' && value[0] != '\'' {
		if i := strings.Index(value, " #"); i >= 0 {
			value = strings.TrimSpace(value[:i])
		}
		return value, true
	}
	quote := value[0]
	var b strings.Builder
	for i := 1; i < len(value); i++ {
		switch c := value[i]; {
		case c == quote:
			return b.String(), true
		case c == '\\' && quote == '"' && i+1 < len(value):
			i++
			if at := strings.IndexByte(`nrt"\`, value[i]); at >= 0 {
				b.WriteByte("\n\r\t\"\\"[at])
			} else {
				b.WriteString(value[i-1 : i+1])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// warnUnset warns of variables that are to be handed on and are not there:
// nearly always a slip of the fingers.
func (r *Runner) warnUnset() {
	for _, name := range r.PassEnv {
		same := func(entry string) bool {
			set, _, _ := strings.Cut(entry, "=")
			return set == name || runtime.GOOS == "windows" && strings.EqualFold(set, name)
		}
		if !slices.ContainsFunc(r.Environ, same) {
			r.warnf("--pass-env: %s is not set", name)
		}
	}
}

// variableName refuses a variable with a value where only its name is wanted. It
// does not repeat the value, which may be a key.
func variableName(flag, value string) error {
	name, _, ok := strings.Cut(value, "=")
	if !ok {
		return nil
	}
	return Refuse("set the variable in the environment, and write "+strings.TrimSpace(flag+" "+name), "%s takes the name of a variable, without a value", flag)
}
