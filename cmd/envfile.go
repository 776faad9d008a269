package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"skills/internal/safefile"
)

// envFile is a file of variables.
type envFile struct {
	name string
	vars map[string]string
}

// maxEnvFile is the most that is read of a .env file.
const maxEnvFile = 64 << 10

// envRead is what came of reading a file of variables.
type envRead struct {
	file     envFile
	warnings []string
	err      error
}

// envFile returns the file a flag names, or .env here, and warns of what is
// wrong with it.
func (a *app) envFile(ctx context.Context, flag string) (envFile, error) {
	got := a.readEnv(ctx, flag)
	for _, w := range got.warnings {
		a.warn("%s", w)
	}
	return got.file, got.err
}

// readEnv reads the file a flag names, or .env here, which need not be there;
// once, for it may be a pipe. It comes with the folder, so it is not trusted:
// it is bounded, only a regular file is read, and nothing in it reaches the
// environment. What does not end with the context is an *safefile.UnfinishedError.
func (a *app) readEnv(ctx context.Context, flag string) *envRead {
	if a.vars == nil {
		a.vars = &envRead{}
		a.vars.file, a.vars.err = a.vars.read(ctx, a, flag)
	}
	return a.vars
}

func (r *envRead) read(ctx context.Context, a *app, flag string) (envFile, error) {
	name := flag
	if name == "" {
		name = ".env"
		if info, err := os.Stat(a.absolute(name)); err != nil || !info.Mode().IsRegular() {
			return envFile{name: name}, nil
		}
	}
	data, err := safefile.Wait(ctx, "--env-file: "+name, func() ([]byte, error) { return readBounded(a.absolute(name), maxEnvFile) })
	switch {
	case errors.As(err, new(*safefile.UnfinishedError)):
		return envFile{}, err
	case errors.Is(err, fs.ErrNotExist):
		return envFile{}, wrongUsage("check the spelling, and the folder this was started in", "--env-file: %s does not exist", name)
	case err != nil && flag == "":
		r.warnings = append(r.warnings, fmt.Sprintf("%s is left out: %v", name, err))
		return envFile{name: name}, nil
	case err != nil:
		return envFile{}, wrongUsage("name a readable text file", "--env-file: reading %s: %w", name, err)
	}
	vars, problems := parseEnv(string(data))
	for _, p := range problems {
		r.warnings = append(r.warnings, name+":"+p)
	}
	return envFile{name, vars}, nil
}

// parseEnv reads NAME=VALUE lines. Comments, blank lines, a leading export and
// quotes are understood: in double quotes \n, \r, \t, \" and \\ are escapes,
// in single quotes nothing is; an unquoted value ends at " #". Values are taken
// as they are, nothing is expanded. A line that is none of that is told with
// its number and left out, its text is not: it may be a key.
func parseEnv(text string) (vars map[string]string, problems []string) {
	vars = map[string]string{}
	text = strings.TrimPrefix(text, "\uFEFF")
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		if !found || !isVariable(name) {
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

func isVariable(name string) bool {
	for i, r := range name {
		if r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r)) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}

func unquoteEnv(value string) (string, bool) {
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
