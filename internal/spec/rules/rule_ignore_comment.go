package rules

import "skills/internal/spec"

// ignoreComment speaks of the ignore comments themselves. Its findings are
// made when the comments are applied, for only then it is known which of them
// silence something.
var ignoreComment = &spec.Rule{
	ID:     "ignore-comment",
	Title:  "an ignore comment names rules there are, and silences something",
	Level:  spec.Warning,
	Source: "this linter's own comments",
}
