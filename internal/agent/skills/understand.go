package skills

// A call that is almost right is repaired where only one meaning is possible: the name of a
// file, a name or form of the arguments. The result then says what was understood. Any
// other wrong call is answered with the right one, whole, and nothing runs.

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/loader"
	"skills/internal/params"
	"skills/internal/printable"
	"skills/internal/script"
)

// maxUnderstood is how many characters of a call are repeated.
const maxUnderstood = 600

// guessed reports whether the arguments of a call were repaired when they were decoded
// into a struct of type In.
func guessed[In any](inv *agent.Invocation) bool {
	text := strings.TrimSpace(inv.Call.Arguments)
	return strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "[") || params.Guessed(inv.Arguments, reflect.TypeFor[In]())
}

// understood is the line of a result that says how a repaired call was understood.
func understood(call any) string {
	return "[Understood as " + printable.TruncateMiddle(printable.JSONText(call), maxUnderstood) + "]"
}

// withLine returns a result with a line at its end.
func withLine(r agent.ToolResult, line string) agent.ToolResult {
	if line == "" {
		return r
	}
	r.Text = strings.TrimRight(r.Text, "\n") + "\n\n" + line
	return r
}

// onlyFile returns the one name that a wrong one means: of the same file in another
// folder, or with another extension. It returns "" if there is none, or more than one.
func onlyFile(names []string, dir, name string) string {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if filepath.IsAbs(filepath.FromSlash(name)) {
		rel, err := filepath.Rel(dir, filepath.FromSlash(name))
		if err != nil || dir == "" || !filepath.IsLocal(rel) {
			return ""
		}
		name = filepath.ToSlash(rel)
	}
	if name == "" || slices.Contains(strings.Split(name, "/"), "..") || strings.EqualFold(path.Base(name), "SKILL.md") {
		return ""
	}
	stem := func(s string) string { return strings.ToLower(strings.TrimSuffix(path.Base(s), path.Ext(s))) }
	for _, same := range []func(n string) bool{
		func(n string) bool { return strings.EqualFold(path.Base(n), path.Base(name)) },
		func(n string) bool { return stem(n) == stem(name) && stem(n) != "" },
	} {
		match := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !same(n) })
		if len(match) > 0 {
			if len(match) > 1 {
				return ""
			}
			return match[0]
		}
	}
	return ""
}

// understandScript finds the script that a call of a model means.
func understandScript(skill *loader.Skill, contents loader.Contents, name string) (found loader.Script, repaired bool) {
	_, names, _ := findScript(contents, name)
	meant := onlyFile(names, skill.Dir, name)
	if meant == "" {
		return loader.Script{}, false
	}
	found, _, _ = findScript(contents, meant)
	return found, true
}

// interpretation is how the arguments of a call are understood.
type interpretation struct {
	arguments json.RawMessage // as used
	words     []string        // of a file's command line
	repaired  json.RawMessage // the right form of the arguments; nil if they were right
}

// plainly returns what arguments mean for a script that does not say what it takes.
func plainly(x loader.Script, arguments json.RawMessage) (in interpretation, err error) {
	in.arguments = arguments
	if x.Call == nil {
		in.words, err = script.Arguments(arguments)
	} else if x.Schema["type"] == "object" {
		in.arguments = namedValues(arguments, x.Schema)
	}
	return in, err
}

// interpret returns what the arguments of a call by a model mean for a script. The error
// is the reason why the script cannot take them.
func (i *takesIndex) interpret(s *loader.Skill, x loader.Script, arguments json.RawMessage) (in interpretation, err error) {
	t := i.of(s, x)
	if x.Call != nil && !t.Certain {
		return plainly(x, arguments)
	}
	object := params.Single(params.Unwrap(arguments))
	in, err = plainly(x, arguments)
	if err != nil { // no program can be started with so many
		return in, err
	}
	if t.Usage != nil {
		right, err := t.Usage.Interpret(arguments)
		if err == nil {
			in.repaired = right.Arguments
			in.words, err = script.Arguments(json.RawMessage(printable.JSONText(right.Words)))
		}
		if err == nil || t.Certain {
			return in, err
		}
	}
	if object == nil {
		return in, nil
	}
	in, err = plainly(x, object)
	in.repaired = object
	return in, err
}

