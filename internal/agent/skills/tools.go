package skills

// The tools for skills: loading one, reading a resource, running a script. Their names,
// schemas and results are the framework's.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
	"skills/internal/script"
)

// Names of the tools.
const (
	findTool = "find_skills"
	loadTool = "load_skill"
	readTool = "read_skill_resource"
	runTool  = "run_skill_script"
)

// removedResource replaces the text of a resource that was removed from a request.
const removedResource = "[The text of this resource was removed to save space. If you need it, call read_skill_resource again.]"

// ToolNames are the names of the tools.
func ToolNames() []string { return []string{findTool, loadTool, readTool, runTool} }

type loadInput struct {
	SkillName string `json:"skillName" guess:"skill,name"`
}

type readInput struct {
	SkillName    string `json:"skillName" guess:"skill"`
	ResourceName string `json:"resourceName" guess:"resource,file,fileName,path"`
	Offset       int64  `json:"offset"`
}

type runInput struct {
	SkillName  string          `json:"skillName" guess:"skill"`
	ScriptName string          `json:"scriptName" guess:"script,file,fileName,path"`
	Arguments  json.RawMessage `json:"arguments,omitempty" alias:"args" guess:"argv,parameters,params"`
}

// toolSet holds the tools of one run.
type toolSet struct {
	*Provider
	*catalogue
}

// tools returns the tools for a catalogue.
func (p *Provider) tools(c *catalogue, scripts bool) []agent.Tool {
	k := toolSet{p, c}
	load := agent.NewTool(loadTool, prompt.ToolDescription(loadTool), loadSchema(c.names), k.load)
	load.Ordered = true // the session records the order of loaded skills
	load.Next = afterLoading
	load.Aliases, load.Choices = c.names, k.loadChoices
	read := agent.NewTool(readTool, prompt.ToolDescription(readTool), agent.ParseSchema(readSchema), k.read)
	load.Recall = "[The text of this skill was removed to save space. If you need it, call load_skill again.]"
	read.Choices = k.readChoices
	read.Recall = removedResource
	tools := []agent.Tool{load, read}
	if c.index != nil {
		tools = append(tools, agent.NewTool(findTool, prompt.ToolDescription(findTool), agent.ParseSchema(findSchema), k.find))
	}
	if !scripts {
		return tools
	}
	run := agent.NewTool(runTool, prompt.ToolDescription(runTool), agent.ParseSchema(runSchema), k.run)
	decoded := run.Prepare
	run.Prepare = func(ctx context.Context, inv *agent.Invocation) (agent.Action, error) {
		if _, fault := agent.DecodeArguments[runInput](runTool, string(inv.Arguments)); fault != "" {
			return agent.Answer(inv.Describe(), k.misread(ctx, inv, fault)), nil
		}
		return decoded(ctx, inv)
	}
	run.Choices, run.Next = k.runChoices, afterRunning
	run.Effects = agent.Effects{Programs: true}
	run.Recall = "[The output of this script was removed to save space. If you need it, run the script again.]"
	return append(tools, run)
}

// afterLoading returns what a small model gets after the text of a skill.
func afterLoading(result string) string {
	switch {
	case strings.HasPrefix(result, "Error: "):
		return ""
	case strings.Contains(result, "<available_resources />") && strings.Contains(result, "<available_scripts />"):
		return "Now write the answer as these instructions say."
	}
	text := "Now do what these instructions say. Read the files and run the scripts that they name before you answer."
	if !strings.Contains(result, "<available_scripts />") {
		text += " Scripts run in the user's folder, not in that of the skill: give them the user's files by the names in the request."
	}
	return text
}

// afterRunning returns what a small model gets after the output of a script.
func afterRunning(result string) string {
	if strings.HasPrefix(result, "Error: ") || strings.HasPrefix(result, "Stderr:") {
		return "Correct the arguments and run it again."
	}
	return "If this is all that the request needs, answer with it now."
}

func (k toolSet) load(ctx context.Context, inv *agent.Invocation, in loadInput) (agent.Action, error) {
	summary := agent.Summary{Kind: agent.KindSkill, Owner: in.SkillName, Line: in.SkillName, Arguments: inv.Arguments}
	skill, contents, errText := k.open(ctx, in.SkillName, true)
	if errText != "" {
		return failed(summary, errText), nil
	}
	k.pinFiles(ctx, skill, contents)
	summary.Owner, summary.Line = skill.Name, skill.Name
	action := agent.Simple(summary, func(context.Context) (agent.ToolResult, error) { return k.loaded(inv, skill, contents) })
	activation := k.newActivation(skill, contents)
	if activation.isCurrent(inv.Messages, k.opt.Mask) { // the model has it already
		return action, nil
	}
	return asking(ctx, k.Provider, action, skill, contents, func() (string, error) { return activation.content, nil }), nil
}

