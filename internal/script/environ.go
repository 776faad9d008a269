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

// environment is that of a script: what every program gets, and the skill's folder.
func (r *Runner) environment(skillDir string) []string {
	return set(r.plain(), "SKILL_DIR", skillDir)
}

// plain is the environment of every program: the allow-list, settings for output
// that a machine reads, and the variables of PassEnv.
func (r *Runner) plain() []string {
	var env []string
	pass := func(names []string) {
		for _, name := range names {
			if value, ok := sandbox.Lookup(r.Env, name); ok {
				env = set(env, name, value)
			}
		}
	}
	pass(passed())
	env = set(env, "TERM", "dumb")
	env = set(env, "NO_COLOR", "1")
	env = set(env, "PYTHONDONTWRITEBYTECODE", "1") // no __pycache__ in the skill's folder
	env = set(env, "PYTHONUNBUFFERED", "1")        // what was printed before a time-out is kept
	env = set(env, "PYTHONUTF8", "1")              // also where the locale says otherwise
	pass(r.PassEnv)
	return set(env, "PWD", r.Dir)
}

// sandboxEnvironment is the environment of a sandboxed script: temporary files
// and caches go to folders that it can write to.
func (r *Runner) sandboxEnvironment(p sandbox.Policy, skillDir string, caches []cache) []string {
	env := r.environment(skillDir)
	if p.Temp == "" {
		return env
	}
	for _, name := range []string{"TMPDIR", "TEMP", "TMP"} {
		env = set(env, name, p.Temp)
	}
	settings := append(slices.Clone(caches), cache{"GIT_CONFIG_GLOBAL", "/dev/null"}) // the user's cannot be read, which Git does not accept
	if !p.Net {
		settings = append(settings, cache{"UV_OFFLINE", "1"}) // uses what its cache has
	}
	for _, setting := range settings {
		if !slices.Contains(r.PassEnv, setting.variable) {
			env = set(env, setting.variable, setting.value)
		}
	}
	return env
}

// set adds a variable to a list of KEY=VALUE entries, or replaces it.
func set(env []string, name, value string) []string {
	entry := name + "=" + value
	for i := range env {
		if key, _, _ := strings.Cut(env[i], "="); sandbox.SameVariable(key, name) {
			env[i] = entry
			return env
		}
	}
	return append(env, entry)
}
