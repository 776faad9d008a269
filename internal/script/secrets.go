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
		".pulumi/credentials.json", ".kaggle", ".config/stripe", ".config/firebase", ".config/configstore", ".config/supabase", ".circleci", ".render",
		".local/share/com.vercel.cli", ".config/com.vercel.cli", ".railway", ".config/wrangler", ".config/.wrangler", ".config/rclone-browser",
		".config/gcloud", ".config/doctl", ".config/heroku", ".config/netlify", ".config/vercel", ".config/fly", ".fly", ".config/rclone",
		".config/containers", ".config/helm", ".config/linode-cli", ".config/hcloud", ".config/scw", ".config/ngrok", ".ngrok2", ".wrangler",
		// Code hosts and package registries.
		".config/gh", ".config/hub", ".config/glab-cli", ".config/github-copilot", ".git-credentials", ".config/git/credentials",
		".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".config/pip", ".gem/credentials", ".cargo/credentials", ".cargo/credentials.toml",
		".hex/hex.config", ".sbt/.credentials", ".ivy2/.credentials", ".config/tea", ".config/jgit/config",
		".m2/settings.xml", ".gradle/gradle.properties", ".nuget/NuGet", ".composer/auth.json", ".config/composer/auth.json",
		// Models.
		".openai", ".config/openai", ".anthropic", ".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini",
		".huggingface", ".cache/huggingface/token", ".config/io.datasette.llm/keys.json", ".config/goose",
		// Databases.
		".pgpass", ".my.cnf", ".mylogin.cnf", ".dbshell", ".config/redis",
		// Browsers, mail, messengers.
		".mozilla", ".thunderbird", ".config/google-chrome", ".config/google-chrome-beta", ".config/google-chrome-unstable", ".config/chromium",
		".config/BraveSoftware", ".config/microsoft-edge", ".config/microsoft-edge-beta", ".config/microsoft-edge-dev",
		".config/vivaldi", ".config/vivaldi-snapshot", ".config/opera", ".config/opera-beta", ".config/opera-developer", ".librewolf", ".waterfox",
		".config/Slack", ".config/discord", ".config/Signal", ".local/share/TelegramDesktop",
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
// stands for what it leads to: the link itself is no secret. Devices are left
// out: they keep nothing, and are closed or open for reasons of their own.
func real(paths []string) []string {
	var out []string
	for _, path := range paths {
		got, err := filepath.EvalSymlinks(path)
		if err != nil || !filepath.IsAbs(got) {
			continue
		}
		if info, err := os.Lstat(got); err == nil && info.Mode()&os.ModeDevice != 0 {
			continue
		}
		out = append(out, got)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isEnvFile says whether a file is named like one with variables, and not like
// an example of one.
func isEnvFile(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case ".env", ".envrc", ".flaskenv", ".dev.vars":
		return true
	}
	which, after := strings.CutSuffix(name, ".env")
	for _, prefix := range []string{".env.", ".env-", ".dev.vars."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			which, after = rest, true
		}
	}
	return after && !slices.Contains([]string{"example", "sample", "template", "dist", "defaults", "schema"}, which)
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
