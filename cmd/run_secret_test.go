//go:build unix

package cmd

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skills/internal/run"
	"skills/internal/testing/filetest"
	"skills/internal/testing/openaitest"
)

// testKey is an invented key with characters that programs escape.
const testKey = "sk-local/9f&3+Zq" + "TTw8x=1yB7mQ"

// keyForms are the ways in which a program may print the key.
func keyForms(t *testing.T) map[string]string {
	t.Helper()
	quoted, err := json.Marshal(testKey)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"as it is": testKey, "as JSON": strings.Trim(string(quoted), `"`),
		"in a query": url.QueryEscape(testKey), "in hexadecimal": hex.EncodeToString([]byte(testKey)),
		"in base64":           base64.StdEncoding.EncodeToString([]byte(testKey)),
		"in base64 for a URL": base64.RawURLEncoding.EncodeToString([]byte(testKey)),
		"part of a header":    base64.StdEncoding.EncodeToString([]byte("user:" + testKey))[8:36],
		"part one of it":      testKey[:len(testKey)/2],
		"part two of it":      testKey[len(testKey)/2:],
	}
}

// secretRun is a folder with a skill whose script prints the key in every form.
func secretRun(t *testing.T, server *openaitest.Server) (dir string, do func(args ...string) (stdout, stderr string)) {
	t.Helper()
	dir = t.TempDir()
	forms := &strings.Builder{}
	fmt.Fprintln(forms, "Basic", base64.StdEncoding.EncodeToString([]byte("user:"+testKey)))
	for name, form := range keyForms(t) {
		if !strings.HasPrefix(name, "part ") {
			fmt.Fprintln(forms, form)
		}
	}
	filetest.Write(t, dir, map[string]string{
		"skills/leak/SKILL.md":  "---\nname: leak\ndescription: Leaks " + testKey + ". Use when testing.\n---\nText " + testKey + ".\n",
		"skills/leak/forms.txt": forms.String(),
		"skills/leak/scripts/leak.sh": `cat "$SKILL_DIR/forms.txt"
printf 'half \033[1m%s\033[0m %s' "$(printf %.9s "$OPENAI_API_KEY")" >&2
echo "$OPENAI_API_KEY" >&2
cat .env
`,
		// The output is cut within the key.
		"skills/leak/scripts/flood.sh": "i=0; while [ $i -lt 6000 ]; do echo \"$OPENAI_API_KEY\"; i=$((i+1)); done\n",
		"skills/leak/scripts/env.sh":   "echo \"key=[${OPENAI_API_KEY-none}] [${API_KEY-none}]\"; env\n",
		"hook.sh":                      "cat >> hook.log; env >> hook.log\n",
		".env":                         "OTHER_TOKEN=from-the-file-4711\nAPI_KEY=" + testKey + "\n",
	})
	return dir, func(args ...string) (string, string) {
		var stdout, stderr bytes.Buffer
		env := Env{
			Env:   run.Env{Dir: dir, Home: dir, Environ: []string{"PATH=" + os.Getenv("PATH"), "OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=" + testKey}},
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		}
		Run(t.Context(), env, append([]string{"run", "--sandbox", "off", "--allow-script", "leak/*", "--record", "rec.jsonl", "--session", "session.jsonl", "--audit", "audit.jsonl", "--hook", "before=sh hook.sh", "--hook", "after=sh hook.sh"}, args...))
		return stdout.String(), stderr.String()
	}
}

// noKey fails where a text holds the key in some form.
func noKey(t *testing.T, where, text string) {
	t.Helper()
	for name, form := range keyForms(t) {
		if i := strings.Index(text, form); i >= 0 {
			t.Errorf("%s holds the key %s: …%s…", where, name, text[max(0, i-60):min(len(text), i+len(form)+20)])
		}
	}
	if strings.Contains(text, "from-the-file-4711") {
		t.Errorf("%s holds the token of the .env file", where)
	}
}

