package script

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skills/internal/script/sandbox"
)

// mostUnseen is how many paths are listed.
const mostUnseen = 3

// unseen are the paths in the arguments of a failed script, and in its messages,
// that its sandbox does not show. Whether they exist is not looked at: the list
// is for the model.
func unseen(p sandbox.Policy, args []string, stderr string) []string {
	var found []string
	add := func(path string) {
		if len(found) < mostUnseen && !p.Sees(path) && !slices.Contains(found, path) {
			found = append(found, path)
		}
	}
	for _, path := range namedPaths(args, p.Dir, p.Home) {
		add(path)
	}
	for _, match := range regexp.MustCompile(`(?:^|[\s'"=(:])(/[^\s'":,;()]+)`).FindAllStringSubmatch(stderr, -1) {
		add(filepath.Clean(match[1]))
	}
	return found
}

// namedPaths are the paths among words that lead out of the working folder:
// absolute, below the home folder, or with "..". The value of an option counts.
func namedPaths(words []string, dir, home string) []string {
	var found []string
	for _, word := range words {
		if _, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
			word = value
		}
		switch {
		case filepath.IsAbs(word):
			found = append(found, filepath.Clean(word))
		case home != "" && strings.HasPrefix(word, "~/"):
			found = append(found, filepath.Join(home, word[2:]))
		case strings.HasPrefix(word, "../") || word == "..":
			found = append(found, filepath.Join(dir, word))
		}
	}
	return found
}

// Unseen returns the existing paths that arguments, or a text such as the
// prompt, name and that the sandbox would not show the script, so that the user
// can be asked about them; see [Runner.AllowReading]. There are none without a
// sandbox.
func (r *Runner) Unseen(s Script, args []string, text string) []string {
	command, err := r.Command(s, args)
	if err != nil {
		return nil
	}
	p, _, err := r.policyFor(s, command)
	if err != nil || p.Temp == "" {
		return nil
	}
	var found []string
	for _, path := range namedPaths(append(slices.Clone(args), strings.Fields(text)...), p.Dir, p.Home) {
		path = strings.TrimRight(path, ".,;:!?'\")")
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && !p.Sees(path) && !slices.Contains(found, path) && len(found) < mostUnseen {
			found = append(found, path)
		}
	}
	return found
}
