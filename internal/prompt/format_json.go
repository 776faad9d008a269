package prompt

import (
	"bytes"

	"skills/internal/printable"
)

// jsonObject writes the object {"available_skills":[{name, description,
// location}]}, indented by two spaces; angle brackets stay readable. The list
// is empty without skills.
func jsonObject(b *bytes.Buffer, entries []Entry) {
	type row struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Location    string `json:"location,omitempty"`
	}
	rows := make([]row, len(entries))
	for i, e := range entries {
		rows[i] = row(e)
	}
	// Strings always encode, and the buffer always takes them.
	_ = printable.WriteJSON(b, map[string][]row{"available_skills": rows})
}
