package prompt

// EntryText returns what one skill adds to the system text of every request:
// its element of the catalogue.
func EntryText(e Entry) string {
	return element(Entry{Name: e.Name, Description: e.Description})
}
