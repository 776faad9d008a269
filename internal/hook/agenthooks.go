package hook

// The protocol agent-hooks 0.1: the same programs as with other frameworks, at its eight
// points. An event is translated to the context of a point, and a verdict back to what the
// hooks of this program answer, so that all else is the same. Hooks of one point run in
// order, each with the transforms of those before it, until the first that denies
// (sequential/first_deny). Every emission has a record without its content.

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/printable"
	"skills/internal/script"
)

// The protocols of hooks.
const (
	Skills     = "skills"
	AgentHooks = "agent-hooks"
)

// Protocols are the names of the protocols.
func Protocols() []string { return []string{Skills, AgentHooks} }

const specVersion = "agent-hooks/0.1"

// The points, by their names in contexts.
const (
	pointStartup   = "agent_startup"
	pointInput     = "input"
	pointPreModel  = "pre_model_call"
	pointPostModel = "post_model_call"
	pointPreTool   = "pre_tool_call"
	pointPostTool  = "post_tool_call"
	pointOutput    = "output"
	pointShutdown  = "agent_shutdown"
)

// Reasons of denials by this program.
const (
	contextInvalid   = "host_error:context_invalid"
	hookFailed       = "host_error:interceptor_failed"
	hookTimeout      = "host_error:interceptor_timeout"
	verdictInvalid   = "host_error:verdict_invalid"
	transformInvalid = "host_error:transform_invalid"
	targetForbidden  = "host_error:transform_target_forbidden"
)

// hostError is a denial by this program because of what a hook did.
type hostError struct{ reason, detail string }

func (e *hostError) Error() string { return e.reason + ": " + e.detail }

func hostErrorf(reason, format string, args ...any) error {
	return &hostError{reason, fmt.Sprintf(format, args...)}
}

// wireVerdict is what a hook answers.
type wireVerdict struct {
	Decision  string          `json:"decision"`
	Reason    *string         `json:"reason,omitempty"`
	Message   *string         `json:"message,omitempty"`
	Warnings  []wireWarning   `json:"warnings,omitempty"`
	Approval  *map[string]any `json:"approval,omitempty"`
	Transform *transform      `json:"transform,omitempty"`
	Evidence  *map[string]any `json:"evidence,omitempty"`
	Labels    []string        `json:"result_labels,omitempty"`
}

type wireWarning struct {
	Reason  *string `json:"reason,omitempty"`
	Message *string `json:"message,omitempty"`
}

