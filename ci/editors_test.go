package ci

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestVSCode compares the manifest of the extension with its code and with the server.
func TestVSCode(t *testing.T) {
	var manifest struct {
		License, Main string
		Dependencies  map[string]string
		Contributes   struct {
			Commands      []struct{ Command string }
			Configuration struct {
				Properties map[string]json.RawMessage
			}
		}
		Capabilities struct {
			UntrustedWorkspaces struct{ RestrictedConfigurations []string }
		}
	}
	if err := json.Unmarshal(readRepo(t, "editors/vscode/package.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	code := string(readRepo(t, "editors/vscode/extension.js"))
	if manifest.License != "Apache-2.0" || manifest.Main != "./extension.js" || string(readRepo(t, "editors/vscode/LICENSE")) != string(readRepo(t, "LICENSE")) {
		t.Errorf("got license %q, main %q", manifest.License, manifest.Main)
	}
	for name, version := range manifest.Dependencies {
		if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(version) {
			t.Errorf("%s %s is not pinned", name, version)
		}
	}
	properties := manifest.Contributes.Configuration.Properties
	for _, key := range []string{"skills.path", "skills.arguments"} {
		if properties[key] == nil || !slices.Contains(manifest.Capabilities.UntrustedWorkspaces.RestrictedConfigurations, key) {
			t.Errorf("an untrusted workspace can set %s", key)
		}
	}
	list := regexp.MustCompile(`for \(const key of \[(.*)\]\)`).FindStringSubmatch(code)
	if list == nil {
		t.Fatal("extension.js has no list of settings")
	}
	page := string(readRepo(t, "docs/editors.md"))
	for _, key := range strings.Split(strings.ReplaceAll(list[1], "'", ""), ", ") {
		if properties["skills."+key] == nil || !strings.Contains(page, "`"+key+"`") {
			t.Errorf("the setting %s is not in package.json, or not in docs/editors.md", key)
		}
	}
	for _, c := range manifest.Contributes.Commands {
		if !strings.Contains(code, "'"+c.Command+"'") {
			t.Errorf("extension.js has no command %s", c.Command)
		}
	}
	if ignored, err := os.ReadFile(filepath.Join("..", "editors", "vscode", ".gitignore")); err != nil || !strings.Contains(string(ignored), "node_modules/") {
		t.Errorf("node_modules is not ignored: %v", err)
	}
}