// loaded records that a skill is loaded, and returns its content.
func (k toolSet) loaded(inv *agent.Invocation, skill *loader.Skill, contents loader.Contents) (agent.ToolResult, error) {
	a := k.newActivation(skill, contents)
	first, again := false, a.isCurrent(inv.Messages, k.opt.Mask)
	err := state().Update(inv.Session, func(r *record) error {
		first = r.note(skill.Name)
		// Messages may lack the results of other calls of the same turn.
		again = again || inv.Count > 1 && r.loads[skill.Name] == load{inv.Turn, a.content}
		r.loads[skill.Name] = load{inv.Turn, a.content}
		return nil
	})
	if err != nil {
		return agent.ToolResult{}, err
	}
	if first {
		k.opt.OnLoad(skill, contents)
	}
	if asks := k.toolsNote(skill); first && asks != "" {
		inv.Emit(agent.NoteEvent{Message: asks})
	}
	if again {
		return agent.ToolResult{Text: a.again()}, nil
	}
	return agent.ToolResult{Text: a.content, Shown: a.shown, Summary: summary(contents)}, nil
}

func summary(c loader.Contents) string {
	lines := strings.Count(strings.TrimSpace(cmp.Or(c.Text, c.Instructions)), "\n") + 1
	parts := []string{printable.Plural(lines, "line")}
	if n := len(c.Resources); n > 0 {
		parts = append(parts, printable.Plural(n, "resource"))
	}
	if n := len(c.Scripts); n > 0 {
		parts = append(parts, printable.Plural(n, "script"))
	}
	return strings.Join(parts, ", ")
}

// open finds a skill by name and reads it, once more if again is true. Otherwise errText
// is the result in the words of the framework, which first checks for a blank name; check
// other names before calling this.
func (c *catalogue) open(ctx context.Context, name string, again bool) (skill *loader.Skill, contents loader.Contents, errText string) {
	if blank(name) {
		return nil, contents, "Skill name cannot be empty."
	}
	skill, missing := c.find(name)
	if skill == nil {
		return nil, contents, missing
	}
	if again {
		skill.Forget()
	}
	contents, err := contentsOf(ctx, skill)
	if err != nil {
		return nil, contents, fmt.Sprintf("Failed to load skill '%s'. %s", skill.Name, detail(err))
	}
	return skill, contents, ""
}

// failed returns the action of a call that cannot be run for a reason.
func failed(summary agent.Summary, reason string) agent.Action {
	return agent.Answer(summary, agent.ErrorResult(reason))
}

// detail returns an error's text for a model, without hints about command-line flags.
func detail(err error) string {
	if errors.Is(err, script.ErrNoSandbox) || errors.Is(err, script.ErrPolicy) {
		return err.Error()
	}
	return withHint(err)
}

// withHint returns an error's text with its hint.
func withHint(err error) string {
	text := err.Error()
	if hint := fault.Hint(err); hint != "" {
		text += " (" + hint + ")"
	}
	return text
}

func blank(name string) bool { return strings.TrimSpace(name) == "" }

// maxEnum is the highest number of skills that the schema of load_skill lists: the
// catalogue has their names too.
const maxEnum = 50

// loadSchema returns the schema of load_skill.
func loadSchema(names []string) map[string]any {
	name := map[string]any{"type": "string", "description": "Name of the skill."}
	if len(names) <= maxEnum {
		name["enum"] = names
	}
	return map[string]any{"type": "object", "required": []string{"skillName"}, "properties": map[string]any{"skillName": name}}
}

const readSchema = `{"type": "object", "required": ["skillName", "resourceName"], "properties": {
	"skillName": {"type": "string", "description": "Name of the skill."},
	"resourceName": {"type": "string", "description": "Name of the file, as listed."},
	"offset": {"type": "integer", "description": "Where to continue, from the previous result."}}}`

// runSchema gives arguments one type, because many servers and chat templates refuse
// alternatives. An array holds whatever a command line does; an object is accepted too.
const runSchema = `{"type": "object", "required": ["skillName", "scriptName"], "properties": {
	"skillName": {"type": "string", "description": "Name of the skill."},
	"scriptName": {"type": "string", "description": "Name of the script, as listed."},
	"arguments": {"type": "array", "items": {"type": "string"},
		"description": "Words of the command line, one string each; an object where parameters_schema is one."}}}`
