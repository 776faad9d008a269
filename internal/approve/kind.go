package approve

import "skills/internal/agent"

// kind is what the approval of a kind of action says, and which flag approves it.
type kind struct {
	flag     string                  // approves without asking; "" for none
	patterns func(Options) []Pattern // values of the flag
	plural   string                  // begins reasons of denials
	never    string                  // the reason of a denial by --approve never
	asks     string                  // begins the prompt
	owner    string                  // label of the action's owner in the prompt
	name     string                  // label of its name
	remote   bool                    // it runs elsewhere: the prompt has no folder and no sandbox
}

// kindOf returns the row of an action's kind. One without a row is approved by no flag
// of its own.
func kindOf(action agent.Summary) kind {
	switch action.Kind {
	case agent.KindScript:
		return kind{
			flag: "--allow-script", patterns: func(o Options) []Pattern { return o.Scripts },
			plural: "scripts", never: "scripts are not run here", asks: "The model wants to run a script:",
			owner: "skill", name: "script",
		}
	case agent.KindTool:
		return kind{
			flag: "--allow-tool", patterns: func(o Options) []Pattern { return o.Tools },
			plural: "tools of MCP servers", never: "tools are not called here", asks: "The model wants to call a tool of an MCP server:",
			owner: "server", name: "tool", remote: true,
		}
	}
	return kind{
		patterns: func(Options) []Pattern { return nil },
		plural:   "such actions", never: "such actions are not run here", asks: "The model wants to do this:",
		owner: action.Kind, name: "name",
	}
}
