package prompt

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/loader"
	"skills/internal/printable"
)

// How many lines a list of files has, and of how many files a folder is shown by its
// name alone in a list that would have more.
const (
	maxLines  = 100
	maxFolder = 10
)

// fileLine is a file of a skill as a line of a list.
type fileLine struct{ name, text string }

// resourceLines returns the lines of the resources below a folder, a slash path with a
// slash at its end, "" for all. Where there are many, folders inside it with more
// than some files are a line each.
func resourceLines(resources []loader.Resource, folder string) []fileLine {
	var all, lines []fileLine
	for _, r := range resources {
		if !strings.HasPrefix(r.Name, folder) {
			continue
		}
		description := r.Description
		if description == "" && r.Type != "" {
			description = fmt.Sprintf("%s, %s bytes", r.Type, printable.Grouped(r.Size))
		}
		all = append(all, fileLine{r.Name, fmt.Sprintf("  <resource%s/>\n", attributes(r.Name, description))})
	}
	for i := 0; i < len(all); {
		n := 1
		if inside, _, found := strings.Cut(all[i].name[len(folder):], "/"); found {
			inside = folder + inside + "/"
			for i+n < len(all) && strings.HasPrefix(all[i+n].name, inside) {
				n++
			}
			if n > maxFolder && len(all) > maxLines {
				lines = append(lines, fileLine{inside, fmt.Sprintf("  <folder%s files=\"%d\"/>\n", attributes(inside, ""), n)})
				i += n
				continue
			}
		}
		lines = append(lines, all[i:i+n]...)
		i += n
	}
	return lines
}

// FolderList returns the list of a skill's resources and scripts below a folder, in parts of a
// hundred lines: the one at offset, and the offset of the next, 0 for none. The text is
// "" if there is nothing below it at that offset.
func FolderList(c loader.Contents, folder string, offset int) (text string, next int) {
	if folder = strings.TrimSuffix(folder, "/") + "/"; folder == "./" {
		folder = ""
	}
	files := slices.Clone(c.Resources)
	for _, s := range c.Scripts {
		files = append(files, loader.Resource{Name: s.Name, Description: "script"})
	}
	slices.SortStableFunc(files, func(a, b loader.Resource) int { return strings.Compare(a.Name, b.Name) })
	lines := resourceLines(files, folder)
	if offset >= len(lines) {
		return "", 0
	}
	end := min(offset+maxLines, len(lines))
	text = listElement("available_resources", joined(lines[offset:end]))
	if end < len(lines) {
		return text, end
	}
	return text, 0
}

func joined(lines []fileLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}

// resourceList is the list that load_skill returns.
func resourceList(resources []loader.Resource) string {
	lines := resourceLines(resources, "")
	shown := lines[:min(len(lines), maxLines)]
	text := listElement("available_resources", joined(shown))
	for _, l := range shown {
		if strings.HasSuffix(l.name, "/") {
			text += "\nTo list a folder, call read_skill_resource with its name."
			break
		}
	}
	if more := len(lines) - len(shown); more > 0 {
		text += fmt.Sprintf("\n%d more: call read_skill_resource with resourceName \".\" and offset %d.", more, maxLines)
	}
	return text
}
