// Package docs holds the pages of the documentation that the program prints.
package docs

import (
	"embed"
	"io/fs"
)

//go:embed rules/*.md
var pages embed.FS

// RulePages returns the page of each rule, <id>.md.
func RulePages() fs.FS {
	rules, _ := fs.Sub(pages, "rules") // fails for an invalid name only
	return rules
}
