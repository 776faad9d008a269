package git

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// kept are the variables of git's that are passed on: where its configuration
// is, which people and CI use to name a folder as safe. All others go. Inside a
// hook GIT_DIR, GIT_INDEX_FILE and the like speak of the repository that is
// being committed to, which need not be the one that is asked about.
var kept = []string{
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH",
	"GIT_CONFIG_COUNT",
}

// environment is what git is started with.
func environment(env []string) []string {
	var out []string
	for _, kv := range env {
		key, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			key = strings.ToUpper(key)
		}
		setting := strings.HasPrefix(key, "GIT_CONFIG_KEY_") || strings.HasPrefix(key, "GIT_CONFIG_VALUE_")
		switch {
		case strings.HasPrefix(key, "GIT_") && !setting && !slices.Contains(kept, key):
		case key == "LC_ALL", key == "LANG", key == "LANGUAGE", key == "LC_MESSAGES":
		default:
			out = append(out, kv)
		}
	}
	return append(out,
		"LC_ALL=C",              // its words are read
		"GIT_TERMINAL_PROMPT=0", // it must not ask
		"GIT_OPTIONAL_LOCKS=0",  // it must not write
		"GIT_NO_LAZY_FETCH=1",   // it must not ask the network
	)
}

// withSettings adds settings of git's configuration to an environment, after
// those it holds already.
func withSettings(env []string, settings [][2]string) []string {
	n := 0
	for _, kv := range env {
		if text, ok := strings.CutPrefix(kv, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(text)
		}
	}
	out := slices.Clone(env)
	for i, s := range settings {
		at := strconv.Itoa(max(n, 0) + i)
		out = append(out, "GIT_CONFIG_KEY_"+at+"="+s[0], "GIT_CONFIG_VALUE_"+at+"="+s[1])
	}
	return append(out, "GIT_CONFIG_COUNT="+strconv.Itoa(max(n, 0)+len(settings)))
}
