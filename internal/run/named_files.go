package run

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/agent/model"
	"skills/internal/fault"
	"skills/internal/files"
)

// byteOrderMark begins UTF-8 text of some Windows programs.
const byteOrderMark = "\uFEFF"

const maxTextFile = 1 << 20

// file reads a file or pipe of at most limit bytes named by a flag; without a name the
// text is empty. If the context ends first, the error is a *files.UnfinishedError.
func (r Env) file(ctx context.Context, flag, name string, limit int64) (string, error) {
	if name == "" {
		return "", nil
	}
	path := r.absolute(name)
	data, err := files.WaitForPipe(ctx, flag+": "+name, path, r.pipeTime(), func() ([]byte, error) { return files.Read(path, limit) })
	switch {
	case errors.As(err, new(*files.UnfinishedError)):
		return "", err
	case errors.Is(err, files.ErrSilentPipe):
		return "", silentPipe(flag, name)
	case errors.Is(err, fs.ErrNotExist):
		return "", fault.Usage("check the path and the current directory", "%s: %s does not exist", flag, name)
	case errors.Is(err, files.ErrTooLarge):
		return "", fault.Usage("name a smaller file", "%s: reading %s: it is larger than %d bytes", flag, name, limit)
	}
	if err != nil {
		return "", fault.Usage("name a readable file", "%s: reading %s: %w", flag, name, files.Reason(err))
	}
	return strings.TrimPrefix(string(data), byteOrderMark), nil
}

// maxAttached is how many bytes all files of a prompt may have together: they are sent
// with every request, and a session has them in one line.
const maxAttached = 8 << 20

// images are the types of images that servers take.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// attach reads the files of --image and --file. What they are is seen from their
// content, for names may be wrong.
func attach(ctx context.Context, env Env, o Prompt) (parts []agent.Part, err error) {
	left := int64(maxAttached)
	for _, list := range []struct {
		flag, hint string
		names      []string
	}{
		{"--image", "name a PNG, JPEG, GIF or WebP image, or use --file", o.Images},
		{"--file", "name a text file or a PDF, or use --image", o.Files},
	} {
		for _, name := range list.names {
			text, err := env.file(ctx, list.flag, name, maxAttached)
			if err != nil {
				return nil, err
			}
			left -= int64(len(text))
			if left < 0 {
				return nil, fault.Usage("attach less: files are sent with every request", "the attached files are larger than %d bytes together", maxAttached)
			}
			kind, _, _ := strings.Cut(http.DetectContentType([]byte(text)), ";")
			isImage := slices.Contains(images, kind)
			isText := utf8.ValidString(text) && !strings.Contains(text, "\x00")
			switch {
			case text == "":
				return nil, fault.Usage(list.hint, "%s: %s is empty", list.flag, name)
			case list.flag == "--image" && isImage, kind == "application/pdf" && list.flag == "--file":
			case list.flag == "--file" && isText:
				kind = model.PlainText
			case strings.HasPrefix(text, "\xFF\xFE"), strings.HasPrefix(text, "\xFE\xFF"):
				return nil, fault.Usage("save it as UTF-8", "%s: %s cannot be sent: its content is UTF-16 text", list.flag, name)
			default:
				return nil, fault.Usage(list.hint, "%s: %s cannot be sent: its content is %s", list.flag, name, kind)
			}
			parts = append(parts, agent.Part{
				Name: strings.ToValidUTF8(filepath.Base(name), "\uFFFD"), Type: kind, Size: len(text), Data: []byte(text),
			})
		}
	}
	return parts, nil
}

// pipeTime is how long a pipe that an option names may take.
func (r Env) pipeTime() time.Duration { return cmp.Or(r.PipeTime, files.PipeTime) }

// silentPipe returns the error for a pipe that an option names.
func silentPipe(flag, name string) error {
	return fault.Usage("start the program that writes to it, or name a regular file", "%s: %s %w", flag, name, files.ErrSilentPipe)
}
