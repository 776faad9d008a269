package prompt

import (
	"embed"
	"strings"
)

//go:embed text/tool/*.md
var toolTexts embed.FS

// ToolDescription returns what the model is told of the tool with this name, or
// "" where there is no such tool.
func ToolDescription(name string) string {
	text, err := toolTexts.ReadFile("text/tool/" + name + ".md")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
