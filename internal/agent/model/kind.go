package model

import (
	"fmt"
	"net/url"
	"strings"
)

// Kind is a kind of server with a context of its own size, which is recognised by what it
// sends or where it listens. The zero value is an unknown server.
type Kind struct {
	Name string
	// CutsSilently is true for a server that shortens a request which is too long, and
	// whose count of input tokens includes cached ones.
	CutsSilently bool

	setting      string // how to give the model a larger context, with %d for the tokens
	header, path string // part of the header Server, and of the path; "" for none
	port         string
}

// kinds are the known servers. A header says more than a path, and a path more than a port.
func kinds() []Kind {
	return []Kind{
		{Name: "Ollama", CutsSilently: true, port: "11434", setting: "start the server with OLLAMA_CONTEXT_LENGTH=%d, or set num_ctx in the Modelfile"},
		{Name: "LM Studio", CutsSilently: true, port: "1234", setting: "load the model with lms load --context-length %d, or set its context length in the app"},
		{Name: "llama.cpp", port: "8080", header: "llama.cpp", setting: "start llama-server with -c %d"},
		{Name: "vLLM", port: "8000", setting: "start the server with --max-model-len %d"},
		{Name: "SGLang", port: "30000", setting: "start the server with --context-length %d"},
		{Name: "KoboldCpp", CutsSilently: true, port: "5001", setting: "start it with --contextsize %d"},
		{Name: "Docker Model Runner", port: "12434", path: "/engines/", setting: "run docker model configure --context-size %d MODEL"},
	}
}

// Recognise returns the kind of a server by its address and the header Server of its
// responses, which may be empty.
func Recognise(address, header string) Kind {
	u, err := url.Parse(address)
	if err != nil {
		return Kind{}
	}
	header = strings.ToLower(header)
	for _, matches := range []func(Kind) bool{
		func(k Kind) bool { return k.header != "" && strings.Contains(header, k.header) },
		func(k Kind) bool { return k.path != "" && strings.Contains(u.Path, k.path) },
		func(k Kind) bool { return u.Port() != "" && u.Port() == k.port },
	} {
		for _, k := range kinds() {
			if matches(k) {
				return k
			}
		}
	}
	return Kind{}
}

// Setting returns how to give the model a context of so many tokens.
func (k Kind) Setting(tokens int64) string {
	if k.setting == "" {
		return fmt.Sprintf("give the model a context of at least %d tokens in the settings of the server", tokens)
	}
	return k.Name + ": " + fmt.Sprintf(k.setting, tokens)
}

// Kind returns the kind of the server, which its responses may reveal.
func (c *Client) Kind() Kind {
	header, _ := c.server.Load().(string)
	return Recognise(c.options.BaseURL, header)
}
