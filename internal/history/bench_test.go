package history

import (
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/printable"
)

// BenchmarkAdded is what keeping one message costs, the wait for the disk
// included.
func BenchmarkAdded(b *testing.B) {
	f, err := Open(filepath.Join(b.TempDir(), "s.jsonl"), noon, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	m := []agent.Message{userMessage(strings.Repeat("x", 400))}
	for b.Loop() {
		if err := f.OnMessages(b.Context(), f.Session, m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse is what opening a session of a thousand turns costs.
func BenchmarkParse(b *testing.B) {
	var records []any
	records = append(records, record{Type: typeHeader, SchemaVersion: version})
	for range 1000 {
		records = append(records, messageLines([]agent.Message{
			userMessage(strings.Repeat("x", 400)), {Role: agent.Assistant, Source: agent.FromModel, Text: strings.Repeat("y", 400)},
		})...)
	}
	var data []byte
	for _, r := range records {
		data = append(data, printable.JSONText(r)+"\n"...)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := parse("s.jsonl", data); err != nil {
			b.Fatal(err)
		}
	}
}