// rightCall returns the lines that show a model how to call a script: a whole call with
// what is usable of its arguments, and what else the script takes.
func (i *takesIndex) rightCall(s *loader.Skill, x loader.Script, arguments json.RawMessage) string {
	t := i.of(s, x)
	right := runInput{SkillName: s.Name, ScriptName: x.Name, Arguments: arguments}
	others := ""
	switch {
	case len(arguments) > maxUnderstood && !t.Certain:
		return ""
	case t.Certain && t.Usage != nil:
		right.Arguments, others = t.Usage.Example(arguments)
	case t.Certain:
		right.Arguments, others = functionExample(t.Schema)
	}
	text := "\nCall " + runTool + " like this"
	if strings.Contains(string(right.Arguments), `"<`) {
		text += ", with a value for each <…>"
	}
	text += ":\n" + printable.JSONText(right)
	if others != "" {
		text += "\nIt also takes: " + others + "."
	}
	return text
}

// nearest returns the name that was probably meant; "" if that is not clear.
func nearest(names, similar []string) string {
	if len(similar) > 0 {
		return similar[0]
	}
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// missingScript returns the result for a script that does not exist.
func (i *takesIndex) missingScript(s *loader.Skill, contents loader.Contents, in runInput) string {
	_, names, similar := findScript(contents, in.ScriptName)
	text := fmt.Sprintf("Script '%s' not found in skill '%s'.\n%s", shown(in.ScriptName), s.Name, offer("scripts", names, similar))
	if found, _, _ := findScript(contents, nearest(names, similar)); found.Name != "" {
		text += i.rightCall(s, found, in.Arguments)
	}
	return text
}

// misread answers a call whose arguments could not be decoded, with the right call if it
// names a script.
func (k toolSet) misread(ctx context.Context, inv *agent.Invocation, fault string) agent.ToolResult {
	result := agent.ErrorResult(fault)
	var members map[string]json.RawMessage
	_ = json.Unmarshal(inv.Arguments, &members) // an object, as every call
	var in runInput
	rest := map[string]json.RawMessage{}
	for key, value := range members {
		one, _ := json.Marshal(map[string]json.RawMessage{key: value})
		if params.Decode(one, &in) != nil {
			rest[key] = value
		}
	}
	skill, contents, errText := k.open(ctx, in.SkillName, false)
	if errText != "" {
		return result
	}
	found, _, _ := findScript(contents, in.ScriptName)
	if found.Name == "" {
		return result
	}
	if len(in.Arguments) == 0 {
		in.Arguments = json.RawMessage(printable.JSONText(rest))
	}
	result.Text += k.takes.rightCall(skill, found, in.Arguments)
	return result
}

// functionExample returns arguments of a function, by its schema, and its other parameters.
func functionExample(schema map[string]any) (example json.RawMessage, others string) {
	properties, _ := schema["properties"].(map[string]any)
	var required []string
	if raw, err := json.Marshal(schema["required"]); err == nil {
		_ = json.Unmarshal(raw, &required) // nil for anything else
	}
	given := map[string]any{}
	var optional []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, _ := properties[name].(map[string]any)
		kind := "value"
		if text, ok := property["type"].(string); ok {
			kind = text
		}
		if slices.Contains(required, name) {
			given[name] = "<" + kind + ">"
		} else {
			optional = append(optional, fmt.Sprintf("%s (%s)", name, kind))
		}
	}
	return json.RawMessage(printable.JSONText(given)), printable.Truncate(strings.Join(optional, ", "), maxUnderstood)
}
