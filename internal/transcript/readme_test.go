package transcript

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"skills/internal/agent"
	"skills/internal/testing/filetest"
	"skills/internal/todo"
)

// lines are the events that have a line in the JSON Lines format.
var lines = []agent.Event{
	Started{}, contextEvent{}, requestEvent{}, agent.MessageEvent{}, agent.MessageDelta{}, agent.ReasoningEvent{}, verboseToolCall{}, agent.ToolApproval{}, agent.ToolResultEvent{},
	todo.Event{}, agent.UsageEvent{}, agent.RetryEvent{}, agent.RefusedEvent{}, agent.CompactionEvent{}, agent.LoopEvent{}, agent.PlanEvent{}, agent.LoadingEvent{}, agent.WarningEvent{}, agent.NoteEvent{}, agent.HookEvent{}, Result{},
}

// TestReadmeEvents checks that the table in docs/events.md has every event and each of
// its fields, including those of nested objects.
func TestReadmeEvents(t *testing.T) {
	data, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "<!-- events -->")
	table, _, found := strings.Cut(table, "<!-- end -->")
	if !found {
		t.Fatal("docs/events.md has no table of events")
	}
	rows := map[string][]string{}
	var order []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\| [^|]+ \\|$").FindAllStringSubmatch(table, -1) {
		order = append(order, row[1])
		for _, field := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			rows[row[1]] = append(rows[row[1]], field[1])
		}
		slices.Sort(rows[row[1]])
	}
	var want []string
	for _, e := range lines {
		want = append(want, e.EventType())
		if got, fields := slices.Compact(rows[e.EventType()]), fieldsOf(t, e); !slices.Equal(got, fields) {
			t.Errorf("%s: docs/events.md has the fields %q, the event %q", e.EventType(), got, fields)
		}
	}
	if !slices.Equal(order, want) {
		t.Errorf("docs/events.md has the events %q, want %q", order, want)
	}
}

// TestEveryEvent checks that the list above contains every event, except those printed
// as others.
func TestEveryEvent(t *testing.T) {
	want := []string{"agent.ReadyEvent", "agent.ContextEvent", "agent.ActionEvent", "agent.ProgressEvent", "agent.CallProgressEvent", "agent.HeldEvent"} // printed as others, or in them
	for _, e := range lines {
		of := reflect.TypeOf(e)
		if f := of.Field(0); f.Anonymous && f.Type.Implements(reflect.TypeFor[agent.Event]()) {
			of = f.Type // it extends this event
		}
		want = append(want, of.String())
	}
	var got []string
	method := regexp.MustCompile(`(?m)^func \((?:\w+ )?\*?(\w+)\) EventType\(\)`)
	for _, pattern := range []string{"../*/*.go", "../*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			for _, m := range method.FindAllStringSubmatch(filetest.Read(t, path), -1) {
				got = append(got, filepath.Base(filepath.Dir(path))+"."+m[1])
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("%s is an event: add it to the list lines above, in the order of docs/events.md", name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s is in the list lines above, and is no event", name)
		}
	}
}

// fieldsOf returns the names of all fields of an event as it is printed, sorted.
func fieldsOf(t *testing.T, e agent.Event) []string {
	t.Helper()
	v := reflect.New(reflect.TypeOf(e)).Elem()
	fill(v)
	data, err := json.Marshal(v.Interface())
	if err != nil {
		t.Fatal(err)
	}
	var parsed any
	if err := json.Unmarshal(data, &parsed); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	var collect func(any)
	collect = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, inner := range value {
				names[name] = true
				collect(inner)
			}
		case []any:
			for _, inner := range value {
				collect(inner)
			}
		}
	}
	collect(parsed)
	return slices.Sorted(maps.Keys(names))
}

// fill gives everything in a value that can be set something to show.
func fill(v reflect.Value) {
	switch {
	case !v.CanSet():
		return
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		v.SetBytes([]byte("1"))
		return
	case v.Type() == reflect.TypeFor[[]byte](): // the data of an attachment, which no event has
		return
	case v.Type() == reflect.TypeFor[agent.Params]():
		v.Set(reflect.ValueOf(agent.Params{"params": json.RawMessage("1")})) // names are the user's
		return
	}
	if v.Type() == reflect.TypeFor[map[string]string]() {
		v.Set(reflect.ValueOf(map[string]string{"headers": "x"})) // likewise
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// TestKindsPage checks that docs/events.md names each kind of action, in the order of the
// constants.
func TestKindsPage(t *testing.T) {
	kinds := regexp.MustCompile(`(?m)^\tKind\w+ += "(\w+)"`).FindAllStringSubmatch(filetest.Read(t, "../agent/action.go"), -1)
	var words []string
	for _, kind := range kinds {
		words = append(words, "`"+kind[1]+"`")
	}
	page := regexp.MustCompile(` \([^)]*\)`).ReplaceAllString(filetest.Read(t, "../../docs/events.md"), "")
	last := len(words) - 1
	if want := "its `kind` is " + strings.Join(words[:last], ", ") + " or " + words[last]; len(kinds) == 0 || !strings.Contains(page, want) {
		t.Errorf("docs/events.md lacks: %s", want)
	}
}
