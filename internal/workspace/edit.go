package workspace

// A change of a file is computed when it is prepared, shown as a diff, and applied only to
// the text that the diff was made from. Files are replaced atomically.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"unicode/utf8"

	udiff "github.com/aymanbagabas/go-udiff"

	"skills/internal/agent"
	"skills/internal/files"
	"skills/internal/printable"
)

type writeInput struct {
	Path    string  `json:"path" alias:"file,filename,file_path"`
	Content *string `json:"content" alias:"text,contents"`
}

type editInput struct {
	Path string `json:"path" alias:"file,filename,file_path"`
	Old  string `json:"old" alias:"old_string,old_text,search"`
	New  string `json:"new" alias:"new_string,new_text,replace"`
	All  bool   `json:"all" alias:"replace_all"`
}

// change is the new content of a file, an action of write_file or edit_file.
type change struct {
	tools    toolSet
	place    place
	inv      *agent.Invocation
	exists   bool // the file does
	mode     fs.FileMode
	before   []byte
	after    []byte
	attended bool
	lines    func() []string // the diff, computed once: that takes seconds for a large file
}

// prepared completes a change.
func (c *change) prepared() *change {
	c.lines = sync.OnceValue(c.compare)
	return c
}

// writeFile replaces or creates a file.
func (t toolSet) writeFile(_ context.Context, inv *agent.Invocation, in writeInput) (agent.Action, error) {
	if in.Content == nil {
		return t.refuse(inv, in.Path, "The parameter content is missing. Pass the whole text of the file."), nil
	}
	c, fault := t.newChange(inv, in.Path)
	if fault != "" {
		return t.refuse(inv, in.Path, fault), nil
	}
	c.after = []byte(*in.Content)
	if len(c.after) > maxFile {
		return t.refuse(inv, in.Path, fmt.Sprintf("The content has more than %d bytes.", maxFile)), nil
	}
	return c.prepared(), nil
}

// editFile replaces a text in a file.
func (t toolSet) editFile(_ context.Context, inv *agent.Invocation, in editInput) (agent.Action, error) {
	c, fault := t.newChange(inv, in.Path)
	switch {
	case fault != "":
	case !c.exists:
		fault = fmt.Sprintf("%s does not exist.%s Use write_file to create a file.", c.place.shown, t.similar(c.place))
	case in.Old == "":
		fault = "The parameter old cannot be empty. Use write_file to write the whole file."
	case in.Old == in.New:
		fault = "old and new are the same text, so nothing would change."
	case !utf8.Valid(c.before) || bytes.ContainsRune(c.before, 0):
		fault = c.place.shown + " is not a text file in UTF-8, so it cannot be edited."
	default:
		c.after, fault = replaced(c.place.shown, string(c.before), in)
	}
	if fault != "" {
		return t.refuse(inv, in.Path, fault), nil
	}
	return c.prepared(), nil
}

// refuse returns the action of a change that cannot be made.
func (t toolSet) refuse(inv *agent.Invocation, path, fault string) agent.Action {
	return agent.Answer(agent.Summary{Kind: agent.KindEdit, Name: path, Line: path, Arguments: inv.Arguments}, agent.ErrorResult(fault))
}

// newChange reads a file that is to be changed.
func (t toolSet) newChange(inv *agent.Invocation, path string) (*change, string) {
	p, fault := t.locate(path)
	if fault != "" {
		return nil, fault
	}
	guard := t.access.guard(p)
	if guard.refused != nil {
		return nil, fmt.Sprintf("%s cannot be written: %s.", p.shown, guard.refused)
	}
	c := &change{tools: t, place: p, inv: inv, mode: 0o666, attended: guard.attended}
	data, info, err := t.access.readAll(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, ""
	case info != nil && info.IsDir():
		return nil, p.shown + " is a folder."
	case err != nil:
		return nil, outsideHint(err, p)
	}
	c.exists, c.before, c.mode = true, data, info.Mode().Perm()
	if t.state.stale(p.real, data) {
		return nil, fmt.Sprintf("%s has changed since you read it. Read it again, then repeat the change.", p.shown)
	}
	return c, ""
}

// replaced returns a text with old replaced by new. Where the file's lines end in CR LF and
// old's do not, new gets the file's line ends.
func replaced(shown, text string, in editInput) (after []byte, fault string) {
	old, new := in.Old, in.New
	count := strings.Count(text, old)
	if count == 0 && strings.Contains(text, "\r\n") && !strings.Contains(old, "\r\n") {
		old, new = strings.ReplaceAll(old, "\n", "\r\n"), strings.ReplaceAll(strings.ReplaceAll(new, "\r\n", "\n"), "\n", "\r\n")
		count = strings.Count(text, old)
	}
	switch {
	case count == 0:
		return nil, missing(shown, text, in.Old)
	case count > 1 && !in.All:
		return nil, fmt.Sprintf("The text is %d times in %s, in lines %s. Add more of the lines around it to old, or set all to true.", count, shown, occurrences(text, old))
	}
	return []byte(strings.ReplaceAll(text, old, new)), ""
}

