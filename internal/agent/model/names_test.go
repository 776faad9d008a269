package model

import (
	"slices"
	"testing"
)

// TestPlainNames checks that tools get names in English letters, that a call by such a name
// is one of the tool, and that other names stay.
func TestPlainNames(t *testing.T) {
	var tools []Tool
	for _, name := range []string{"get", "查询", "天气_get", "naïve-x", "Ünï_1", "tool_1", "ﬁle"} {
		tools = append(tools, Tool{Name: name, Description: "Does it."})
	}
	r := Request{Tools: tools, Messages: []Message{{Role: Assistant, Calls: []ToolCall{{Name: "查询"}, {Name: "get"}, {Name: "旧_tool"}}}}}
	sent := withPlainNames(r)
	var names []string
	for _, tool := range sent.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"get", "tool_2", "get_1", "naive-x_1", "Uni_1_1", "tool_1", "file_1"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if calls := sent.Messages[0].Calls; calls[0].Name != "tool_2" || calls[1].Name != "get" || calls[2].Name != "tool" || r.Messages[0].Calls[0].Name != "查询" {
		t.Errorf("calls %+v", calls)
	}
	if got := sent.Tools[1].Description; got != "查询: Does it." {
		t.Errorf("description %q", got)
	}
	reply := r.named(Reply{Calls: []ToolCall{{Name: "tool_2"}, {Name: "tool_1"}, {Name: "naive-x_1"}, {Name: "unknown_1"}}})
	for i, want := range []string{"查询", "tool_1", "naïve-x", "unknown_1"} {
		if reply.Calls[i].Name != want {
			t.Errorf("call %d is of %q, want %q", i, reply.Calls[i].Name, want)
		}
	}
}
