package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skills/internal/fault"
	"skills/internal/lint/config"
)

const ownServers = `servers:
  azure:
    base-url: https://azure.invalid/v1
    api-key-env: AZURE_KEY
    headers: {api-key: $AZURE_KEY, X-Team: tools}
    models: {gpt-5-mini: {window: 1000, price: [1, 2]}}
  local: {base-url: "http://localhost:11434/v1"}
`

// TestFindServer checks, for each source of a server with each source of a key and of
// headers, that these go only to a server that the same source names.
func TestFindServer(t *testing.T) {
	const env, azure = "OPENAI_API_KEY=sk-environment ", "AZURE_KEY=sk-azure "
	evil := "OPENAI_BASE_URL=https://evil.invalid/v1\n"
	for name, c := range map[string]struct {
		own, environ, file string
		o                  ServerOptions
		want               string // model, address, key and headers; or an error
	}{
		"default":            {environ: env, want: "gpt-5-mini api.openai.com sk-environment"},
		"no key":             {want: "there is no server to run with: none is named, and https://api.openai.com/v1 needs a key"},
		"flag":               {environ: env, o: ServerOptions{BaseURL: "http://flag.invalid/v1", Model: "m"}, want: "m flag.invalid sk-environment"},
		"file, default":      {file: "API_KEY=sk-in-the-file", want: "gpt-5-mini api.openai.com sk-in-the-file"},
		"file names it":      {file: evil + "API_KEY=sk-in-the-file", want: "gpt-5-mini evil.invalid sk-in-the-file"},
		"file, other's key":  {environ: env, file: evil, want: "gpt-5-mini evil.invalid "},
		"flag, file's key":   {file: "API_KEY=sk-in-the-file", o: ServerOptions{BaseURL: "http://flag.invalid/v1"}, want: "gpt-5-mini flag.invalid "},
		"flag, file's pair":  {file: evil + "API_KEY=sk-in-the-file", o: ServerOptions{BaseURL: "http://flag.invalid/v1"}, want: "gpt-5-mini flag.invalid "},
		"flag, same host":    {file: evil + "API_KEY=sk-in-the-file", o: ServerOptions{BaseURL: "https://EVIL.invalid/v2"}, want: "gpt-5-mini EVIL.invalid sk-in-the-file"},
		"flag, other port":   {file: evil + "API_KEY=sk-in-the-file", o: ServerOptions{BaseURL: "https://evil.invalid:444/v1"}, want: "gpt-5-mini evil.invalid:444 "},
		"flag, no TLS":       {file: evil + "API_KEY=sk-in-the-file", o: ServerOptions{BaseURL: "http://evil.invalid/v1"}, want: "gpt-5-mini evil.invalid "},
		"environment's URL":  {environ: "OPENAI_BASE_URL=http://env.invalid/v1 ", file: "API_KEY=sk-in-the-file", want: "gpt-5-mini env.invalid "},
		"file was named":     {file: "API_KEY=sk-in-the-file", o: ServerOptions{BaseURL: "http://flag.invalid/v1", EnvFile: ".env"}, want: "gpt-5-mini flag.invalid sk-in-the-file"},
		"file was found":     {file: "API_KEY=sk-in-the-file", o: ServerOptions{BaseURL: "http://flag.invalid/v1", EnvFile: ".env", EnvFound: true}, want: "gpt-5-mini flag.invalid "},
		"variable was named": {file: "K=sk-in-the-file", o: ServerOptions{BaseURL: "http://flag.invalid/v1", KeyEnv: "K"}, want: "gpt-5-mini flag.invalid sk-in-the-file"},

		"header":               {environ: env, o: ServerOptions{Headers: []string{"X-A: b c"}}, want: "gpt-5-mini api.openai.com sk-environment X-A=b c"},
		"header for the key":   {o: ServerOptions{Headers: []string{"Authorization: Basic x"}}, want: "gpt-5-mini api.openai.com  Authorization=Basic x"},
		"header, file's":       {environ: env, file: evil, o: ServerOptions{Headers: []string{"X-A: b"}}, want: "--header is not sent to a server that only .env names"},
		"header, file named":   {file: evil, o: ServerOptions{Headers: []string{"X-A: b"}, EnvFile: ".env"}, want: "gpt-5-mini evil.invalid  X-A=b"},
		"header's variable":    {environ: env + "V=1 ", o: ServerOptions{Headers: []string{"X-A: a$V-${V}$$V$ 5"}}, want: "gpt-5-mini api.openai.com sk-environment X-A=a1-1$V$ 5"},
		"variable of the file": {environ: env, file: "V=1", o: ServerOptions{Headers: []string{"X-A: $V"}}, want: "--header X-A: the environment variable V is not set"},
		"header without value": {environ: env, o: ServerOptions{Headers: []string{"X-A:  "}}, want: "the header X-A has no value"},
		"header without colon": {environ: env, o: ServerOptions{Headers: []string{"X-A"}}, want: "--header X-A: the header has no value"},
		"header with =":        {environ: env, o: ServerOptions{Headers: []string{"X-A=secret"}}, want: "--header: no colon after the name"},
		"header of its own":    {environ: env, o: ServerOptions{Headers: []string{"content-type: x"}}, want: "the header content-type is set by the program itself"},
		"header with newline":  {environ: env + "V=a\nb ", o: ServerOptions{Headers: []string{"X-A: $V"}}, want: "the value of the header X-A has control characters"},

		"named":               {own: ownServers, environ: env + azure, o: ServerOptions{Model: "azure/gpt-5-mini"}, want: "gpt-5-mini azure.invalid sk-azure api-key=sk-azure X-Team=tools"},
		"named, other URL":    {own: ownServers, environ: env + azure + "OPENAI_BASE_URL=http://env.invalid/v1 ", o: ServerOptions{Model: "azure/x/y"}, want: "x/y azure.invalid sk-azure api-key=sk-azure X-Team=tools"},
		"named, header":       {own: ownServers, environ: azure, o: ServerOptions{Model: "azure/x", Headers: []string{"x-team: a", "X-B: c"}}, want: "x azure.invalid sk-azure api-key=sk-azure x-team=a X-B=c"},
		"named, other key":    {own: ownServers, environ: azure + "K=sk-other ", o: ServerOptions{Model: "azure/x", KeyEnv: "K"}, want: "x azure.invalid sk-other api-key=sk-azure X-Team=tools"},
		"named, no key":       {own: ownServers, file: "AZURE_KEY=sk-in-the-file", o: ServerOptions{Model: "azure/x"}, want: "the environment variable AZURE_KEY is not set"},
		"named, none wanted":  {own: ownServers, environ: env, file: "API_KEY=sk-in-the-file", o: ServerOptions{Model: "local/qwen3:8b"}, want: "qwen3:8b localhost:11434 "},
		"named and URL":       {own: ownServers, environ: env + azure, o: ServerOptions{Model: "azure/x", BaseURL: "http://flag.invalid/v1"}, want: "azure/x flag.invalid sk-environment"},
		"named by variable":   {own: ownServers, environ: azure + "OPENAI_MODEL=azure/x ", want: "x azure.invalid sk-azure api-key=sk-azure X-Team=tools"},
		"variable and URL":    {own: ownServers, environ: env + azure + "OPENAI_MODEL=azure/x OPENAI_BASE_URL=http://env.invalid/v1 ", want: "azure/x env.invalid sk-environment"},
		"named by the file":   {own: ownServers, environ: env + azure, file: "MODEL=azure/x", want: "azure/x api.openai.com sk-environment"},
		"no such server":      {own: ownServers, environ: env, o: ServerOptions{Model: "other/x"}, want: "other/x api.openai.com sk-environment"},
		"nearly a server":     {own: ownServers, environ: env + azure, o: ServerOptions{Model: "azrue/x"}, want: "-m azrue/x: no server has this name"},
		"nearly, with URL":    {own: ownServers, environ: env, o: ServerOptions{Model: "azrue/x", BaseURL: "http://flag.invalid/v1"}, want: "azrue/x flag.invalid sk-environment"},
		"server alone":        {own: ownServers, environ: env + azure, o: ServerOptions{Model: "azure"}, want: "-m azure: this is a server, not a model"},
		"no model":            {own: ownServers, environ: env + azure, o: ServerOptions{Model: "azure/"}, want: "-m azure/: no model is named"},
		"of the options":      {own: ownServers, environ: azure, o: ServerOptions{Name: "azure"}, want: "gpt-5-mini azure.invalid sk-azure api-key=sk-azure X-Team=tools"},
		"unknown name":        {own: ownServers, o: ServerOptions{Name: "azrue"}, want: `no server is named "azrue"`},
		"default server":      {own: "model: local/qwen\n" + ownServers, environ: env, want: "qwen localhost:11434 "},
		"default, -m":         {own: "model: local/qwen\n" + ownServers, environ: env, o: ServerOptions{Model: "m"}, want: "m localhost:11434 "},
		"default, file":       {own: "model: local/qwen\n" + ownServers, environ: env, file: evil + "MODEL=m\nAPI_KEY=sk-in-the-file", want: "qwen localhost:11434 "},
		"default, file named": {own: "model: local/qwen\n" + ownServers, file: evil, o: ServerOptions{EnvFile: ".env"}, want: "gpt-5-mini evil.invalid "},
		"default, URL":        {own: "model: local/qwen\n" + ownServers, environ: env, o: ServerOptions{BaseURL: "http://flag.invalid/v1"}, want: "gpt-5-mini flag.invalid sk-environment"},
		"default model":       {own: "model: other", environ: env, file: "MODEL=m", want: "other api.openai.com sk-environment"},
		"default, unknown":    {own: "model: locla/qwen\n" + ownServers, environ: env, want: "model: no server has this name"},

		"broken config": {own: "servers: 1", environ: env, want: "servers must be a mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			e := Env{Dir: t.TempDir(), Config: t.TempDir(), Warn: func(string, ...any) {}, Environ: strings.Split(c.environ, " ")}
			if c.own != "" {
				path := filepath.Join(e.Config, filepath.FromSlash(config.UserFile))
				err := os.MkdirAll(filepath.Dir(path), 0o700)
				if err == nil {
					err = os.WriteFile(path, []byte(c.own), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if c.file != "" {
				err := os.WriteFile(filepath.Join(e.Dir, ".env"), []byte(c.file), 0o600)
				if err != nil {
					t.Fatal(err)
				}
			}
			s, err := FindServer(e, c.o, ReadVariables(t.Context(), e, c.o))
			got := fmt.Sprintf("%s %s %s", s.Model, strings.Split(s.BaseURL+"///", "/")[2], s.key)
			for _, h := range s.headers {
				got += " " + h.Name + "=" + h.Value
			}
			if err != nil {
				got = err.Error()
				if fault.Code(err) != fault.Misuse || fault.Hint(err) == "" || strings.Contains(got, "secret") {
					t.Errorf("got %v with the code %d and the hint %q", err, fault.Code(err), fault.Hint(err))
				}
			}
			if got != c.want && (err == nil || !strings.Contains(got, c.want)) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			keyElsewhere := !strings.Contains(s.BaseURL, "azure.invalid") && strings.Contains(got, "sk-azure")
			if err == nil && keyElsewhere {
				t.Error("the key of azure goes to another server")
			}
		})
	}
}

// TestServerParams checks that flags replace the parameters of a server.
func TestServerParams(t *testing.T) {
	s := Server{Name: "a", params: map[string]json.RawMessage{"seed": []byte("1"), "top_p": []byte("0.5")}}
	got, err := s.Params([]string{"seed=2", "x=y"})
	if want := []string{"top_p=0.5", "seed=2", "x=y"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
	s.params["messages"] = []byte("[]")
	if _, err := s.Params(nil); err == nil || !strings.Contains(err.Error(), "messages is set by the run itself") {
		t.Errorf("got %v", err)
	}
}

func TestModelNames(t *testing.T) {
	e := Env{Config: t.TempDir()}
	path := filepath.Join(e.Config, filepath.FromSlash(config.UserFile))
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, []byte(ownServers), 0o600) != nil {
		t.Fatal("cannot write")
	}
	if got, want := ModelNames(e), []string{"azure/gpt-5-mini", "local/"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
