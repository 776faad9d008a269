package script

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// secretVariables are the variables that say where a program keeps its secrets,
// other than below the home folder, and which places below there those are.
func secretVariables() []struct {
	name  string
	below []string // none: the place itself, or each of a list
} {
	return []struct {
		name  string
		below []string
	}{
		{"AWS_SHARED_CREDENTIALS_FILE", nil}, {"AWS_CONFIG_FILE", nil}, {"AWS_WEB_IDENTITY_TOKEN_FILE", nil}, {"AZURE_CONFIG_DIR", nil},
		{"AZURE_FEDERATED_TOKEN_FILE", nil}, {"BOTO_CONFIG", nil}, {"CLOUDSDK_CONFIG", nil}, {"GOOGLE_APPLICATION_CREDENTIALS", nil},
		{"OCI_CLI_CONFIG_FILE", nil}, {"TF_CLI_CONFIG_FILE", nil}, {"PULUMI_HOME", []string{"credentials.json"}}, {"RCLONE_CONFIG", nil},
		{"KUBECONFIG", nil}, {"DOCKER_CONFIG", nil}, {"REGISTRY_AUTH_FILE", nil}, {"HELM_REGISTRY_CONFIG", nil}, {"FLY_CONFIG_DIR", nil},
		{"GNUPGHOME", nil}, {"PASSWORD_STORE_DIR", nil}, {"SOPS_AGE_KEY_FILE", nil}, {"CREDENTIALS_DIRECTORY", nil}, {"KAGGLE_CONFIG_DIR", nil},
		{"GH_CONFIG_DIR", nil}, {"GLAB_CONFIG_DIR", nil}, {"NETRC", nil}, {"PGPASSFILE", nil}, {"PGSERVICEFILE", nil}, {"XAUTHORITY", nil},
		{"NPM_CONFIG_USERCONFIG", nil}, {"npm_config_userconfig", nil}, {"PIP_CONFIG_FILE", nil}, {"HISTFILE", nil},
		{"CARGO_HOME", []string{"credentials", "credentials.toml"}}, {"GRADLE_USER_HOME", []string{"gradle.properties"}},
		{"COMPOSER_HOME", []string{"auth.json"}}, {"HF_HOME", []string{"token"}}, {"HF_TOKEN_PATH", nil},
		{"CODEX_HOME", []string{"auth.json"}}, {"CLAUDE_CONFIG_DIR", []string{".credentials.json"}},
		{"XDG_CONFIG_HOME", below(".config/")}, {"XDG_DATA_HOME", below(".local/share/")}, {"XDG_CACHE_HOME", below(".cache/")},
	}
}

// below are the secrets of a home folder that lie below one of its folders, by
// their names there.
func below(folder string) []string {
	var names []string
	for _, name := range homeSecrets() {
		if rest, ok := strings.CutPrefix(name, folder); ok {
			names = append(names, rest)
		}
	}
	return names
}

// namedSecrets are the places there are that variables name, as real paths. A
// variable that scripts are given by name opens its place to them. One that
// names a folder with all that is worked on in it is passed over: its place
// cannot be closed, which unknown says.
func (r *Runner) namedSecrets(p policy, homes []string) (found, unknown []string) {
	for _, variable := range secretVariables() {
		value, _ := lookup(r.Env, variable.name)
		if value == "" || slices.Contains(r.PassEnv, variable.name) {
			continue
		}
		places := []string{value}
		if variable.name == "KUBECONFIG" {
			places = filepath.SplitList(value)
		}
		for _, place := range places {
			if !filepath.IsAbs(place) {
				place = filepath.Join(p.dir, place)
			}
			names := variable.below
			if names == nil {
				names = []string{""}
			}
			for _, name := range names {
				for _, path := range real([]string{filepath.Join(place, filepath.FromSlash(name))}) {
					if tooWide(path, homes) != nil || p.holdsWork(path) {
						unknown = append(unknown, variable.name+" names "+path+", which holds what is worked on, and can be read")
					} else {
						found = append(found, path)
					}
				}
			}
		}
	}
	return found, unknown
}

// holdsWork says whether a place holds a writable one.
func (p policy) holdsWork(path string) bool {
	return slices.ContainsFunc(p.write, func(w string) bool { return within(w, path) })
}

// linkedSecrets are what links in secret folders lead to, as the real paths there
// are below the home folders: those who keep their settings in one place of
// their own link to it.
func (p policy) linkedSecrets(folders, homes []string) []string {
	const most = 1000 // entries of one folder
	var found []string
	for _, folder := range folders {
		dir, err := os.Open(folder)
		if err != nil {
			continue
		}
		entries, _ := dir.ReadDir(most) // of a file there are none
		dir.Close()
		for _, entry := range entries {
			if entry.Type()&os.ModeSymlink == 0 {
				continue
			}
			for _, path := range real([]string{filepath.Join(folder, entry.Name())}) {
				athome := slices.ContainsFunc(homes, func(home string) bool { return within(path, home) })
				if athome && tooWide(path, homes) == nil && !p.holdsWork(path) && !within(path, folder) {
					found = append(found, path)
				}
			}
		}
	}
	return found
}
