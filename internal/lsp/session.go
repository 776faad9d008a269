package lsp

// How a session begins: what the client can do, the folders of its workspace, the encoding
// of positions, and the settings from flags, from initialize and from the editor.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"skills/internal/lint/config"
	"skills/internal/lsp/protocol"
	"skills/internal/spec"
)

// section is the name of the settings in the editor's configuration.
const section = "skills"

// settings are the settings from the editor. They override those of .skills.yaml, as the
// flags of validate do.
type settings struct {
	config.Config
	baseline   string
	configFile string
	noAdvice   bool // no findings of the level info
}

// parseSettings reads settings as JSON: the keys of .skills.yaml that concern a check, and
// baseline, config and advice.
func parseSettings(data json.RawMessage) (settings, error) {
	var out settings
	data = bytes.TrimSpace(data)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		return out, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return out, fmt.Errorf("the settings of the editor are not an object: %w", err)
	}
	if own, ok := all[section]; ok {
		return parseSettings(own)
	}
	advice := true
	for key, to := range map[string]any{"baseline": &out.baseline, "config": &out.configFile, "advice": &advice} {
		if err := json.Unmarshal(orNull(all[key]), to); err != nil {
			return out, fmt.Errorf("the setting %s: %w", key, err)
		}
		delete(all, key)
	}
	out.noAdvice = !advice
	maps.DeleteFunc(all, func(key string, value json.RawMessage) bool {
		return !slices.Contains([]string{"profile", "client", "strict", "rules"}, key) || len(value) == 0
	})
	rest, err := json.Marshal(all)
	if err != nil {
		return out, err
	}
	out.Config, err = config.Parse("settings of the editor", rest)
	return out, err
}

func orNull(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return json.RawMessage("null")
	}
	return data
}

// initialize begins the session.
func (s *Server) initialize(_ context.Context, p protocol.InitializeParams) (any, error) {
	defer close(s.ready)
	set, err := parseSettings(p.Options)
	s.mu.Lock()
	s.client, s.settings = p.Capabilities, set
	if slices.Contains(p.Capabilities.General.PositionEncodings, protocol.UTF8) {
		s.encoding = protocol.UTF8
	}
	roots := p.Folders
	if len(roots) == 0 && p.RootURI != "" {
		roots = []protocol.Folder{{URI: p.RootURI}}
	}
	for _, f := range roots {
		if dir, ok := protocol.Path(f.URI); ok {
			s.folders = append(s.folders, dir)
		}
	}
	if len(s.folders) == 0 && filepath.IsAbs(p.RootPath) {
		s.folders = []string{filepath.Clean(p.RootPath)}
	}
	s.mu.Unlock()
	if err != nil {
		go s.showError(err)
	}
	if p.ProcessID != nil && *p.ProcessID > 0 {
		go s.endWith(*p.ProcessID)
	}
	return protocol.InitializeResult{
		ServerInfo:   protocol.ServerInfo{Name: "skills", Version: s.opts.Version},
		Capabilities: s.capabilities(),
	}, nil
}

// capabilities returns what the server can do.
func (s *Server) capabilities() map[string]any {
	return map[string]any{
		"positionEncoding":       s.encoding,
		"textDocumentSync":       map[string]any{"openClose": true, "change": 2, "save": map[string]any{"includeText": false}},
		"codeActionProvider":     map[string]any{"codeActionKinds": []string{quickFix, fixAll}},
		"hoverProvider":          true,
		"completionProvider":     map[string]any{"triggerCharacters": []string{"(", "/", "`", "#"}},
		"definitionProvider":     true,
		"renameProvider":         map[string]any{"prepareProvider": true},
		"documentSymbolProvider": true,
		"inlayHintProvider":      true,
		"executeCommandProvider": map[string]any{"commands": []string{selectCommand, executableCommand}},
		"workspace": map[string]any{
			"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true},
			"fileOperations":   map[string]any{"willRename": map[string]any{"filters": []any{map[string]any{"scheme": "file", "pattern": map[string]any{"glob": "**/*"}}}}},
		},
	}
}

// initialized asks the client to say which files change, and for its settings.
func (s *Server) initialized(ctx context.Context, _ struct{}) (any, error) {
	s.mu.Lock()
	client := s.client
	s.mu.Unlock()
	go func() { // a notification must not wait for the client
		if client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
			_, _ = s.rpc.Callback(ctx, "client/registerCapability", protocol.RegistrationParams{Registrations: []protocol.Registration{{
				ID: "files", Method: "workspace/didChangeWatchedFiles",
				Options: protocol.WatchOptions{Watchers: []protocol.Watcher{{Pattern: "**/*"}}},
			}}})
		}
		s.pullSettings(ctx)
	}()
	return nil, nil
}

// pullSettings asks the client for its settings, if it has any.
func (s *state) pullSettings(ctx context.Context) {
	s.mu.Lock()
	has := s.client.Workspace.Configuration
	s.mu.Unlock()
	if !has {
		return
	}
	answer, err := s.rpc.Callback(ctx, "workspace/configuration", map[string]any{"items": []any{map[string]any{"section": section}}})
	if err != nil {
		return
	}
	var values []json.RawMessage
	if answer.UnmarshalResult(&values) != nil || len(values) != 1 || bytes.Equal(bytes.TrimSpace(values[0]), []byte("null")) {
		return // initialize may have had some
	}
	s.applySettings(values[0])
}

// didChangeConfiguration applies settings that the client sends, or asks for them.
func (s *state) didChangeConfiguration(p protocol.ConfigurationParams) {
	if text := bytes.TrimSpace(p.Settings); len(text) > 0 && text[0] == '{' && !bytes.Equal(text, []byte("{}")) {
		s.applySettings(p.Settings)
		return
	}
	go s.pullSettings(context.Background())
}

// applySettings uses new settings for all skills. Wrong ones are shown, and not used.
func (s *state) applySettings(data json.RawMessage) {
	set, err := parseSettings(data)
	if err != nil {
		s.showError(err)
		return
	}
	s.mu.Lock()
	s.settings = set
	s.mu.Unlock()
	s.markAll()
}

// didChangeFolders changes the folders of the workspace.
func (s *state) didChangeFolders(p protocol.FoldersParams) {
	s.mu.Lock()
	for _, f := range p.Event.Removed {
		if dir, ok := protocol.Path(f.URI); ok {
			s.folders = slices.DeleteFunc(s.folders, func(have string) bool { return have == dir })
		}
	}
	for _, f := range p.Event.Added {
		if dir, ok := protocol.Path(f.URI); ok && !slices.Contains(s.folders, dir) {
			s.folders = append(s.folders, dir)
		}
	}
	s.mu.Unlock()
	s.markAll()
}

// least returns the lowest level of findings to report.
func (set settings) least() spec.Level {
	if set.noAdvice {
		return spec.Warning
	}
	return spec.Info
}
