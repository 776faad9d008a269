package runner

import (
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/printable"
)

// answerKind says what a line is.
type answerKind int

const (
	unclear answerKind = iota
	decision
	view
	help
)

const (
	// saidNo is the reason of a plain no, for the model.
	saidNo = "the person at the terminal said no"

	answerHelp = "  y  run it this once\n" +
		"  r  run it, and let it read the files that the sandbox does not show\n" +
		"  a  run it, now and later in this run\n" +
		"  n  deny it: press Enter, or type a reason first\n" +
		"  v  view the script and all arguments\n"
)

// readAnswer reads a line: yes, always, or no with the words behind it as the
// reason. Only a clear yes is one.
func readAnswer(line string) (skills.Answer, answerKind) {
	line = strings.TrimSpace(line)
	switch strings.ToLower(line) {
	case "y", "yes":
		return skills.Answer{Approved: true}, decision
	case "a", "always":
		return skills.Answer{Approved: true, Remember: true}, decision
	case "r", "read":
		return skills.Answer{Approved: true, Read: true}, decision
	case "v", "view":
		return skills.Answer{}, view
	case "?", "h", "help":
		return skills.Answer{}, help
	}
	word, why, _ := strings.Cut(line, " ")
	if no := strings.ToLower(strings.TrimRight(word, ",.:;")); no != "n" && no != "no" {
		return skills.Answer{}, unclear
	}
	reason := saidNo
	if why = strings.TrimSpace(why); why != "" {
		reason += ": " + printable.TruncateMiddle(printable.Line(why), 1000)
	}
	return skills.Answer{Reason: reason}, decision
}
