package runner

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/agent/model"
)

// maxAttached is how many bytes all files of a prompt may have together: they are sent
// with every request, and a session has them in one line.
const maxAttached = 8 << 20

// images are the types of images that servers take.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// attach reads the files of --image and --file. What they are is seen from their
// content, for names may be wrong.
func (r *Runner) attach(ctx context.Context) error {
	left := int64(maxAttached)
	for _, list := range []struct {
		flag, hint string
		names      []string
	}{
		{"--image", "name a PNG, JPEG, GIF or WebP image, or use --file", r.Images},
		{"--file", "name a text file or a PDF, or use --image", r.Files},
	} {
		for _, name := range list.names {
			text, err := r.file(ctx, list.flag, name, left)
			if err != nil {
				return err
			}
			left -= int64(len(text))
			kind, _, _ := strings.Cut(http.DetectContentType([]byte(text)), ";")
			isImage := slices.Contains(images, kind)
			isText := utf8.ValidString(text) && !strings.Contains(text, "\x00")
			switch {
			case text == "":
				return Refuse(list.hint, "%s: %s is empty", list.flag, name)
			case list.flag == "--image" && isImage, kind == "application/pdf" && list.flag == "--file":
			case list.flag == "--file" && isText:
				kind = model.PlainText
			default:
				return Refuse(list.hint, "%s: %s cannot be sent: its content is %s", list.flag, name, kind)
			}
			r.config.Attachments = append(r.config.Attachments, agent.Part{
				Name: strings.ToValidUTF8(filepath.Base(name), "\uFFFD"), Type: kind, Size: len(text), Data: []byte(text),
			})
		}
	}
	return nil
}
