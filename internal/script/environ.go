package script

import (
	"runtime"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

// passed are the variables of the parent that every script is given: where
// things are and which language the user speaks. The names are spelled out,
// LC_* included, because whatever a pattern lets through can be a secret.
func passed() []string {
	names := []string{
		"PATH", "HOME", "USER", "LOGNAME", "TZ", "TMPDIR", "TEMP", "TMP",
		"LANG", "LANGUAGE", "LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE",
		"LC_IDENTIFICATION", "LC_MEASUREMENT", "LC_MESSAGES", "LC_MONETARY",
		"LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME",
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
		// Where tool chains are installed.
		"VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "RBENV_ROOT", "GEM_HOME",
		"DENO_DIR", "DOTNET_ROOT", "GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE",
	}
	if runtime.GOOS == "windows" {
		names = append(names,
			"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "OS",
			"USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA",
			"LOCALAPPDATA", "ProgramData", "ProgramFiles", "ProgramFiles(x86)",
			"ProgramW6432", "CommonProgramFiles", "PSModulePath",
			"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE")
	}
	return names
}

// environment is what a script of the given folder is started with: what every
// program gets, and where its skill is.
func (r *Runner) environment(skillDir string) []string {
	return set(r.plain(), "SKILL_DIR", skillDir)
}

// plain is what every program is started with: the allow-list, then what suits
// one whose output is read by a machine, then what was asked for by name.
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

// sandboxEnvironment is the environment of a sandboxed script: what it keeps for
// later goes to the temporary folder, or to its caches.
func (r *Runner) sandboxEnvironment(p sandbox.Policy, skillDir string, caches []cache) []string {
	env := r.environment(skillDir)
	if p.Temp == "" {
		return env
	}
	for _, name := range []string{"TMPDIR", "TEMP", "TMP"} {
		env = set(env, name, p.Temp)
	}
	for _, cache := range caches {
		if !slices.Contains(r.PassEnv, cache.variable) {
			env = set(env, cache.variable, cache.dir)
		}
	}
	if !slices.Contains(r.PassEnv, "GIT_CONFIG_GLOBAL") { // the user's is not there, which Git takes badly
		env = set(env, "GIT_CONFIG_GLOBAL", "/dev/null")
	}
	if !p.Net && !slices.Contains(r.PassEnv, "UV_OFFLINE") {
		env = set(env, "UV_OFFLINE", "1") // uses what its cache has
	}
	return env
}

// set puts a variable into a list of KEY=VALUE entries, in the place of an
// earlier one of the same name.
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
