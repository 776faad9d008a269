// Package workspace is the context provider of the tools for files and commands: reading,
// listing, searching, writing and editing files, and running command lines.
//
// Its tools read and write exactly what a script of the run may, see package sandbox: there
// is no second list. Reading needs no approval; a change is approved with its diff, a
// command with the programs that it runs. Commands run in the sandbox of scripts.
package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/prompt"
	"skills/internal/script"
)

// Name is the provider's name.
const Name = "workspace"

// Groups are the groups of tools that a user can offer.
func Groups() []string { return []string{"files", "shell"} }

// Skill is a loaded skill with a folder.
type Skill struct {
	Name   string
	Folder string // absolute
	// AllowedTools is its field, which says what it needs.
	AllowedTools string
}

// Options configures a provider.
type Options struct {
	Files, Shell bool // the groups of tools
	// ReadOnly omits the tools that change files; NoCommands omits run_command.
	ReadOnly, NoCommands bool
	// Runner runs commands, and says what they may read and write.
	Runner script.Workspace
	// Loaded returns the skills that a session has loaded, whose folders are readable; may
	// be nil.
	Loaded func(ctx context.Context, session *agent.Session) ([]Skill, error)
	// Sandbox tries the sandbox before the first decision on a command; nil means none.
	Sandbox func(ctx context.Context) (agent.Sandbox, error)
	// Recorder receives every command that is run and every change; may be nil.
	Recorder Recorder
}

// Provider is the context provider, for one run.
type Provider struct {
	opt   Options
	state state

	mu     sync.Mutex
	access access // of the loaded skills in key
	key    string
	kept   int // bytes of output in files
}

// New returns a provider. It returns an error without a runner or without tools.
func New(opt Options) (*Provider, error) {
	if opt.Runner.Runner == nil {
		return nil, errors.New("no runner of commands is given")
	}
	if !opt.Files && !opt.Shell {
		return nil, errors.New("no group of tools is given")
	}
	return &Provider{opt: opt, state: state{digests: map[string][sha256.Size]byte{}}}, nil
}

// room adds output that is kept, and returns how much of a command's can be.
func (p *Provider) room(kept int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept += kept
	return min(maxKept, maxKeptAll-p.kept)
}

// Name is "workspace".
func (*Provider) Name() string { return Name }

// HasFiles reports whether the tools for files are among those that the user offers.
func (p *Provider) HasFiles() bool { return p.opt.Files }

// HasShell reports whether the tool for commands is among those that the user offers.
func (p *Provider) HasShell() bool { return p.opt.Shell }

// Invoking adds the instructions and the tools.
func (p *Provider) Invoking(context.Context, *agent.Invoking) (agent.Context, error) {
	var texts []string
	if p.opt.Files {
		texts = append(texts, prompt.Workspace("files"))
	}
	if p.opt.Shell && !p.opt.NoCommands {
		texts = append(texts, prompt.Workspace("shell"))
	}
	return agent.Context{Instructions: strings.Join(texts, "\n"), Tools: p.tools()}, nil
}

// Invoked does nothing.
func (*Provider) Invoked(context.Context, *agent.Invoked) error { return nil }

// ToolNames are the names of the tools.
func ToolNames() []string {
	return []string{"read_file", "list_files", "search_files", "write_file", "edit_file", "run_command"}
}

// tools returns the tools of the groups that are offered.
func (p *Provider) tools() (tools []agent.Tool) {
	if p.opt.Files {
		tools = append(tools,
			newTool(p, "read_file", readSchema, toolSet.readFile),
			newTool(p, "list_files", listSchema, toolSet.listFiles),
			newTool(p, "search_files", searchSchema, toolSet.searchFiles))
		if !p.opt.ReadOnly {
			tools = append(tools,
				effective(newTool(p, "write_file", writeSchema, toolSet.writeFile), agent.Effects{Changes: true, Repeatable: true}),
				effective(newTool(p, "edit_file", editSchema, toolSet.editFile), agent.Effects{Changes: true}))
		}
	}
	if p.opt.Shell && !p.opt.NoCommands {
		tools = append(tools, effective(newTool(p, "run_command", commandSchema, toolSet.runCommand), agent.Effects{Changes: true, Programs: true}))
	}
	return tools
}

// effective returns a tool with effects, whose calls run one after another: an edit is
// prepared with what the one before it wrote.
func effective(t agent.Tool, effects agent.Effects) agent.Tool {
	t.Ordered, t.Effects = true, effects
	return t
}

