package script

import (
	"runtime"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

// passed are the variables of the parent that every script gets. The names are
// spelled out, because whatever a pattern lets through can be a secret.
func passed() []string {
	names := "PATH HOME USER LOGNAME TZ TMPDIR TEMP TMP LANG LANGUAGE LC_ALL LC_ADDRESS LC_COLLATE LC_CTYPE LC_IDENTIFICATION " +
		"LC_MEASUREMENT LC_MESSAGES LC_MONETARY LC_NAME LC_NUMERIC LC_PAPER LC_TELEPHONE LC_TIME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME " +
		// Where toolchains are installed.
		"VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT RBENV_ROOT GEM_HOME DENO_DIR DOTNET_ROOT GOROOT GOPATH GOCACHE GOMODCACHE"
	if runtime.GOOS == "windows" {
		names += " SystemRoot SystemDrive windir ComSpec PATHEXT OS USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA ProgramData " +
			"ProgramFiles ProgramFiles(x86) ProgramW6432 CommonProgramFiles PSModulePath NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE"
	}
	return strings.Fields(names)
}

// environment is that of every program: the allow-list, settings for output that
// a machine reads, further settings, and the variables of PassEnv. Of several
// entries for one variable the last one counts.
func (r *Runner) environment(settings ...string) []string {
	settings = slices.Concat([]string{
		"TERM=dumb", "NO_COLOR=1",
		"PYTHONDONTWRITEBYTECODE=1", // no __pycache__ in the skill's folder
		"PYTHONUNBUFFERED=1",        // what was printed before a time-out is kept
		"PYTHONUTF8=1",              // also where the locale says otherwise
	}, settings)
	return slices.Concat(r.variables(passed()), settings, r.variables(r.PassEnv), []string{"PWD=" + r.Dir})
}

// variables are those of the parent's with these names.
func (r *Runner) variables(names []string) (env []string) {
	for _, name := range names {
		if value, ok := sandbox.Lookup(r.Env, name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// scriptEnvironment is the environment of a script. In a sandbox temporary files
// and caches go to folders that it can write to.
func (r *Runner) scriptEnvironment(p sandbox.Policy, skillDir string, caches []string) []string {
	skill := "SKILL_DIR=" + skillDir
	if p.Temp == "" {
		return append(r.environment(), skill)
	}
	settings := append(caches, "GIT_CONFIG_GLOBAL=/dev/null") // the user's cannot be read, which Git does not accept
	if !p.Net {
		settings = append(settings, "UV_OFFLINE=1") // uses what its cache has
	}
	return append(r.environment(settings...), skill, "TMPDIR="+p.Temp, "TEMP="+p.Temp, "TMP="+p.Temp)
}
