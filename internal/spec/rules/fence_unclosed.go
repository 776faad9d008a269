package rules

import "skills/internal/spec"

var fenceUnclosed = &spec.Rule{
	ID:     "fence-unclosed",
	Title:  "every code fence is closed",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "CommonMark, fenced code blocks: one that is not closed reaches to the end of the file",
	Check: func(p *spec.Pass) {
		for _, file := range skillOf(p).instructions() {
			if fence := file.Unclosed; fence != nil {
				file.reportBody(p, fence.Start, fence.End, "close it; a fence around others needs more backticks than they have",
					"this code fence is never closed: everything below it is code to a reader")
			}
		}
	},
}
