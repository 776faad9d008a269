package model

// The result of a tool may hold images, but the protocols have only text there, and many
// servers take nothing else. The images are sent in a message of the user after the results
// of a turn, with a reply between them, because chat templates want the roles to alternate.
// A server that takes no images gets their names and sizes in the result.

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"skills/internal/printable"
)

// Limits of the images of results in a request: their number, and their bytes together. Of
// more, the last ones are sent.
const (
	maxImages     = 10
	maxImageBytes = 16 << 20
)

// imagesText is between the results of a turn and their images.
const imagesText = "(The images of these results follow.)"

// withImages returns messages with the images of results in messages of the user.
func withImages(messages []Message) []Message {
	hasParts := func(m Message) bool { return m.Role == ToolRole && len(m.Parts) > 0 }
	if !slices.ContainsFunc(messages, hasParts) {
		return messages
	}
	var out []Message
	var images []Part
	flush := func() {
		if len(images) == 0 {
			return
		}
		var names []string
		for _, p := range images {
			names = append(names, printable.Line(p.Name))
		}
		out = append(out, Message{Role: Assistant, Source: FromContext, Text: imagesText},
			Message{Role: User, Source: FromContext, Text: "Images: " + strings.Join(names, ", "), Parts: images})
		images = nil
	}
	for _, m := range lastImages(messages) {
		if m.Role != ToolRole {
			flush()
		} else {
			images, m.Parts = append(images, m.Parts...), nil
		}
		out = append(out, m)
	}
	flush()
	return out
}

// lastImages removes the images of results beyond the limits, the oldest first.
func lastImages(messages []Message) []Message {
	out := slices.Clone(messages)
	count, size := 0, 0
	for i, m := range slices.Backward(out) {
		if m.Role != ToolRole || len(m.Parts) == 0 {
			continue
		}
		for _, p := range m.Parts {
			count, size = count+1, size+len(p.Data)
		}
		if count > maxImages || size > maxImageBytes {
			out[i] = withoutParts(m, "no longer shown")
		}
	}
	return out
}

// withoutParts returns a message without what a tool returned besides text, and why.
func withoutParts(m Message, why string) Message {
	kept := slices.DeleteFunc(slices.Clone(m.Parts), func(p Part) bool { return p.Tool != "" })
	if len(kept) == len(m.Parts) {
		return m
	}
	m.Parts = kept
	m.Text = strings.TrimSpace(m.Text + fmt.Sprintf("\n(The image is %s.)", why))
	return m
}

// withoutImages removes the images of results.
func withoutImages(r Request) Request {
	return eachMessage(r, func(m *Message) {
		*m = withoutParts(*m, "not sent: this server or model takes no images. Use a command or a script that reads such files")
	})
}

// mayRefuseImages reports whether a status may be about images.
func mayRefuseImages(status int) bool { return mayBeForm(status) || status == http.StatusNotFound }

// ImageTokens is an estimate for an image, for which servers count between 300 and 1,600.
const ImageTokens = 1000

// IsImage reports whether a part is an image.
func (p Part) IsImage() bool { return strings.HasPrefix(p.Type, "image/") }
