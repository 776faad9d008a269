package run

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/testing/openaitest"
	"skills/internal/transcript"
)

// once calls do at the first event.
type once struct {
	transcript.Printer
	do func()
}

func (p *once) Event(e agent.Event) error {
	p.do()
	p.do = func() {}
	return p.Printer.Event(e)
}

// TestRecordLost checks that -q prints the answer even if the recording cannot be
// written.
func TestRecordLost(t *testing.T) {
	server := openaitest.New(t, openaitest.Text("done"))
	var out, errs bytes.Buffer
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	o := testOptions()
	o.Files.Record = "sub/talk.jsonl"
	printer := &once{transcript.Quiet(&out, transcript.TextOptions{}), func() { os.RemoveAll(sub) }}
	_, _, err := Present(t.Context(), testEnv(dir, &errs, "OPENAI_BASE_URL="+server.URL), o, printing(printer))
	if e := (*fault.Error)(nil); !errors.As(err, &e) || e.Code != fault.Failed || out.String() != "done\n" || !strings.HasPrefix(err.Error(), "--record: ") {
		t.Errorf("got %v, %q, warnings %s", err, out.String(), errs.String())
	}
}
