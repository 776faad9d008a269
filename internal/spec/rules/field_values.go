package rules

// Fields of clients have an effect with few values. A table says which; what their
// authors probably mean as a note of their own is advice.

import (
	"fmt"
	"slices"
	"strings"

	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/suggest"
)

var fieldValues = &spec.Rule{
	ID:     "field-values",
	Title:  "values of clients' fields are ones that the clients use",
	Level:  spec.Warning,
	Source: "clients' documentation of their fields",
	Check: func(p *spec.Pass) {
		for _, f := range p.Doc.Fields {
			for _, form := range fieldForms() {
				if slices.Contains(strings.Fields(form.fields), f.Key) && f.Value.Kind != spec.Null && f.Value.Tag == "" {
					form.check(p, f)
				}
			}
		}
		checkHooks(p)
	},
}

// fieldForm describes the valid values of fields.
type fieldForm struct {
	fields string // names, separated by spaces
	kinds  []spec.Kind
	values string // strings with a meaning; "" for all
	silent string // other strings that have the effect their author expects
	needs  string // a field, with its value, that this one requires to have an effect
}

func fieldForms() []fieldForm {
	text, boolean, list := []spec.Kind{spec.String}, []spec.Kind{spec.Bool}, []spec.Kind{spec.String, spec.Sequence}
	return []fieldForm{
		{fields: "disable-model-invocation user-invocable", kinds: boolean},
		{fields: "background", kinds: boolean, needs: "context: fork"},
		{fields: "context", kinds: text, values: "fork", silent: "inline inherit main"},
		{fields: "agent", kinds: text, needs: "context: fork"},
		{fields: "model", kinds: text},
		{fields: "effort", kinds: append(text, spec.Number), values: "low medium high xhigh max", silent: "auto inherit default"},
		{fields: "shell", kinds: text, values: "bash powershell"},
		{fields: "when_to_use homepage command-tool", kinds: text},
		{fields: "command-dispatch", kinds: text, values: "tool"},
		{fields: "command-arg-mode", kinds: text, values: "raw"},
		{fields: "paths arguments disallowed-tools", kinds: list},
		{fields: "triggers", kinds: []spec.Kind{spec.Sequence}},
		{fields: "hooks", kinds: []spec.Kind{spec.Mapping}},
	}
}

// check reports a value that clients of the field reject or ignore.
func (form fieldForm) check(p *spec.Pass, f spec.Field) {
	v, who := f.Value, readers(f.Key)[0].Title // the others accept no more
	lower := strings.ToLower(v.Text)
	wanted := strings.Fields(form.values)
	if slices.Contains(form.kinds, spec.Bool) {
		wanted = []string{"true", "false"}
	}
	report := func(help, what string) {
		report := p.ReportIn
		if f.Key == "context" && v.Kind != spec.Bool && !meansFork(lower) {
			report = p.AdviseIn // a note of its author
		}
		report(p.Doc.Path, f.Value.Span, nil, help, "%s has no effect in %s: %s", printable.Quote(f.Key), who, what)
	}
	switch {
	case v.Scalar() && slices.Contains(wanted, lower): // quoted booleans are accepted too
	case !slices.Contains(form.kinds, v.Kind) && !(v.Kind == spec.String && len(wanted) > 0):
		report("write "+oneOf(form.kinds, wanted), "its value is "+v.Kind.String())
		return
	case v.Kind == spec.String && len(wanted) > 0 && !slices.Contains(strings.Fields(form.silent), lower):
		help := "write " + oneOf(form.kinds, wanted)
		if nearest := suggest.Nearest(lower, wanted); nearest != "" {
			help = "write " + nearest
		}
		report(help, printable.Quote(v.Text)+" is not one of its values")
		return
	case f.Key == "model" && strings.ContainsAny(strings.TrimSpace(v.Text), " \t\n"):
		report("write an alias such as sonnet, or the model's id", printable.Quote(v.Text)+" is not a model id, which has no spaces")
		return
	}
	if key, value, needs := strings.Cut(form.needs, ": "); needs {
		if other := p.Doc.Field(key); other == nil || other.Value.Text != value {
			p.Report(f.KeySpan, fmt.Sprintf("add %s, or delete %s", form.needs, f.Key), "%s has no effect without %s", printable.Quote(f.Key), form.needs)
		}
	}
}

// meansFork reports whether a value of context is an attempt at fork.
func meansFork(value string) bool {
	isShort := len(strings.Fields(value)) <= 2 // no sentence
	return isShort && (strings.Contains(value, "fork") || strings.Contains(value, "agent") || suggest.Nearest(value, []string{"fork"}) != "")
}

// oneOf lists the valid values.
func oneOf(kinds []spec.Kind, values []string) string {
	if len(values) == 0 {
		for _, k := range kinds {
			values = append(values, k.String())
		}
	}
	return joined(values, " or ")
}

// checkHooks reports hooks that Claude Code ignores. The format is a mapping of
// events to lists of matchers, each with a list of hooks that have a type.
func checkHooks(p *spec.Pass) {
	f := p.Doc.Field("hooks")
	if f == nil {
		return
	}
	const help = "write a list under the event: - matcher: Bash, hooks: [{type: command, command: …}]"
	for _, event := range f.Value.Fields {
		if known := suggest.Close(strings.NewReplacer("-", "", "_", "").Replace(event.Key), hookEvents()); known != "" && known != event.Key {
			p.Report(event.KeySpan, "write "+known, "%s is not an event of Claude Code", printable.Quote(event.Key))
			continue
		}
		groups := event.Value.Items
		if event.Value.Kind != spec.Sequence {
			p.Report(event.Place(), help, "hooks of %s are %s, not a list: Claude Code ignores them", printable.Quote(event.Key), event.Value.Kind)
		}
		for _, group := range groups {
			hooks := valueOf(group, "hooks")
			if hooks == nil || hooks.Kind != spec.Sequence {
				p.Report(group.Span, help, "a hook of %s has no list %s: Claude Code ignores it", printable.Quote(event.Key), printable.Quote("hooks"))
				continue
			}
			for _, h := range hooks.Items {
				if valueOf(h, "type") == nil {
					p.Report(h.Span, "add type: command", "a hook of %s has no type: Claude Code ignores it", printable.Quote(event.Key))
				}
			}
		}
	}
}

// hookEvents returns the events of Claude Code. New ones may be added, so only
// names similar to these are reported.
func hookEvents() []string {
	return strings.Fields(`PreToolUse PostToolUse PostToolUseFailure PostToolBatch UserPromptSubmit UserPromptExpansion SessionStart SessionEnd Setup
		Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PermissionRequest PermissionDenied Notification TeammateIdle TaskCreated TaskCompleted
		InstructionsLoaded ConfigChange CwdChanged FileChanged WorktreeCreate WorktreeRemove Elicitation ElicitationResult`)
}

// valueOf returns the value of a key in a mapping, or nil.
func valueOf(v spec.Value, key string) *spec.Value {
	for i := range v.Fields {
		if v.Fields[i].Key == key {
			return &v.Fields[i].Value
		}
	}
	return nil
}
