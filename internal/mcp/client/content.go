package client

// What a server returns is text for the model, and images for models that take them. Anything
// else, such as audio, is named by its type and size: no protocol of models has a place for it
// in the result of a tool.

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/script"
)

// Limits of the images of a result.
const (
	maxImages = 4
	maxImage  = 3 << 20 // bytes of one: servers of models take at most 5 MiB, encoded
)

// content collects the parts of a reply.
type content struct {
	*connection
	from   string // the tool or the resource
	images []agent.Part
}

// result returns the content of a reply for the model.
func (c *connection) result(from string, parts []mcp.Content, structured any, failed bool) agent.ToolResult {
	all := &content{connection: c, from: from}
	texts := printable.Map(parts, all.add)
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	if len(texts) == 0 && structured != nil {
		texts = append(texts, printable.JSONText(structured))
	}
	text, isCut := bounded(strings.Join(texts, "\n"), script.DefaultOutputLimit)
	return agent.ToolResult{Text: text, Failed: failed, Truncated: isCut, Parts: all.images}
}

// describe returns a part of a reply as text.
func (c *connection) describe(part mcp.Content) string {
	return (&content{connection: c, images: make([]agent.Part, maxImages)}).add(part)
}

// add adds a part and returns its text.
func (all *content) add(part mcp.Content) string {
	switch part := part.(type) {
	case *mcp.TextContent:
		return part.Text
	case *mcp.ImageContent:
		return all.data("image", "", part.MIMEType, part.Data)
	case *mcp.AudioContent:
		return all.data("audio", "", part.MIMEType, part.Data)
	case *mcp.ResourceLink:
		all.known.Store(part.URI, true)
		text := fmt.Sprintf("[link %s: %s", strings.TrimSpace(part.Name), part.URI)
		if all.capabilities().Resources != nil && all.opt.Offer(all.Server.Name, ResourceTool) {
			text += fmt.Sprintf("; read it with %s, server %s", ResourceTool, all.Server.Name)
		}
		return text + "]"
	case *mcp.EmbeddedResource:
		switch {
		case part.Resource == nil:
			return ""
		case part.Resource.Text != "" || len(part.Resource.Blob) == 0:
			return part.Resource.Text
		}
		return all.data("resource", part.Resource.URI, part.Resource.MIMEType, part.Resource.Blob)
	}
	return ""
}

// data adds what is not text: an image that models take, by its content and not by what the
// server says, is shown to them.
func (all *content) data(kind, name, mime string, data []byte) string {
	words := strings.Join(strings.Fields(kind+" "+name), " ")
	facts := fmt.Sprintf("%s: %s, %s bytes", words, cmp.Or(mime, "unknown type"), printable.Grouped(int64(len(data))))
	found := http.DetectContentType(data)
	switch {
	case !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, found):
		return "[" + facts + ", not shown]"
	case len(data) > maxImage:
		return fmt.Sprintf("[%s, not shown: larger than %d MiB]", facts, maxImage>>20)
	case len(all.images) == maxImages:
		return fmt.Sprintf("[%s, not shown: more than %d images]", facts, maxImages)
	}
	all.images = append(all.images, agent.Part{
		Name: fmt.Sprintf("image %d of %s/%s", len(all.images)+1, all.Server.Name, oneLine(all.from)),
		Type: found, Size: len(data), Data: data, Tool: oneLine(all.from),
	})
	return "[" + facts + "]"
}
