package run

// The tools for files and commands are off unless the user offers them. A run without them
// says so once a skill is loaded that needs some.

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/agent/skills"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/script"
	"skills/internal/spec/references"
	"skills/internal/suggest"
	"skills/internal/workspace"
)

// toolGroups returns the groups of workspace tools that the user offers.
func toolGroups(env Env, o Options) ([]string, error) {
	if o.Programs.Tools != nil || o.Demo {
		return groupsOf(o.Programs.Tools)
	}
	path, user, err := userConfig(env)
	if err != nil {
		return nil, err
	}
	var groups []string
	for _, entry := range user.Tools {
		if !slices.Contains(workspace.Groups(), entry.Text) {
			return nil, entry.Wrong(path, suggest.Hint(entry.Text, workspace.Groups(), ""), fmt.Errorf("unknown group of tools %q", entry.Text))
		}
		groups = append(groups, entry.Text)
	}
	return groups, nil
}

// groupsOf returns the groups that the values of --tools name.
func groupsOf(values []string) ([]string, error) {
	var groups []string
	for _, name := range values {
		name = strings.TrimSpace(name)
		if name != "" && !slices.Contains(workspace.Groups(), name) {
			return nil, fault.Usage(suggest.Hint(name, workspace.Groups(), ""), "--tools: unknown group of tools %q", name)
		}
		if name != "" {
			groups = append(groups, name)
		}
	}
	return groups, nil
}

// offerWorkspace makes the workspace tools; nil without any.
func offerWorkspace(p *Parts) (*workspace.Provider, error) {
	groups, err := toolGroups(p.Env, p.Options)
	if err == nil {
		sayIdle(p, groups)
	}
	if err != nil || len(groups) == 0 {
		return nil, err
	}
	never := approve.Mode(p.Options.Approval.Mode) == approve.Never
	o := workspace.Options{
		Files: slices.Contains(groups, "files"), Shell: slices.Contains(groups, "shell"),
		ReadOnly:   never && len(p.Options.Approval.Edits)+len(p.Options.Approval.Trusted) == 0,
		NoCommands: never && len(p.Options.Approval.Commands)+len(p.Options.Approval.Trusted) == 0,
		Runner:     script.Workspace{Runner: p.Scripts}, Sandbox: trySandbox(p.Scripts), Loaded: loadedSkills(p),
	}
	p.Scripts.Lines = o.Shell && !o.NoCommands
	if p.log != nil {
		o.Recorder = p.log
	}
	return workspace.New(o)
}

// sayIdle warns of approvals for tools that are not offered, unless the caller chose these.
func sayIdle(p *Parts, groups []string) {
	o := p.Options
	if o.Programs.Tools != nil || o.Demo || o.Serves {
		return
	}
	for _, of := range []struct {
		flag, group string
		given       bool
	}{
		{"--allow-command", "shell", len(o.Approval.Commands) > 0},
		{"--allow-edit", "files", len(o.Approval.Edits) > 0},
		{"--trust-allowed-tools", "files,shell", len(o.Approval.Trusted) > 0 && len(groups) == 0},
	} {
		if of.given && !slices.Contains(groups, of.group) {
			p.notes.announce(agent.WarningEvent{Message: of.flag + " approves nothing: add --tools " + of.group + " to offer the tools"})
		}
	}
}

// sayTools returns the function that says once that a loaded skill gives commands, or names
// files to work on, in a run that offers no tools for them.
func sayTools(p *Parts) func(s *loader.Skill, c loader.Contents) {
	o, said := p.Options, false
	unwanted := o.Programs.Tools != nil || o.Demo || o.Serves
	return func(s *loader.Skill, c loader.Contents) {
		if unwanted || said {
			return
		}
		text := missingTools(s, c, p.work)
		if text == "" {
			return
		}
		said = true
		warning := agent.WarningEvent{Message: text}
		if p.notes.running {
			p.notes.queue(warning)
		} else {
			p.notes.announce(warning)
		}
	}
}

// missingTools says which tools a skill needs besides those that are offered, or returns "".
func missingTools(s *loader.Skill, c loader.Contents, offered *workspace.Provider) string {
	own := func(name string) bool {
		return slices.ContainsFunc(c.Scripts, func(x loader.Script) bool { return x.Name == name }) ||
			slices.ContainsFunc(c.Resources, func(x loader.Resource) bool { return x.Name == name })
	}
	_, body, _ := strings.Cut(strings.TrimPrefix(c.Text, "---"), "\n---")
	says := func(what, example, groups string) string {
		return fmt.Sprintf("the skill %s %s such as %s, and this run offers no tool for them; pass --tools %s to offer it",
			printable.Line(s.Name), what, printable.Truncate(printable.Line(example), 60), groups)
	}
	hasFiles := offered != nil && offered.HasFiles()
	if offered == nil || !offered.HasShell() {
		command := references.ShellCommand(body, filepath.Base(s.Dir), own)
		if command != "" {
			return says("gives commands", command, "files,shell")
		}
	}
	if !hasFiles {
		name := references.WorkFile(body, filepath.Base(s.Dir), own)
		switch {
		case name == "":
		case offered != nil:
			return says("works on files", name, "files,shell")
		default:
			return says("works on files", name, "files")
		}
	}
	return ""
}

// loadedSkills returns the function that lists the loaded skills with a folder. Their
// folders are looked up once.
func loadedSkills(p *Parts) func(context.Context, *agent.Session) ([]workspace.Skill, error) {
	var mu sync.Mutex
	var known []string
	var found []workspace.Skill
	return func(ctx context.Context, session *agent.Session) ([]workspace.Skill, error) {
		names, err := skills.Loaded(session)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		if slices.Equal(names, known) {
			return found, nil
		}
		loaded, err := p.Provider.WithFolders(ctx, session)
		if err != nil {
			return nil, err
		}
		var list []workspace.Skill
		for _, s := range loaded {
			list = append(list, workspace.Skill{Name: s.Name, Folder: s.Dir, AllowedTools: s.AllowedTools})
		}
		known, found = names, list
		return found, nil
	}
}
