package approve

import "skills/internal/agent"

// kind is what the approval of a kind of action says, and which flag approves it.
type kind struct {
	flag     string                  // approves without asking; "" for none
	patterns func(Options) []Pattern // values of the flag
	plural   string                  // begins reasons of denials
	never    string                  // the reason of a denial by --approve never
	before   string                  // when a person is asked otherwise: "before a script runs"
	asks     string                  // begins the prompt
	owner    string                  // label of the action's owner in the prompt
	name     string                  // label of its name
	group    string                  // kinds of one group are approved together, with their owner
	read     bool                    // it only reads: the prompt has no arguments and no sandbox
	remote   bool                    // it runs elsewhere: the prompt has no folder and no sandbox
}

// kindOf returns the row of an action's kind. One without a row is approved by no flag
// of its own.
func kindOf(action agent.Summary) kind {
	switch action.Kind {
	case agent.KindScript:
		return kind{
			flag: "--allow-script", patterns: func(o Options) []Pattern { return o.Scripts },
			plural: "scripts", never: "scripts are not run here", before: "before a script runs", asks: "The model wants to run a script:",
			owner: "skill", name: "script", group: "skill",
		}
	case agent.KindTool:
		return kind{
			flag: "--allow-tool", patterns: func(o Options) []Pattern { return o.Tools },
			plural: "tools of MCP servers", never: "tools are not called here", before: "before a tool is called", asks: "The model wants to call a tool of an MCP server:",
			owner: "server", name: "tool", group: "server", remote: true,
		}
	}
	none := func(Options) []Pattern { return nil }
	switch action.Kind {
	case agent.KindEdit:
		return kind{
			flag: "--allow-edit", patterns: none, name: "file",
			plural: "changes of files", never: "files are not changed here", before: "before a file is changed", asks: "The model wants to change a file:",
		}
	case agent.KindCommand:
		return kind{
			flag: "--allow-command", patterns: none, name: "command",
			plural: "commands", never: "commands are not run here", before: "before a command runs", asks: "The model wants to run a command:",
		}
	}
	switch action.Kind {
	case agent.KindSkill:
		return kind{
			patterns: none, plural: "skills", never: "skills are not loaded here", before: "before a skill is loaded",
			asks: "The model wants to load a skill:", owner: "skill", name: "skill", group: "skill", read: true,
		}
	case agent.KindResource:
		return kind{
			patterns: none, plural: "files of skills", never: "files of skills are not read here", before: "before a file of a skill is read",
			asks: "The model wants to read a file of a skill:", owner: "skill", name: "file", group: "skill", read: true,
		}
	}
	return kind{
		patterns: none,
		plural:   "such actions", never: "such actions are not run here", before: "before such an action runs", asks: "The model wants to do this:",
		owner: action.Kind, name: "name",
	}
}
