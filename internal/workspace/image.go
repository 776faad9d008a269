package workspace

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // read their sizes
	_ "image/jpeg" //
	_ "image/png"  //
	"slices"

	"skills/internal/agent"
	"skills/internal/printable"
)

// maxImage is the size of the largest image that is sent: servers take at most 5 MiB, encoded.
const maxImage = 3 << 20

// isImage reports whether a file is an image that models take.
func isImage(kind string, data []byte) bool {
	if kind == "image/webp" {
		return true
	}
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif"}, kind) {
		return false
	}
	_, _, err := image.DecodeConfig(bytes.NewReader(data))
	return err == nil
}

// imageResult names an image, and has it for models that take images.
func imageResult(p place, kind string, data []byte) agent.ToolResult {
	facts := kind
	if config, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		facts += fmt.Sprintf(", %d × %d", config.Width, config.Height)
	}
	facts += ", " + printable.Grouped(int64(len(data))) + " bytes"
	result := agent.ToolResult{Text: p.shown + " is an image (" + facts + ").", Summary: facts}
	if len(data) > maxImage {
		result.Text += fmt.Sprintf(" It is too large to be shown: at most %s bytes. Use a command or a script that makes it smaller.", printable.Grouped(maxImage))
		return result
	}
	result.Parts = []agent.Part{{Name: p.shown, Type: kind, Size: len(data), Data: data, Tool: "read_file"}}
	return result
}