// toolSet is what one call works with.
type toolSet struct {
	*Provider
	access access
	skills []Skill
	state  *state
}

// newTool returns a tool whose calls know the skills that are loaded then.
func newTool[In any](p *Provider, name, schema string, prepare func(toolSet, context.Context, *agent.Invocation, In) (agent.Action, error)) agent.Tool {
	return agent.NewTool(name, prompt.ToolDescription(name), agent.ParseSchema(schema), func(ctx context.Context, inv *agent.Invocation, in In) (agent.Action, error) {
		t, err := p.set(ctx, inv.Session)
		if err != nil {
			text := err.Error() + "."
			if hint := fault.Hint(err); hint != "" {
				text += " The user can help: " + hint + "."
			}
			return agent.Answer(inv.Describe(), agent.ErrorResult(text)), nil
		}
		return prepare(t, ctx, inv, in)
	})
}

// set returns the tools of a session as it is now.
func (p *Provider) set(ctx context.Context, session *agent.Session) (toolSet, error) {
	t := toolSet{Provider: p, state: &p.state}
	if p.opt.Loaded != nil {
		var err error
		t.skills, err = p.opt.Loaded(ctx, session)
		if err != nil {
			return t, err
		}
	}
	var folders []string
	for _, s := range t.skills {
		folders = append(folders, s.Folder)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := strings.Join(append(slices.Clone(folders), p.opt.Runner.Temp()), "\x00")
	if p.key != key || p.access.dir == "" {
		made, err := p.newAccess(ctx, folders)
		if err != nil {
			return t, err
		}
		p.access, p.key = made, key
	}
	t.access = p.access
	return t, nil
}

// allowed returns the allowed-tools of the loaded skills.
func (t toolSet) allowed() (all []agent.AllowedTools) {
	for _, s := range t.skills {
		if s.AllowedTools != "" {
			all = append(all, agent.AllowedTools{Skill: s.Name, Tools: s.AllowedTools})
		}
	}
	return all
}

// locate resolves a path of the model; fault is the answer to one that cannot be used.
func (t toolSet) locate(path string) (p place, fault string) {
	p, err := t.access.find(path)
	if err != nil {
		if p.shown == "" {
			p.shown = path
		}
		return p, outsideHint(err, p)
	}
	return p, ""
}

// state is what the model has read, so that it does not overwrite what it has not seen.
type state struct {
	mu      sync.Mutex // held while a file is written
	digests map[string][sha256.Size]byte
}

// seen notes the content of a file that the model reads.
func (s *state) seen(real string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.digests[real] = sha256.Sum256(data)
}

// stale reports whether a file that the model read has other content now.
func (s *state) stale(real string, data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.digests[real]
	return ok && before != sha256.Sum256(data)
}

const (
	readSchema = `{"type": "object", "required": ["path"], "properties": {
	"path": {"type": "string", "description": "The file, relative to the working folder or absolute."},
	"offset": {"type": "integer", "description": "Number of the first line, from 1."},
	"limit": {"type": "integer", "description": "How many lines."}}}`

	listSchema = `{"type": "object", "properties": {
	"path": {"type": "string", "description": "The folder; the working folder if absent."},
	"glob": {"type": "string", "description": "Only files that match, such as *.md or src/**/*.go."}}}`

	searchSchema = `{"type": "object", "required": ["pattern"], "properties": {
	"pattern": {"type": "string", "description": "A regular expression (RE2), matched line by line."},
	"path": {"type": "string", "description": "A folder or a file; the working folder if absent."},
	"glob": {"type": "string", "description": "Only files that match, such as *.md."}}}`

	writeSchema = `{"type": "object", "required": ["path", "content"], "properties": {
	"path": {"type": "string", "description": "The file, relative to the working folder or absolute."},
	"content": {"type": "string", "description": "The whole text of the file."}}}`

	editSchema = `{"type": "object", "required": ["path", "old", "new"], "properties": {
	"path": {"type": "string", "description": "The file, relative to the working folder or absolute."},
	"old": {"type": "string", "description": "The text to replace, exactly as in the file and unique there."},
	"new": {"type": "string", "description": "The text in its place."},
	"all": {"type": "boolean", "description": "Replace every occurrence."}}}`

	commandSchema = `{"type": "object", "required": ["command"], "properties": {
	"command": {"type": "string", "description": "The command line, for bash."},
	"skill": {"type": "string", "description": "Name of a loaded skill in whose folder it runs; the working folder if absent."},
	"timeout": {"type": "integer", "description": "Seconds after which it is ended."}}}`
)