// occurrences lists the lines where a text begins.
func occurrences(text, old string) string {
	const most = 10
	var numbers []string
	at := 0
	for {
		i := strings.Index(text[at:], old)
		if i < 0 {
			break
		}
		if len(numbers) == most {
			numbers = append(numbers, "…")
			break
		}
		numbers = append(numbers, fmt.Sprint(1+strings.Count(text[:at+i], "\n")))
		at += i + len(old)
	}
	return strings.Join(numbers, ", ")
}

// Summary names the file.
func (c *change) Summary() agent.Summary {
	added, removed := c.counts()
	return agent.Summary{
		Kind: agent.KindEdit, Name: c.place.shown, Arguments: c.inv.Arguments,
		Line: fmt.Sprintf("%s (+%d -%d)", c.place.shown, added, removed),
	}
}

// diff returns the change as a unified diff without its header.
func (c *change) diff() []string { return c.lines() }

func (c *change) compare() []string {
	text := udiff.Unified("a", "b", display(c.before), string(c.after))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 2 {
		return nil
	}
	return lines[2:]
}

// display returns the content of a file for a diff. A new content is always shown: it is text,
// and a NUL character must not hide the rest.
func display(data []byte) string {
	if !utf8.Valid(data) || bytes.ContainsRune(data, 0) {
		return fmt.Sprintf("(%d bytes that are not text)\n", len(data))
	}
	return string(data)
}

// counts returns the numbers of lines that are added and removed.
func (c *change) counts() (added, removed int) {
	for _, line := range c.diff() {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return added, removed
}

// Approval asks with the diff.
func (c *change) Approval() *agent.Approval {
	added, removed := c.counts()
	what := fmt.Sprintf("+%d -%d lines", added, removed)
	switch {
	case !c.exists:
		what = "a new file, " + printable.Plural(added, "line")
	case bytes.Equal(c.before, c.after):
		what = "none: it has this content already"
	}
	a := &agent.Approval{
		Action: c.Summary(), Dir: c.tools.access.dir,
		Details: agent.Details{
			Facts:    []agent.Fact{{Label: "file", Value: c.place.shown, Path: true}, {Label: "change", Value: what}},
			Attended: c.attended, Preview: c.diff(), Allowed: c.tools.allowed(),
		},
	}
	if c.attended {
		a.Note = "programs run or read files there by themselves"
	}
	return a
}

// Run writes the file between its two records, unless it is not the one that was shown.
func (c *change) Run(ctx context.Context) (agent.ToolResult, error) {
	if ctx.Err() != nil {
		return agent.ToolResult{}, context.Cause(ctx)
	}
	return c.tools.recorded(ctx, c.inv, c.Summary(), func() (agent.ToolResult, error) {
		fault := c.write()
		if fault != "" {
			return agent.ErrorResult(fault), nil
		}
		return c.result(), nil
	})
}

// write writes the file; fault is why it did not.
func (c *change) write() (fault string) {
	c.tools.state.mu.Lock()
	defer c.tools.state.mu.Unlock()
	data, _, err := c.tools.access.readAll(c.place)
	unchanged := c.exists && err == nil && bytes.Equal(data, c.before) || !c.exists && errors.Is(err, fs.ErrNotExist)
	if !unchanged {
		return c.place.shown + " has changed meanwhile. Read it again, then repeat the change."
	}
	root, base, err := c.tools.access.parent(c.place, true)
	if err != nil {
		return outsideHint(err, c.place)
	}
	defer root.Close()
	_, err = files.Replace(root, base, c.after, c.mode, c.exists, nil)
	if err != nil {
		return fmt.Sprintf("%s was not written: %v.", c.place.shown, files.Reason(err))
	}
	c.tools.state.digests[c.place.real] = sha256.Sum256(c.after)
	return ""
}

func (c *change) result() agent.ToolResult {
	added, removed := c.counts()
	verb := "Changed"
	if !c.exists {
		verb = "Created"
	}
	text := fmt.Sprintf("%s %s (+%d -%d lines).", verb, c.place.shown, added, removed)
	return agent.ToolResult{
		Text: text, Shown: strings.Join(append([]string{text}, c.diff()...), "\n"), Change: &agent.Change{Added: added, Removed: removed},
	}
}