// TestKeyIsNowhere has a script print the server's key in several forms, and
// finds it in nothing that is shown, stored or sent.
func TestKeyIsNowhere(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"text": {"-v"}, "stream": {"--stream"}, "quiet": {"-q"}, "JSON": {"--format", "json"}, "JSON Lines": {"--format", "jsonl", "-v"},
	} {
		t.Run(name, func(t *testing.T) {
			call := func(id, script string) openaitest.Call {
				return openaitest.Call{ID: id, Name: "run_skill_script", Arguments: `{"skillName":"leak","scriptName":"scripts/` + script + `"}`}
			}
			server := openaitest.New(t,
				openaitest.Do(call("c1", "leak.sh"), call("c2", "flood.sh")),
				openaitest.Do(openaitest.Call{ID: "c3", Name: "read_skill_resource", Arguments: `{"skillName":"leak","resourceName":"forms.txt"}`}),
				openaitest.Text("done"))
			server.RequireKey(testKey)
			dir, run := secretRun(t, server)
			stdout, stderr := run(append(flags, "--pass-env", "OPENAI_API_KEY", "--skill", "leak", "leak")...)
			noKey(t, "standard output", stdout)
			noKey(t, "standard error", stderr)
			recording := filetest.Read(t, filepath.Join(dir, "rec.jsonl"))
			noKey(t, "the recording", recording)
			noKey(t, "the session", filetest.Read(t, filepath.Join(dir, "session.jsonl")))
			noKey(t, "the audit file", filetest.Read(t, filepath.Join(dir, "audit.jsonl")))
			noKey(t, "what a hook was given", filetest.Read(t, filepath.Join(dir, "hook.log")))
			for _, r := range server.Requests() {
				noKey(t, "a request", string(r.Body))
			}
			if !strings.Contains(recording, "[masked: OPENAI_API_KEY]") && !strings.Contains(recording, "[masked: API_KEY]") {
				t.Errorf("the script printed no key: %s", recording)
			}
			if !strings.Contains(stdout+stderr, "done") {
				t.Errorf("the run failed: %s%s", stdout, stderr)
			}
		})
	}
}

// TestKeyIsNotRepeated checks that the key is masked in what the model and the server
// send, also when it arrives in pieces.
func TestKeyIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"text": {"--stream"}, "whole": {}, "quiet": {"-q"}, "JSON": {"--format", "json"},
		"JSON Lines": {"--format", "jsonl"}, "streamed JSON Lines": {"--format", "jsonl", "--stream"},
	} {
		t.Run(name, func(t *testing.T) {
			arguments, err := json.Marshal(map[string]string{"skillName": "leak", "scriptName": "scripts/env.sh " + testKey})
			if err != nil {
				t.Fatal(err)
			}
			say := openaitest.Text("The key is " + testKey + ".")
			for i := 0; i < len(say.Text); i += 3 {
				say.Pieces = append(say.Pieces, say.Text[i:min(len(say.Text), i+3)])
			}
			server := openaitest.New(t,
				openaitest.Do(openaitest.Call{ID: "c1", Name: "run_skill_script", Arguments: string(arguments)}), say,
				openaitest.Reply{Status: 400, Body: `{"error":{"message":"what is ` + testKey + `?"}}`})
			dir, run := secretRun(t, server)
			stdout, stderr := run(append(flags, "leak")...)
			noKey(t, "standard output", stdout)
			noKey(t, "standard error", stderr)
			noKey(t, "the recording", filetest.Read(t, filepath.Join(dir, "rec.jsonl")))
			noKey(t, "the session", filetest.Read(t, filepath.Join(dir, "session.jsonl")))
			noKey(t, "the audit file", filetest.Read(t, filepath.Join(dir, "audit.jsonl")))
			if !strings.Contains(stdout, "The key is [masked: ") {
				t.Errorf("the answer is %q", stdout)
			}
			stdout, stderr = run(append(flags, "leak")...)
			noKey(t, "standard output", stdout)
			noKey(t, "standard error", stderr)
			if !strings.Contains(stderr, "what is [") {
				t.Errorf("the error is %q", stderr)
			}
		})
	}
}

// TestKeyReachesNoScript checks that scripts do not get the key unless --pass-env names
// it.
func TestKeyReachesNoScript(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t,
		openaitest.Do(openaitest.Call{ID: "c1", Name: "run_skill_script", Arguments: `{"skillName":"leak","scriptName":"scripts/env.sh"}`}),
		openaitest.Text("done"))
	_, run := secretRun(t, server)
	stdout, _ := run("--format", "jsonl", "leak")
	if !strings.Contains(stdout, `key=[none] [none]`) || strings.Contains(stdout, "[masked:") {
		t.Errorf("got %s", stdout)
	}
}
