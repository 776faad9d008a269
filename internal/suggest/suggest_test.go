package suggest

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	fields := []string{"name", "description", "license", "allowed-tools", "metadata"}
	for _, tt := range []struct{ word, want string }{
		{"licence", "license"},
		{"allowed_tools", "allowed-tools"},
		{"Name", "name"},
		{"nmae", "name"},
		{"desciption", "description"},
		{"version", ""},
		{"", ""},
		{"x", ""},
	} {
		if got := Nearest(tt.word, fields); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := Nearest("lnit", []string{"init", "list", "lint"}); got != "lint" {
		t.Errorf("of two as near, %q, want the one that begins like the word", got)
	}
	tools := []string{"load_skill", "read_skill_resource", "todos_add"}
	for _, tt := range []struct{ word, want string }{
		{"loadSkill", "load_skill"}, {"todo_add", "todos_add"}, {"todos_ad", "todos_add"}, {strings.Repeat("load_skill", 30), ""},
	} {
		if got := Nearest(tt.word, tools); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := Nearest("ab", []string{"ac", "ad"}); got != "ac" {
		t.Errorf("of two equally near names got %q, want the first", got)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3},
		{"ab", "ba", 1}, {"ca", "abc", 3}, {"技能", "技术", 1},
	} {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := Distance(tt.b, tt.a); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}

func TestHint(t *testing.T) {
	names := []string{"json", "text"}
	for _, tt := range []struct{ word, otherwise, want string }{
		{"jsn", "", "did you mean json?"}, {"jsn", "list them", "did you mean json?"},
		{"markdown", "", "choose one of json, text"}, {"markdown", "list them", "list them"},
	} {
		if got := Hint(tt.word, names, tt.otherwise); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.word, got, tt.want)
		}
	}
}
