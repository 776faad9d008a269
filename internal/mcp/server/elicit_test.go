package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func callScript(t *testing.T, session *mcp.ClientSession, more func(*mcp.CallToolParams)) (*mcp.CallToolResult, string) {
	t.Helper()
	p := &mcp.CallToolParams{Name: "run_skill_script", Arguments: map[string]any{"skillName": "a", "scriptName": "x.sh", "arguments": []string{"--to", "5 km"}}}
	if more != nil {
		more(p)
	}
	r, err := session.CallTool(t.Context(), p)
	must(t, err)
	if len(r.Content) == 0 {
		return r, ""
	}
	return r, r.Content[0].(*mcp.TextContent).Text
}

// accepts is a client whose user accepts every form as it is, with the first choice.
func accepts(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	answer := r.Params.RequestedSchema.(map[string]any)["properties"].(map[string]any)["answer"].(map[string]any)
	if first := answer["enum"].([]any)[0]; first != answer["default"] {
		return nil, errors.New("the default is not the first")
	}
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": answer["default"]}}, nil
}

// TestElicitation: accepting the form means yes, and whatever else comes back is a result of
// the call that denies it, in both protocols.
func TestElicitation(t *testing.T) {
	reply := func(action string, content map[string]any, err error) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: action, Content: content}, err
		}
	}
	s, _ := serve(t, map[string]string{"a/SKILL.md": front("a"), "a/x.sh": ""})
	for _, test := range []struct {
		name   string
		old    bool // only in the old protocol: the client itself fails in the new one
		answer func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
		want   string
	}{
		{"accept", false, accepts, "ran [--to 5 km]"},
		{"no", false, reply("accept", map[string]any{"answer": "no", "reason": "too\nfar"}, nil), "the user answered no: too"},
		{"decline", false, reply("decline", nil, nil), "the client's user answered no"},
		{"cancel", false, reply("cancel", nil, nil), "the client's user closed the prompt"},
		{"no content", false, reply("accept", nil, nil), "the client returned an empty form"},
		{"empty", true, reply("accept", map[string]any{}, nil), "the client did not return an answer of its user"},
		{"other", true, reply("accept", map[string]any{"answer": "maybe"}, nil), "the client did not return an answer of its user"},
		{"wrong type", true, reply("accept", map[string]any{"answer": true}, nil), "the client did not return an answer of its user"},
		{"error", true, reply("", nil, errors.New("no window")), "no window"},
		{"nonsense", false, reply("yes", nil, nil), "the client's user answered no"},
	} {
		for _, version := range []string{"2025-06-18", ""} {
			if test.old && version == "" {
				continue
			}
			r, text := callScript(t, connect(t, s, version, &mcp.ClientOptions{ElicitationHandler: test.answer}), nil)
			if !strings.Contains(text, test.want) || r.IsError == strings.HasPrefix(test.want, "ran") {
				t.Errorf("%s, protocol %q: got %q", test.name, version, text)
			}
		}
	}
	_, text := callScript(t, connect(t, s, "", nil), nil)
	if !strings.Contains(text, "no one is available") {
		t.Errorf("without elicitation: %q", text)
	}
}

// TestFormAsResult: in the new protocol, forms that the client fills in are read as they
// come, even empty ones, and an answer holds for the action that was shown.
func TestFormAsResult(t *testing.T) {
	s, _ := serve(t, map[string]string{"a/SKILL.md": front("a"), "a/x.sh": ""})
	session := connect(t, s, "", &mcp.ClientOptions{ElicitationHandler: accepts, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}})
	asked, _ := callScript(t, session, nil)
	for id, request := range asked.InputRequests {
		text := request.(*mcp.ElicitParams).Message
		for _, want := range []string{"The model wants to run a script:\n", "  skill      \"a\"\n", "  script     \"x.sh\"\n", "  arguments  --to '5 km'\n", "  sandbox    test"} {
			if !strings.Contains(text+"\n", want) {
				t.Errorf("%q is missing in %q", want, text)
			}
		}
		for _, content := range []map[string]any{nil, {}, {"answer": nil}, {"answer": "YES"}, {"answer": "always "}} {
			r, text := callScript(t, session, func(p *mcp.CallToolParams) {
				p.InputResponses = mcp.InputResponseMap{id: &mcp.ElicitResult{Action: "accept", Content: content}}
			})
			if !r.IsError || !strings.Contains(text, "rejected. the client returned") {
				t.Errorf("%v: got %q, %v", content, text, r)
			}
		}
		r, _ := callScript(t, session, func(p *mcp.CallToolParams) {
			p.Arguments.(map[string]any)["arguments"] = []string{"other"}
			p.InputResponses = mcp.InputResponseMap{id: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "yes"}}}
		})
		if len(r.InputRequests) != 1 || r.InputRequests[id] != nil {
			t.Errorf("the answer was taken for another call: %+v", r)
		}
		_, text = callScript(t, session, func(p *mcp.CallToolParams) {
			p.InputResponses = mcp.InputResponseMap{id: &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "always"}}}
		})
		_, again := callScript(t, session, nil)
		if text != "ran [--to 5 km]" || again != text {
			t.Errorf("got %q, then %q", text, again)
		}
	}
	if len(asked.InputRequests) != 1 {
		t.Errorf("got %+v", asked)
	}
}

// TestManyCalls: calls that wait for a user are bounded, and do not keep others from
// running.
func TestManyCalls(t *testing.T) {
	s, _ := serve(t, map[string]string{"a/SKILL.md": front("a"), "a/x.sh": ""})
	const most = 4
	s.calls.slots = make(chan struct{}, most)
	asked := make(chan bool, 2*most)
	session := connect(t, s, "2025-06-18", &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked <- true
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range most - 1 {
		go session.CallTool(ctx, &mcp.CallToolParams{Name: "run_skill_script", Arguments: map[string]any{"skillName": "a", "scriptName": "x.sh"}})
	}
	for range most - 1 {
		<-asked
	}
	load := func() string {
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "load_skill", Arguments: map[string]any{"skillName": "a"}})
		must(t, err)
		return r.Content[0].(*mcp.TextContent).Text
	}
	if text := load(); !strings.Contains(text, "Text of a.") {
		t.Errorf("got %q", text)
	}
	go session.CallTool(ctx, &mcp.CallToolParams{Name: "run_skill_script", Arguments: map[string]any{"skillName": "a", "scriptName": "x.sh"}})
	<-asked
	if text := load(); !strings.Contains(text, "4 calls run already") {
		t.Errorf("got %q", text)
	}
}
