// Package audit keeps the record of which scripts were run and who decided that
// they may: JSON Lines in a file that only ever grows.
//
// A decision is recorded before it takes effect, and a script before it starts;
// what cannot be recorded is not done. So the record is whole whatever becomes
// of the run: a script that was started and has no end in it was running when
// the process ended. Several runs may write to one file.
package audit

import "encoding/json"

// schemaVersion is the version of the lines below.
const schemaVersion = 1

// maxArguments is how many bytes of a call's arguments are recorded.
const maxArguments = 64 << 10

// line is one entry. Which fields it has depends on its type.
type line struct {
	Type          string `json:"type"` // approval, script.started, script.ended
	SchemaVersion int    `json:"schema_version"`
	Time          string `json:"time"`
	RunID         string `json:"run_id"`

	CallID    string          `json:"call_id"`
	Tool      string          `json:"tool"`
	Skill     string          `json:"skill,omitempty"`
	Script    string          `json:"script,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Cut       bool            `json:"arguments_cut,omitempty"` // arguments are text then, the beginning of what there was
	Command   []string        `json:"command,omitempty"`
	Cwd       string          `json:"cwd,omitempty"`
	Digest    string          `json:"digest,omitempty"` // SHA-256 of the script's file

	*decision
	*end
}

// decision is what an approval says.
type decision struct {
	Decision string `json:"decision"` // approved or denied
	By       string `json:"by"`       // user, flag, policy, hook, agent, error, or nobody where the run ended before
	Reason   string `json:"reason,omitempty"`
}

// end is how a script ended.
type end struct {
	OK         bool   `json:"ok"`
	ExitCode   *int   `json:"exit_code,omitempty"`
	TimedOut   *bool  `json:"timed_out,omitempty"`
	Sandbox    string `json:"sandbox,omitempty"`
	DurationMS int64  `json:"duration_ms"`
	Bytes      int    `json:"bytes"` // of the output for the model
	Error      string `json:"error,omitempty"`
}
