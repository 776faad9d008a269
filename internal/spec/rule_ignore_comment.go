package spec

// ignoreComment is about the ignore comments themselves. Its findings are made
// when the comments are applied: only then it is known which of them silence
// something.
var ignoreComment = &Rule{
	ID:     "ignore-comment",
	Title:  "an ignore comment names rules there are, and silences something",
	Level:  Warning,
	Source: "this linter's own comments",
}
