package runner

import (
	"strings"

	"skills/internal/agent/skills"
	"skills/internal/printable"
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
// reason. Only a clear yes is one; ok is false for what is no answer.
func readAnswer(line string) (answer skills.Answer, ok bool) {
	line = strings.TrimSpace(line)
	switch strings.ToLower(line) {
	case "y", "yes":
		return skills.Answer{Approved: true}, true
	case "a", "always":
		return skills.Answer{Approved: true, Remember: true}, true
	case "r", "read":
		return skills.Answer{Approved: true, Read: true}, true
	}
	word, why, _ := strings.Cut(line, " ")
	if no := strings.ToLower(strings.TrimRight(word, ",.:;")); no != "n" && no != "no" {
		return skills.Answer{}, false
	}
	reason := saidNo
	if why = strings.TrimSpace(why); why != "" {
		reason += ": " + printable.TruncateMiddle(printable.Line(why), 1000)
	}
	return skills.Answer{Reason: reason}, true
}
