package script

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// homeSecrets are the places below a home folder where keys, tokens, passwords
// and what a person does lie. Nearly every program that keeps a secret has its
// own place, so the list is never complete.
func homeSecrets() []string {
	return []string{
		// Keys and password stores.
		".ssh", ".gnupg", ".password-store", ".pki", ".config/age", ".config/sops", ".config/op", ".config/Bitwarden CLI",
		".local/share/keyrings", ".local/share/kwalletd", ".kde/share/apps/kwallet", ".vault-token", ".keychain",
		// Clouds, clusters and their tools.
		".aws", ".azure", ".kube", ".docker", ".oci", ".bluemix", ".terraform.d", ".terraformrc", ".boto", ".s3cfg", ".databrickscfg", ".snowsql",
		".config/gcloud", ".config/doctl", ".config/heroku", ".config/netlify", ".config/vercel", ".config/fly", ".fly", ".config/rclone",
		".config/containers", ".config/helm", ".config/linode-cli", ".config/hcloud", ".config/scw", ".config/ngrok", ".ngrok2", ".wrangler",
		// Code hosts and package registries.
		".config/gh", ".config/hub", ".config/glab-cli", ".config/github-copilot", ".git-credentials", ".config/git/credentials",
		".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".config/pip", ".gem/credentials", ".cargo/credentials", ".cargo/credentials.toml",
		".m2/settings.xml", ".gradle/gradle.properties", ".nuget/NuGet", ".composer/auth.json", ".config/composer/auth.json",
		// Models.
		".openai", ".config/openai", ".anthropic", ".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini",
		".huggingface", ".cache/huggingface/token", ".config/io.datasette.llm/keys.json", ".config/goose",
		// Databases.
		".pgpass", ".my.cnf", ".mylogin.cnf", ".dbshell", ".config/redis",
		// Browsers, mail, messengers.
		".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
		".config/vivaldi", ".config/opera", ".config/Slack", ".config/discord", ".config/Signal", ".local/share/TelegramDesktop",
		"snap/firefox", "snap/chromium", ".var/app",
		"Library/Keychains", "Library/Cookies", "Library/Mail", "Library/Messages", "Library/Safari",
		"Library/Application Support/Google/Chrome", "Library/Application Support/Firefox", "Library/Application Support/BraveSoftware",
		"Library/Application Support/Microsoft Edge", "Library/Application Support/gcloud",
		// What was typed.
		".bash_history", ".zsh_history", ".histfile", ".sh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history",
		".sqlite_history", ".lesshst", ".viminfo", ".local/share/fish/fish_history",
		// Displays, and variables of whole sessions.
		".Xauthority", ".ICEauthority", ".env", ".envrc", ".config/environment.d",
	}
}

// systemSecrets are such places outside of home folders. A star stands for any
// text in a name.
func systemSecrets() []string {
	return []string{
		"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh/ssh_host_*_key",
		"/etc/ssl/private", "/etc/letsencrypt", "/etc/kubernetes", "/etc/krb5.keytab", "/etc/NetworkManager/system-connections", "/etc/wireguard",
		"/run/user", "/run/secrets", "/run/credentials", "/var/run/secrets", "/var/lib/kubelet", "/var/lib/docker", "/var/lib/containers",
		"/private/etc/master.passwd", "/Library/Keychains",
	}
}

// secretPlaces are the places there are of the lists above, below the given home
// folders, as real paths.
func secretPlaces(homes []string) []string {
	var found []string
	for _, home := range homes {
		for _, name := range homeSecrets() {
			found = append(found, filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, name := range systemSecrets() {
		if strings.Contains(name, "*") {
			matches, _ := filepath.Glob(name)
			found = append(found, matches...)
			continue
		}
		found = append(found, name)
	}
	return real(found)
}

// real returns the real paths of those that there are, sorted, each once. A link
// stands for what it leads to: the link itself is no secret.
func real(paths []string) []string {
	var out []string
	for _, path := range paths {
		if got, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(got) {
			out = append(out, got)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The bounds of the search for files with variables.
const (
	envDepth   = 4     // folders below the one that is searched
	envEntries = 20000 // files and folders that are looked at
)

// envFiles finds the files below a folder that are named like those with
// variables: .env, .env.local. cut says that not everything was looked at.
func envFiles(dir string) (found []string, cut bool) {
	left := envEntries
	var search func(dir string, depth int)
	search = func(dir string, depth int) {
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			if left--; left < 0 {
				cut = true
				return
			}
			name := entry.Name()
			switch {
			case isEnvFile(name) && !entry.IsDir():
				found = append(found, filepath.Join(dir, name))
			case !entry.IsDir() || name == ".git" || name == "node_modules":
			case depth == 0:
				cut = true
			default:
				search(filepath.Join(dir, name), depth-1)
			}
		}
	}
	search(dir, envDepth)
	return found, cut
}

// isEnvFile says whether a file is named like one with variables, and not like
// an example of one.
func isEnvFile(name string) bool {
	name = strings.ToLower(name)
	if name == ".env" || name == ".envrc" {
		return true
	}
	rest, ok := strings.CutPrefix(name, ".env.")
	return ok && !slices.Contains([]string{"example", "sample", "template", "dist", "defaults", "schema"}, rest)
}

// within says whether path is dir or lies below it. Both are clean and
// absolute.
func within(path, dir string) bool {
	if path == dir {
		return true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) {
		dir += string(filepath.Separator)
	}
	return strings.HasPrefix(path, dir)
}
