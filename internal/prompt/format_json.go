package prompt

import (
	"bytes"
	"encoding/json"
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
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	// Strings always encode, and the buffer always takes them.
	_ = encoder.Encode(map[string][]row{"available_skills": rows})
}
