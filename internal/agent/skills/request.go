package skills

import (
	"encoding/json"
	"errors"
)

// ErrNobody says that there is nobody to ask, now or ever.
var ErrNobody = errors.New("scripts need approval and no one is available")

// Request is what a person needs to see to decide.
type Request struct {
	Skill, Script string
	Command       []string        // exact command line; nil for a script that is a function
	Args          []string        // the script's own part of the command line
	Arguments     json.RawMessage // as the model wrote them
	// Source returns the text of the script that would run, at most 1 MiB of it;
	// an error says why that cannot be shown. It is empty for a function.
	Source       func() (string, error)
	Dir          string   // working directory
	Sandbox      string   // "none" for none
	AllowedTools string   // what the skill asks to use, which allows nothing by itself
	Changed      bool     // whether the script is another since it was approved or listed
	Gaps         []string // what the sandbox does not enforce
	Unseen       []string // existing files that it names and that the sandbox does not show
}

// Answer is a person's decision.
type Answer struct {
	Approved bool
	Remember bool   // approve this script from now on, with any arguments
	Reason   string // for the model
	Read     bool   // let it read the files of Unseen
}
