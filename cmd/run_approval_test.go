package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"skills/internal/agent/skills"
)

// deskOf is a desk without a terminal.
func deskOf(in io.Reader, out io.Writer) desk {
	return desk{in: in, out: out, there: func() bool { return true }, forget: func() {}}
}

func aQuestion(whole bool) (text, choice string) {
	if whole {
		return "all of it\n", "really? "
	}
	return "some of it\n", "now? "
}

// TestAskAgain says what is shown for each answer: of what is no answer the
// choice alone, of a look all of it, and nothing typed before counts.
func TestAskAgain(t *testing.T) {
	var out bytes.Buffer
	d := deskOf(strings.NewReader("hm\nv\nhm\ny\n"), &out)
	d.forget = func() { out.WriteString("|") }
	if got, err := d.ask(t.Context(), aQuestion); err != nil || !got.Approved {
		t.Errorf("got %+v, %v", got, err)
	}
	if want := "|some of it\nnow? |That is not one of the answers.\nnow? |all of it\nreally? |That is not one of the answers.\nreally? "; out.String() != want {
		t.Errorf("shown was %q, want %q", out.String(), want)
	}
}

func TestAnswer(t *testing.T) {
	no := skills.Answer{Reason: "the person at the terminal said no"}
	for typed, want := range map[string]skills.Answer{
		"y\n": {Approved: true}, "YES\n": {Approved: true}, " a \n": {Approved: true, Remember: true}, "always\n": {Approved: true, Remember: true},
		"n\n": no, "No\n": no, "n \n": no, "never mind\n": no, "\n": no, "": no, "yes please\n": no, "y": {Approved: true},
		"yess\ny\n": {Approved: true}, "\n?\nA\n": {Approved: true, Remember: true}, "q\nn\ny\n": no, "yess\ny": {Approved: true},
		"\n\n\ny\n": {Reason: "the person at the terminal gave no clear answer"}, "v\nview\nV\nv\ny\n": {Approved: true}, "v\n": no,
		"n it writes\tto /etc \n": {Reason: no.Reason + ": it writes␉to /etc"}, "No, because I say so": {Reason: no.Reason + ": because I say so"},
		"n " + strings.Repeat("x", 1001) + "\n": {Reason: no.Reason + ": " + strings.Repeat("x", 666) + " …(2 characters left out)… " + strings.Repeat("x", 333)},
	} {
		var out bytes.Buffer
		got, err := deskOf(strings.NewReader(typed), &out).ask(t.Context(), aQuestion)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", typed, got, err, want)
		}
	}
}

func TestAnswerInterrupted(t *testing.T) {
	r, _ := pipe(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Interrupt{os.Interrupt})
	var out bytes.Buffer
	if got, err := deskOf(r, &out).ask(ctx, aQuestion); !errors.Is(err, Interrupt{os.Interrupt}) || got.Approved {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestQuestion(t *testing.T) {
	long := strings.Repeat("long ", 4000)
	req := skills.Request{
		Skill: "unit\x1b[2J", Script: "scripts/convert.py", Dir: "/home/me", Sandbox: "none",
		Command: []string{"/usr/bin/python3", "convert.py", "--value", "a b", "", "it's $(x)\nRun it? y", long},
	}
	const words = "--value 'a b' '' 'it'\\''s $(x)␊Run it? y'"
	got, choice := question(req, false)
	for _, want := range []string{
		"unit␛[2J/scripts/convert.py", words, "  folder   /home/me\n", "  sandbox  none\n", "characters left out",
		"\n  note     this is not shown whole; v shows all of it\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if want := "Run unit␛[2J/scripts/convert.py? [y]es, [n]o (n and why, for the model), [v]iew all of it, [a]lways this script: "; choice != want {
		t.Errorf("the choice is %q, want %q", choice, want)
	}
	if strings.Contains(got, "\x1b") || len(got) > 4000 || strings.Count(got, "\n") != 6 {
		t.Errorf("%d bytes, %d lines:\n%s", len(got), strings.Count(got, "\n"), got)
	}
	got, choice = question(req, true)
	if !strings.Contains(got, "\n  command  /usr/bin/python3 convert.py "+words+" '"+long+"'\n") || strings.Contains(got, "whole") || strings.ContainsAny(got, "\x1b") {
		t.Errorf("whole it is\n%s", got)
	}
	if want := "Run unit␛[2J/scripts/convert.py? [y]es, [n]o (n and why, for the model), [a]lways this script: "; choice != want {
		t.Errorf("whole, the choice is %q, want %q", choice, want)
	}
}

// What a person should know besides stands above the question, and all that is
// cut can be seen.
func TestQuestionNotes(t *testing.T) {
	long := strings.Repeat("x", 5000)
	got, _ := question(skills.Request{Skill: "s", Script: "x", Changed: true, AllowedTools: "Bash(\x1b[2J) " + strings.Repeat("x", 1000)}, false)
	for _, want := range []string{"\n  note     the script has changed since it was listed or approved\n", "\n  note     the skill asks to use: Bash(␛[2J) xxx"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") || len(got) > 1000 {
		t.Errorf("got %d bytes\n%s", len(got), got)
	}
	if got, _ := question(skills.Request{Skill: "s", Script: "x"}, false); strings.Contains(got, "note") {
		t.Errorf("got\n%s", got)
	}
	for _, req := range []skills.Request{{Skill: long}, {Script: long}, {Arguments: []byte(long)}, {Gaps: []string{long}}, {AllowedTools: long}} {
		part, _ := question(req, false)
		all, choice := question(req, true)
		if strings.Contains(part, long) || !strings.Contains(part, "not shown whole") || !strings.Contains(all, long) || strings.Contains(choice, long) {
			t.Errorf("%d bytes, whole %d, choice %s", len(part), len(all), choice)
		}
	}
}

// Where a person named the script, no model wants it or is told why not.
func TestExecQuestion(t *testing.T) {
	text, choice := execQuestion(skills.Request{Skill: "s", Script: "x", Command: []string{"/bin/sh", "x"}, Dir: "/w", Sandbox: "none"}, false)
	got := text + choice
	if want := "\nYou asked for the script s/x\n  command  /bin/sh x\n  folder   /w\n  sandbox  none\nRun s/x? [y]es, [n]o: "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNobodyToAsk(t *testing.T) {
	r, w := pipe(t)
	a := &app{Env: Env{Stdin: r, Stdout: w, Stderr: w}}
	if a.asker() != nil {
		t.Error("a process without a terminal asks")
	}
}
