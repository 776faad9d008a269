package console

import (
	"context"
	"io"
	"path"

	"skills/internal/agent/skills"
	"skills/internal/fault"
	"skills/internal/printable"
	"skills/internal/script"
	"skills/internal/script/usage"
)

// scriptHelp is what a script takes, printed by --help-script --json.
type scriptHelp struct {
	SchemaVersion int            `json:"schema_version"`
	Skill         string         `json:"skill"`
	Script        string         `json:"script"`
	Known         bool           `json:"known"`             // the text of the script says what it takes
	Schema        map[string]any `json:"parameters_schema"` // of the arguments
	Usage         *usage.Usage   `json:"usage"`             // null for functions, and if it is not known
}

// HelpScript prints what a script takes, given as SKILL SCRIPT, without running it. The
// errors are those of [Exec].
func HelpScript(ctx context.Context, env Env, o Options, asJSON bool, args []string) error {
	c := &console{Env: env, Output: o.Output}
	options := o.Options
	options.Valid = func() error {
		if len(args) == 2 {
			return nil
		}
		return fault.Usage("for example: skills exec --help-script SKILL SCRIPT", "--help-script needs SKILL SCRIPT and nothing else")
	}
	parts, t, err := findCall(ctx, env, options, args, nil)
	defer parts.Close()
	if t == nil {
		return err
	}
	help := scriptHelp{SchemaVersion: 1, Skill: t.Skill.Name, Script: t.Script.Name, Schema: t.Script.Schema, Known: true}
	text := t.Script.Name + ": " + describeParameters(t.Script)
	if t.Script.Call == nil {
		takes, err := skills.Describe(t.Skill, t.Script)
		if err != nil {
			return err
		}
		help.Schema, help.Known, help.Usage = takes.Schema, takes.Certain, takes.Usage
		text = describeFile(t.Script.Name, takes)
	}
	if asJSON {
		return printable.WriteJSON(parts.Mask.Lines(printable.EscapeJSON(c.jsonOutput())), help)
	}
	_, err = io.WriteString(printable.Exact(c.Stdout), printable.Text(parts.Mask.Text(text+"\n")))
	return err
}

// describeFile returns what a file takes, for people.
func describeFile(name string, takes script.Takes) string {
	name = path.Base(name)
	if takes.Usage == nil {
		return name + " [ARGUMENT …]\n  The text of the script does not say what it takes."
	}
	return takes.Usage.Text(name)
}
