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

func TestAnswer(t *testing.T) {
	no := skills.Answer{Reason: "the person at the terminal said no"}
	for typed, want := range map[string]skills.Answer{
		"y\n": {Approved: true}, "YES\n": {Approved: true}, " a \n": {Approved: true, Remember: true}, "always\n": {Approved: true, Remember: true},
		"n\n": no, "No\n": no, "n \n": no, "never mind\n": no, "\n": no, "": no, "yes please\n": no, "y": {Approved: true},
		"n it writes\tto /etc \n": {Reason: no.Reason + ": it writes␉to /etc"}, "No, because I say so": {Reason: no.Reason + ": because I say so"},
		"n " + strings.Repeat("x", 1001) + "\n": {Reason: no.Reason + ": " + strings.Repeat("x", 666) + " …(2 characters left out)… " + strings.Repeat("x", 333)},
	} {
		var out bytes.Buffer
		got, err := deskOf(strings.NewReader(typed), &out).ask(t.Context(), "")
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
	if got, err := deskOf(r, &out).ask(ctx, ""); !errors.Is(err, Interrupt{os.Interrupt}) || got.Approved {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestQuestion(t *testing.T) {
	got := question(skills.Request{
		Skill: "unit\x1b[2J", Script: "scripts/convert.py", Dir: "/home/me", Sandbox: "none",
		Command: []string{"/usr/bin/python3", "convert.py", "--value", "a b", "", "it's $(x)\nRun it? y", strings.Repeat("long ", 4000)},
	})
	for _, want := range []string{
		"unit␛[2J/scripts/convert.py", "--value 'a b' '' 'it'\\''s $(x)␊Run it? y'", "  folder   /home/me\n", "  sandbox  none\n",
		"characters left out", "\nRun unit␛[2J/scripts/convert.py? [y]es, [n]o (n and why, for the model), [a]lways this script: ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") || len(got) > 4000 || strings.Count(got, "\n") != 5 {
		t.Errorf("%d bytes, %d lines:\n%s", len(got), strings.Count(got, "\n"), got)
	}
}

// What a person should know besides stands above the question.
func TestQuestionNotes(t *testing.T) {
	got := question(skills.Request{Skill: "s", Script: "x", Changed: true, AllowedTools: "Bash(\x1b[2J) " + strings.Repeat("x", 1000)})
	for _, want := range []string{"\n  note     the script has changed since it was listed or approved\n", "\n  note     the skill asks to use: Bash(␛[2J) xxx"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\x1b") || len(got) > 1000 {
		t.Errorf("got %d bytes\n%s", len(got), got)
	}
	if got := question(skills.Request{Skill: "s", Script: "x"}); strings.Contains(got, "note") {
		t.Errorf("got\n%s", got)
	}
}

func TestNobodyToAsk(t *testing.T) {
	r, w := pipe(t)
	a := &app{Env: Env{Stdin: r, Stdout: w, Stderr: w}}
	if a.asker() != nil {
		t.Error("a process without a terminal asks")
	}
}
