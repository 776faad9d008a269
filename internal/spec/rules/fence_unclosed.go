package rules

import "skills/internal/spec"

var fenceUnclosed = &spec.Rule{
	ID:     "fence-unclosed",
	Title:  "every code fence is closed",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "CommonMark, fenced code blocks: one that is not closed reaches to the end of the file",
	Check: func(p *spec.Pass) {
		for _, file := range skillOf(p).linkedPages() {
			fence := file.Unclosed
			if fence == nil || isTemplate(file.name) {
				continue
			}
			p.ReportIn(file.path(p), file.bodySpan(fence.Start, fence.End), nil, "close it; a fence around others needs more backticks than they have",
				"this code fence is never closed: everything below it is code to a reader")
		}
	},
}
