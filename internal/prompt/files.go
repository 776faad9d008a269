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

	folderStart = "  <folder" // of the line of a folder
)

// resourceLines returns the lines of the resources below a folder, a slash path with a
// slash at its end, "" for all. Where there are many, folders inside it with more
// than some files are a line each.
func resourceLines(resources []loader.Resource, folder string) (lines []string) {
	outside := func(r loader.Resource) bool { return !strings.HasPrefix(r.Name, folder) }
	all := slices.DeleteFunc(slices.Clone(resources), outside)
	for i := 0; i < len(all); {
		if inside, _, found := strings.Cut(all[i].Name[len(folder):], "/"); found && len(all) > maxLines {
			inside = folder + inside + "/"
			n := 1
			for i+n < len(all) && strings.HasPrefix(all[i+n].Name, inside) {
				n++
			}
			if n > maxFolder {
				lines = append(lines, fmt.Sprintf("%s%s files=\"%d\"/>\n", folderStart, attributes(inside, ""), n))
				i += n
				continue
			}
		}
		description := all[i].Description
		if description == "" && all[i].Type != "" {
			description = fmt.Sprintf("%s, %s bytes", all[i].Type, printable.Grouped(all[i].Size))
		}
		lines = append(lines, fmt.Sprintf("  <resource%s/>\n", attributes(all[i].Name, description)))
		i++
	}
	return lines
}

// FolderList returns the list of a skill's resources and scripts below a folder, in parts of a
// hundred lines: the one at offset, and the offset of the next, 0 for none. The text is
// "" if there is nothing below it at that offset.
func FolderList(c loader.Contents, folder string, offset int) (text string, next int) {
	folder = strings.TrimSuffix(folder, "/") + "/"
	if folder == "./" {
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
	next = offset + maxLines
	if next >= len(lines) {
		return listElement("available_resources", lines[offset:]), 0
	}
	return listElement("available_resources", lines[offset:next]), next
}

// resourceList is the list that load_skill returns.
func resourceList(resources []loader.Resource) string {
	lines := resourceLines(resources, "")
	shown := lines[:min(len(lines), maxLines)]
	text := listElement("available_resources", shown)
	if slices.ContainsFunc(shown, func(line string) bool { return strings.HasPrefix(line, folderStart) }) {
		text += "\nTo list a folder, call read_skill_resource with its name."
	}
	if more := len(lines) - len(shown); more > 0 {
		text += fmt.Sprintf("\n%d more: call read_skill_resource with resourceName \".\" and offset %d.", more, maxLines)
	}
	return text
}
