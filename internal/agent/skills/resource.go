package skills

// A resource is read in pieces, because the model chooses where to start. No piece splits a
// character, or a key: a part of one could not be recognised and masked.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/printable"
	"skills/internal/prompt"
)

type reader func(ctx context.Context, offset, limit int64) ([]byte, int64, error)

// resource is an existing resource named by the model.
type resource struct {
	name  string
	skill *loader.Skill
	read  reader
}

func (k toolSet) read(ctx context.Context, inv *agent.Invocation, in readInput) (agent.Action, error) {
	summary := agent.Summary{
		Kind: agent.KindResource, Owner: in.SkillName, Name: in.ResourceName, Line: in.SkillName + "/" + in.ResourceName, Arguments: inv.Arguments,
	}
	if !blank(in.SkillName) && blank(in.ResourceName) {
		return failed(summary, "Resource name cannot be empty."), nil
	}
	var known loader.Contents
	var owner *loader.Skill
	var missing string
	for _, again := range []bool{false, true} { // the file may have been added since
		skill, contents, errText := k.open(ctx, in.SkillName, again)
		if errText == "" && in.Offset < 0 {
			errText = "The offset cannot be negative."
		}
		if errText != "" {
			return failed(summary, errText), nil
		}
		summary.Owner = skill.Name
		var r resource
		r, missing = findResource(skill, contents, in.ResourceName)
		if missing == "" {
			return k.reading(ctx, inv, summary, r, contents, in.Offset, guessed[readInput](inv)), nil
		}
		owner, known = skill, contents
	}
	folder := path.Clean(strings.TrimSpace(in.ResourceName))
	text, next := prompt.FolderList(known, folder, int(min(in.Offset, math.MaxInt32)))
	if text == "" {
		if r, ok := understandResource(owner, known, in.ResourceName); ok {
			return k.reading(ctx, inv, summary, r, known, in.Offset, true), nil
		}
		return failed(summary, missing), nil
	}
	if next > 0 {
		text += fmt.Sprintf("\n\n[This is a part. To read on, call %s again with offset %d.]", readTool, next)
	}
	return agent.Answer(summary, agent.ToolResult{Text: text, Truncated: next > 0}), nil
}

// reading returns the action that reads a resource. repaired is true if the call was not
// quite right.
func (k toolSet) reading(ctx context.Context, inv *agent.Invocation, summary agent.Summary, r resource, c loader.Contents, offset int64, repaired bool) agent.Action {
	summary.Name, summary.Line = r.name, r.skill.Name+"/"+r.name
	note := ""
	if repaired {
		note = understood(readInput{SkillName: r.skill.Name, ResourceName: r.name, Offset: offset})
	}
	action := agent.Simple(summary, func(ctx context.Context) (agent.ToolResult, error) {
		result, err := k.piece(ctx, r, offset)
		return withLine(result, note), err
	})
	return asking(ctx, k.Provider, action, r.skill, c, func() (string, error) {
		data, _, err := r.read(ctx, 0, maxSource)
		return string(data), err
	})
}

// piece returns a piece of a resource, or why it cannot be read.
func (k toolSet) piece(ctx context.Context, r resource, offset int64) (agent.ToolResult, error) {
	result, err := r.piece(ctx, offset, k.opt.ResourceLimit, k.opt.Mask)
	if err != nil {
		text := fmt.Sprintf("Failed to read resource '%s' from skill '%s'. %s", r.name, r.skill.Name, detail(err))
		return agent.ErrorResult(text), context.Cause(ctx)
	}
	return result, nil
}

// findResource finds a resource by its listed name. The source of a script can be read
// too, because models like to look before they run.
func findResource(skill *loader.Skill, contents loader.Contents, name string) (r resource, missing string) {
	names, all, readers := readable(skill, contents)
	match, similar := loader.Lookup(all, name)
	if match == "" {
		missing = fmt.Sprintf("Resource '%s' not found in skill '%s'.\n%s", shown(name), skill.Name, offer("resources", names, similar))
		if strings.EqualFold(strings.TrimSpace(name), "SKILL.md") {
			missing += " The text of SKILL.md is what load_skill returns."
		} else if meant := nearest(names, similar); meant != "" {
			missing += "\nCall " + readTool + " like this:\n" + printable.JSONText(readInput{SkillName: skill.Name, ResourceName: meant})
		}
		return resource{}, missing
	}
	return resource{match, skill, readers[match]}, ""
}

