package programs

import "testing"

// TestIsNamed finds names and executables of a program as whole words.
func TestIsNamed(t *testing.T) {
	for text, want := range map[string]bool{
		"Node.js 18 or newer": true, "needs node.": true, "node": true, "(Node)": true, "NODE; git": true, "a node, b": true, "nodes or node": true,
		"": false, "nodes": false, "anode": false, "node_modules": false, "node.json": false, "my-node": false, "no de": false,
	} {
		p, _ := OfFile("node")
		if got := p.IsNamed(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
