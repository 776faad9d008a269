package run

import (
	"fmt"
	"strings"

	"skills/internal/agent"
	"skills/internal/approve"
	"skills/internal/fault"
	"skills/internal/history"
	"skills/internal/printable"
)

// answers returns the answers of --approve-call by the ids of their calls.
func (a Approval) answers() (map[string]approve.Answer, error) {
	const form = "write it as ID=yes, ID=no or ID=always"
	out := map[string]approve.Answer{}
	for _, text := range a.Calls {
		id, value, ok := strings.Cut(text, "=")
		if !ok || id == "" {
			return nil, fault.Usage(form, "--approve-call %s: not a call with an answer", text)
		}
		answer, err := approve.ParseAnswer(value)
		if err != nil {
			return nil, fault.Usage(form, "--approve-call %s: %w", id, err)
		}
		if _, twice := out[id]; twice {
			return nil, fault.Usage("give one answer", "--approve-call %s: it is answered twice", id)
		}
		out[id] = answer
	}
	return out, nil
}

// checkWaiting returns an error for answers to calls that do not wait in the session, and
// for a prompt that would come before the answer.
func checkWaiting(p *Parts, file *history.File) error {
	answers, err := p.Options.Approval.answers()
	if err != nil {
		return err
	}
	w, _, waits := file.Waiting()
	for id := range answers {
		switch {
		case !waits:
			return fault.Usage("continue it with a prompt, without --approve-call", "--approve-call %s: no call waits in %s", id, p.Options.Files.Session)
		case id != w.ID:
			return fault.Usage(fmt.Sprintf("the call that waits is %s: %s", w.ID, w), "--approve-call %s: this call does not wait for an approval", id)
		}
	}
	asked := waits && p.Prompt != "" && !p.Options.Preview
	return fault.UsageIf(asked, waitingHint(p.Options.Files.Session, file.Session),
		"the call %s waits for an approval: %s; a prompt cannot come before the answer", w.ID, w)
}

// waitingHint says how to answer the call that waits in a session.
func waitingHint(file string, session *agent.Session) string {
	command := "skills run --session " + printable.ShellWord(file)
	calls := agent.WaitingCalls(session)
	if len(calls) == 0 {
		return "continue with: " + command
	}
	return fmt.Sprintf("answer at a terminal with: %s; elsewhere add --approve-call %s=yes", command, printable.ShellWord(calls[0].ID))
}

// Waits reports whether the session in a file goes on without a prompt, because a call
// waits there for an approval.
func Waits(env Env, session string) bool {
	if session == "" {
		return false
	}
	file, err := history.Read(env.absolute(session))
	if err != nil {
		return false // it is reported when the session is opened
	}
	_, _, waits := file.Waiting()
	return waits
}