// understandResource finds the resource that a call of a model means.
func understandResource(skill *loader.Skill, contents loader.Contents, name string) (r resource, ok bool) {
	_, all, readers := readable(skill, contents)
	meant := onlyFile(all, skill.Dir, name)
	return resource{meant, skill, readers[meant]}, meant != ""
}

// readable returns the names of the resources, those with the scripts, and what reads
// each.
func readable(skill *loader.Skill, contents loader.Contents) (names, all []string, readers map[string]reader) {
	readers = map[string]reader{}
	for _, r := range contents.Resources {
		readers[r.Name] = r.Read
		names = append(names, r.Name)
	}
	all = names
	for _, s := range contents.Scripts {
		if _, taken := readers[s.Name]; taken || s.Call != nil || skill.Dir == "" {
			continue
		}
		readers[s.Name] = func(ctx context.Context, offset, limit int64) ([]byte, int64, error) {
			return loader.ReadFile(ctx, skill.Dir, s.Name, offset, limit)
		}
		all = append(all, s.Name)
	}
	return names, all, readers
}

// keyEdge is the number of bytes that are read before and after a piece, to detect keys
// that its edges would split.
const keyEdge = 16 << 10

// piece reads about limit bytes from offset. It splits no character, and no key, because
// mask would not recognise a part of one.
func (r resource) piece(ctx context.Context, offset, limit int64, mask func(string) string) (agent.ToolResult, error) {
	var size int64
	back := min(offset, keyEdge)
	most := back + limit + keyEdge
	window, err := agent.RecoverPanic(func() (data []byte, err error) { // a resource may be computed
		data, size, err = r.read(ctx, offset-back, most)
		return data[:min(int64(len(data)), most)], err
	})
	if err != nil {
		return agent.ToolResult{}, err
	}
	if len(window) > 0 { // the size may be smaller than what was read
		size = max(size, offset-back+int64(len(window)))
	}
	from, to := min(int(back), len(window)), min(int(back+limit), len(window))
	switch {
	case size == 0:
		return agent.ToolResult{Text: "(the resource is empty)"}, nil
	case offset >= size:
		return agent.ErrorResult(fmt.Sprintf("The offset %d is beyond the end of resource '%s', which has %d bytes.", offset, r.name, size)), nil
	}
	if from == to {
		return agent.ToolResult{}, errors.New("nothing could be read")
	}
	if cut := beforeKey(window, to, mask); cut > from {
		to = cut
	}
	from = beforeKey(window, from, mask)
	data, start, end := window[from:to], offset-back+int64(from), offset-back+int64(to)
	if start > 0 {
		data = fromRune(data)
		start = end - int64(len(data))
	}
	if end < size {
		data = toRune(data)
		end = start + int64(len(data))
	}
	if kind := loader.BinaryType(data, false); kind != "" {
		text := fmt.Sprintf("Binary file, %s, %s bytes: not shown.", kind, printable.Grouped(size))
		if r.skill.Dir != "" {
			text += "\nIt is at " + filepath.Join(r.skill.Dir, filepath.FromSlash(r.name)) // for scripts that read it
		}
		return agent.ToolResult{Text: text}, nil
	}
	text := string(data)
	if isMarkdown := strings.EqualFold(path.Ext(r.name), ".md"); isMarkdown {
		text = filled(r.skill, text)
	}
	switch {
	case end < size:
		text += fmt.Sprintf("\n\n[This is a part: bytes %d to %d of %d. To read on, call %s again with offset %d.]", start, end, size, readTool, end)
	case start > 0:
		text += fmt.Sprintf("\n\n[This is the last part: bytes %d to %d of %d.]", start, end, size)
	}
	return agent.ToolResult{Text: text, Truncated: end < size}, nil
}

// beforeKey returns at if it does not split a key, else a position before the key.
func beforeKey(data []byte, at int, mask func(string) string) int {
	for step := 1; at > 0 && at < len(data) && mask(string(data[:at]))+mask(string(data[at:])) != mask(string(data)); step *= 2 {
		at = max(0, at-step)
	}
	return at
}

// fromRune removes an incomplete character at the start.
func fromRune(data []byte) []byte {
	for n := 0; n < utf8.UTFMax-1 && len(data) > 0 && !utf8.RuneStart(data[0]); n++ {
		data = data[1:]
	}
	return data
}

// toRune removes an incomplete character at the end.
func toRune(data []byte) []byte {
	for n := 1; n < utf8.UTFMax && n < len(data); n++ {
		if last := data[len(data)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return data[:len(data)-n]
			}
			break
		}
	}
	return data
}
