package replay

import "testing"

func TestReplaceWord(t *testing.T) {
	for text, want := range map[string]string{
		"/home/me": "H", "/home/me/x": "H/x", "/home/melissa": "/home/melissa", "/home/me2 /home/me.": "/home/me2 H.", "a/home/me-x": "a/home/me-x",
	} {
		if got := replaceWord(text, "/home/me", "H"); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := replaceWord("/there/x", "/there/", "T/"); got != "T/x" {
		t.Errorf("got %q", got)
	}
}
