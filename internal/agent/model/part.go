package model

import (
	"encoding/base64"
	"html"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
)

// PlainText is the type of a part that is sent as text.
const PlainText = "text/plain"

// Part is a file attached to a message of the user.
type Part struct {
	Name string `json:"name"`
	Type string `json:"type"` // PlainText, the type of an image, or another type that servers accept as a file
	Size int    `json:"size"` // of the data, in bytes
	Data []byte `json:"data,omitempty"`
}

// Bare returns parts without their data, for display.
func Bare(parts []Part) []Part {
	out := slices.Clone(parts)
	for i := range out {
		out[i].Data = nil
	}
	return out
}

// userMessage returns a message with its parts after the text.
func userMessage(m Message) openai.ChatCompletionMessageParamUnion {
	if len(m.Parts) == 0 {
		return openai.UserMessage(ValidText(m.Text))
	}
	content := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart(ValidText(m.Text))}
	for _, p := range m.Parts {
		url := func() string { return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data) }
		switch {
		case p.Type == PlainText:
			text := "<file name=\"" + html.EscapeString(p.Name) + "\">\n" + strings.TrimSuffix(ValidText(string(p.Data)), "\n") + "\n</file>"
			content = append(content, openai.TextContentPart(text))
		case strings.HasPrefix(p.Type, "image/"):
			content = append(content, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: url()}))
		default:
			file := openai.ChatCompletionContentPartFileFileParam{Filename: param.NewOpt(p.Name), FileData: param.NewOpt(url())}
			content = append(content, openai.FileContentPart(file))
		}
	}
	return openai.UserMessage(content)
}