type transform struct {
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// maxEvidence is how large the evidence of a verdict may be, in bytes of canonical JSON.
const maxEvidence = 10240

// reserved begins the reasons that only the host gives.
const reserved = "host_error:"

// readWire reads the verdict of a hook that has ended.
func readWire(r script.Result) (v wireVerdict, err error) {
	switch {
	case r.TimedOut:
		return v, hostErrorf(hookTimeout, "it timed out after %s", r.Limit)
	case r.Signal != "":
		return v, hostErrorf(hookFailed, "it was terminated by %s", r.Signal)
	case r.ExitCode != 0:
		return v, hostErrorf(hookFailed, "it ended with exit code %d: %s", r.ExitCode, brief(r.Stderr))
	case r.Truncated:
		return v, hostErrorf(verdictInvalid, "it printed more than can be read")
	}
	text := []byte(r.Stdout)
	var envelope struct {
		Verdict    json.RawMessage `json:"verdict"`
		Extensions json.RawMessage `json:"extensions"`
	}
	if json.Unmarshal(text, &envelope) == nil && envelope.Verdict != nil {
		text = envelope.Verdict
	}
	err = json.Unmarshal(text, &v)
	if err != nil {
		return wireVerdict{}, hostErrorf(verdictInvalid, "%q is no verdict: %v", brief(r.Stdout), err)
	}
	err = v.check()
	if err != nil {
		return wireVerdict{}, hostErrorf(verdictInvalid, "%v", err)
	}
	return v, nil
}

// check returns what is wrong with a verdict.
func (v wireVerdict) check() error {
	isReserved := func(reason *string) bool { return reason != nil && strings.HasPrefix(*reason, reserved) }
	switch {
	case v.Decision != "allow" && v.Decision != "deny" && v.Decision != "transform":
		return fmt.Errorf("the decision %q is neither allow, deny nor transform", v.Decision)
	case isReserved(v.Reason):
		return fmt.Errorf("the reason %q is reserved", *v.Reason)
	case v.Approval != nil && v.Decision != "deny":
		return errors.New("only a denial can have an approval")
	case v.Decision == "transform" && (v.Transform == nil || v.Transform.Value == nil):
		return errors.New("a transform needs a path and a value")
	case v.Decision != "transform" && v.Transform != nil:
		return errors.New("only the decision transform has a transform")
	}
	for _, w := range v.Warnings {
		if isReserved(w.Reason) {
			return fmt.Errorf("the reason %q is reserved", *w.Reason)
		}
	}
	if v.Evidence != nil {
		text, err := canonical(*v.Evidence)
		if err != nil || len(text) > maxEvidence {
			return fmt.Errorf("its evidence has more than %d bytes, or is no JSON", maxEvidence)
		}
	}
	return nil
}

// why returns the reason of a denial for people and the model.
func (v wireVerdict) why() string {
	var parts []string
	for _, part := range []*string{v.Reason, v.Message} {
		if part != nil && *part != "" {
			parts = append(parts, brief(*part))
		}
	}
	return strings.Join(parts, ": ")
}

// Record is the record of an emission: what was decided at a point, without its content.
type Record struct {
	Point       string       `json:"interception_point"`
	Mode        string       `json:"mode"`
	Verdict     *wireVerdict `json:"verdict"`
	Input       *string      `json:"input_identity"`
	Enforced    *string      `json:"enforced_identity"`
	Provider    string       `json:"identity_provider"`
	SessionID   string       `json:"session_id"`
	Sequence    int          `json:"sequence"`
	DecidedBy   *int         `json:"decided_by"`
	Composition composition  `json:"composition"`
	Timestamp   string       `json:"timestamp"`
	recordEnd
}

type composition struct {
	Profile    string `json:"profile"`
	OnApproval string `json:"on_approval"`
}

type recordEnd struct {
	Truncated  bool   `json:"fold_truncated"`
	ResolvedBy string `json:"resolved_by,omitempty"` // approval or rejection by a person
	Registered int    `json:"interceptors_registered"`
}

// emission is one run of all hooks of a point.
type emission struct {
	h      points
	point  string
	record Record
	emit   func(agent.Event)
	next   int // index of the next hook
}

// emission returns the emission of a point; emit receives the warnings of hooks.
func (h points) emission(point string, registered int, emit func(agent.Event)) *emission {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &emission{h: h, point: point, emit: emit, record: Record{
		Point: point, Mode: "enforce", Provider: identityProvider, SessionID: h.o.RunID, Sequence: h.sequence,
		Composition: composition{Profile: "sequential/first_deny", OnApproval: "stop"},
		Timestamp:   time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
		recordEnd:   recordEnd{Registered: registered},
	}}
	h.sequence++
	return e
}

// context returns what a hook reads.
func (e *emission) context(target any, more map[string]any) map[string]any {
	c := map[string]any{
		"spec": specVersion, "interception_point": e.point, "timestamp": e.record.Timestamp, "sequence": e.record.Sequence,
		"agent":   map[string]any{"id": "skills", "framework": "skills"},
		"session": map[string]any{"id": e.h.o.RunID},
		"target":  target,
	}
	for name, value := range more {
		c[name] = value
	}
	return c
}

// end passes on the record.
func (e *emission) end() {
	e.record.Truncated = e.next < e.record.Registered
	if e.record.Verdict == nil {
		e.record.Verdict = &wireVerdict{Decision: "allow"}
	}
	if e.h.o.Record != nil {
		e.h.o.Record(e.record)
	}
}

// decide notes the verdict of the hook that ran last.
func (e *emission) decide(v wireVerdict) {
	if v.Decision == "allow" && e.record.Verdict != nil {
		v.Decision, v.Reason = e.record.Verdict.Decision, e.record.Verdict.Reason
		v.Transform = e.record.Verdict.Transform
	} else if v.Decision != "allow" {
		by := e.next - 1
		e.record.DecidedBy = &by
	}
	if e.record.Verdict != nil {
		v.Warnings = append(e.record.Verdict.Warnings, v.Warnings...)
		v.Labels = append(e.record.Verdict.Labels, v.Labels...)
	}
	if v.Transform != nil {
		v.Transform = &transform{Path: v.Transform.Path} // its value is content
	}
	v.Evidence = nil
	e.record.Verdict = &v
}

// deny notes a denial by this program, and returns it.
func (e *emission) deny(c *Command, err error) verdict {
	reason := hookFailed
	host, ok := errors.AsType[*hostError](err)
	if ok {
		reason = host.reason
	}
	if c == nil { // before any hook
		e.record.Verdict = &wireVerdict{Decision: "deny", Reason: &reason}
		return verdict{decision: deny, reason: err.Error()}
	}
	e.decide(wireVerdict{Decision: "deny", Reason: &reason})
	return verdict{decision: deny, reason: named(*c) + " failed: " + err.Error()}
}

// apply returns the target with the value of a transform at its path.
func apply(target any, t transform) (any, error) {
	path, ok := strings.CutPrefix(t.Path, "$target")
	if !ok {
		path, ok = strings.CutPrefix(t.Path, "$policy_target")
	}
	if !ok {
		return nil, hostErrorf(targetForbidden, "the path %q does not begin with $target", t.Path)
	}
	value, err := decodeJSON(t.Value)
	if err != nil {
		return nil, hostErrorf(transformInvalid, "its value is no JSON")
	}
	return replace(target, path, value)
}

// replace replaces the value at the rest of a path, which must exist, except for a last
// member of an object.
func replace(at any, path string, value any) (any, error) {
	if path == "" {
		return value, nil
	}
	name, index, rest, err := segment(path)
	if err != nil {
		return nil, err
	}
	missing := hostErrorf(transformInvalid, "there is nothing at %q", path)
	if name == "" {
		list, ok := at.([]any)
		if !ok || index >= len(list) {
			return nil, missing
		}
		list[index], err = replace(list[index], rest, value)
		return list, err
	}
	object, ok := at.(map[string]any)
	if !ok {
		return nil, missing
	}
	inner, found := object[name]
	if !found {
		return nil, missing
	}
	object[name], err = replace(inner, rest, value)
	return object, err
}

// segment splits a path after its first part: .NAME, ["NAME"] or [INDEX].
func segment(path string) (name string, index int, rest string, err error) {
	bad := hostErrorf(transformInvalid, "the path cannot be read at %q", path)
	end := func(s string, valid func(byte) bool) int {
		n := 0
		for n < len(s) && valid(s[n]) {
			n++
		}
		return n
	}
	word := func(c byte) bool {
		return c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	switch {
	case strings.HasPrefix(path, "."):
		n := end(path[1:], word)
		if n == 0 {
			return "", 0, "", bad
		}
		return path[1 : 1+n], 0, path[1+n:], nil
	case strings.HasPrefix(path, `["`):
		n := end(path[2:], word)
		after, ok := strings.CutPrefix(path[2+n:], `"]`)
		if n == 0 || !ok {
			return "", 0, "", bad
		}
		return path[2 : 2+n], 0, after, nil
	case strings.HasPrefix(path, "["):
		n := end(path[1:], digit)
		after, ok := strings.CutPrefix(path[1+n:], "]")
		if n == 0 || n > 9 || !ok {
			return "", 0, "", bad
		}
		for _, c := range path[1 : 1+n] {
			index = index*10 + int(c-'0')
		}
		return "", index, after, nil
	}
	return "", 0, "", bad
}

// emitWarnings reports the warnings of a verdict.
func emitWarnings(c Command, v wireVerdict, emit func(agent.Event)) {
	for _, w := range v.Warnings {
		text := cmp.Or(wireVerdict{Reason: w.Reason, Message: w.Message}.why(), "a warning without a reason")
		emit(agent.WarningEvent{Message: named(c) + ": " + printable.Line(text)})
	}
}
