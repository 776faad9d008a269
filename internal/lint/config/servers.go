package config

// Named servers are in the user's own configuration only: they hold the names of keys and
// where these are sent. Values of headers are expanded when a server is used, so that a
// variable that is missing is a problem of that server alone.

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"skills/internal/lazyregexp"
	"skills/internal/suggest"
)

// ModelServer is a named server of models.
type ModelServer struct {
	Name    string
	BaseURL string
	KeyEnv  string // environment variable with the key, or ""
	API     string // one of [APIs], or ""
	Headers []Entry
	Params  map[string]json.RawMessage // of every request
	Models  []ServerModel

	Line, Column int
}

// ServerModel is what is known about a model of a server.
type ServerModel struct {
	Name   string
	Window int64       // tokens of its context, 0 if unknown
	Price  *[2]float64 // of a million input and output tokens, nil if unknown
}

// Model returns what is known about a model; the zero value has its name only.
func (s ModelServer) Model(name string) ServerModel {
	for _, m := range s.Models {
		if m.Name == name {
			return m
		}
	}
	return ServerModel{Name: name}
}

// Server returns the server of a name.
func (u User) Server(name string) (s ModelServer, ok bool) {
	i := slices.IndexFunc(u.Servers, func(s ModelServer) bool { return s.Name == name })
	if i < 0 {
		return s, false
	}
	return u.Servers[i], true
}

// ServerNames returns the names of the servers in the order of the file.
func (u User) ServerNames() (names []string) {
	for _, s := range u.Servers {
		names = append(names, s.Name)
	}
	return names
}

// APIs are the protocols of servers.
func APIs() []string { return []string{"auto", "chat", "responses"} }

var serverName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// server reads one server of the mapping servers.
func (p *parser) server(key, value *yaml.Node) (ModelServer, error) {
	s := ModelServer{Name: key.Value, Line: key.Line, Column: key.Column}
	if !serverName().MatchString(s.Name) {
		return s, p.wrong(key, "use letters, digits, dots, - and _, at most 40", "%q is not a name for a server", s.Name)
	}
	err := p.mapping(value, s.Name, func(key, value *yaml.Node) (err error) {
		if null(value) {
			return p.known(key, "key", serverKeys())
		}
		switch key.Value {
		case "base-url":
			s.BaseURL, err = p.address(value)
		case "api-key-env":
			s.KeyEnv, err = p.variable(value)
		case "api":
			s.API, err = p.text(value, key.Value)
			if err == nil {
				err = p.known(value, "protocol", APIs())
			}
		case "headers":
			s.Headers, err = p.headers(value)
		case "params":
			s.Params, err = p.params(value)
		case "models":
			s.Models, err = p.models(value)
		default:
			err = p.known(key, "key", serverKeys())
		}
		return err
	})
	if err == nil && s.BaseURL == "" {
		err = p.wrong(key, "add base-url: https://…/v1", "the server %s has no base-url", s.Name)
	}
	return s, err
}

func serverKeys() []string {
	return []string{"base-url", "api-key-env", "headers", "api", "params", "models"}
}

// address reads the address of a server.
func (p *parser) address(n *yaml.Node) (string, error) {
	text, err := p.text(n, "base-url")
	if err != nil {
		return "", err
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return "", p.wrong(n, "write it as http://localhost:11434/v1", "base-url is not the address of a server")
	}
	return text, nil
}

var variableName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variable reads the name of an environment variable. An error does not repeat the text,
// which may be a key.
func (p *parser) variable(n *yaml.Node) (string, error) {
	text, err := p.text(n, "api-key-env")
	if err == nil && !variableName().MatchString(text) {
		err = p.wrong(n, "set the key in the environment, and write the name of its variable here", "api-key-env is not the name of a variable")
	}
	return text, err
}

// headers reads headers with their values, which may contain variables.
func (p *parser) headers(n *yaml.Node) (all []Entry, err error) {
	err = p.mapping(n, "headers", func(key, value *yaml.Node) error {
		text, err := p.text(value, key.Value)
		if err == nil {
			why, hint := CheckHeader(key.Value, text)
			if why != "" {
				err = p.wrong(key, hint, "%s", why)
			}
		}
		all = append(all, Entry{Name: key.Value, Text: text, Line: key.Line, Column: key.Column})
		return err
	})
	return all, err
}

var headerName = lazyregexp.New("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// ownHeaders are set by the program itself, because a request depends on them.
var ownHeaders = []string{"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "transfer-encoding"}

// CheckHeader returns what is wrong with a header, and what to do; "" for nothing. The
// texts do not contain the value, which may be a key.
func CheckHeader(name, value string) (why, hint string) {
	value = strings.TrimSpace(value)
	switch {
	case !headerName().MatchString(name):
		return "not the name of a header", "write it as NAME: VALUE"
	case slices.Contains(ownHeaders, strings.ToLower(name)):
		return "the header " + name + " is set by the program itself", "leave it out"
	case value == "" || value == "null":
		return "the header " + name + " has no value", "write a value, or $VARIABLE for one from the environment"
	case strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7F }):
		return "the value of the header " + name + " has control characters", "remove line feeds"
	}
	return "", ""
}

// params reads parameters of requests as JSON.
func (p *parser) params(n *yaml.Node) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	err := p.mapping(n, "params", func(key, value *yaml.Node) error {
		if bad := alias(value); bad != nil {
			return p.wrong(bad, "write the value itself", "params cannot contain aliases")
		}
		var v any
		err := value.Decode(&v)
		if err == nil {
			out[key.Value], err = json.Marshal(v)
		}
		if err != nil {
			return p.wrong(value, "write a value that JSON has, too", "the parameter %s cannot be written as JSON", key.Value)
		}
		return nil
	})
	return out, err
}

// alias returns an alias or a merge key in a value, or nil: they could expand it.
func alias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || n.Tag == "!!merge" {
		return n
	}
	for _, c := range n.Content {
		if found := alias(c); found != nil {
			return found
		}
	}
	return nil
}

// models reads what is known about the models of a server.
func (p *parser) models(n *yaml.Node) (all []ServerModel, err error) {
	err = p.mapping(n, "models", func(key, value *yaml.Node) error {
		m := ServerModel{Name: key.Value}
		defer func() { all = append(all, m) }()
		if null(value) {
			return nil
		}
		return p.mapping(value, m.Name, func(key, value *yaml.Node) error {
			switch key.Value {
			case "window":
				err := value.Decode(&m.Window)
				if err != nil || m.Window < 1 {
					return p.wrong(value, "write a number of tokens, such as 128000", "window is not a number of tokens")
				}
			case "price":
				var price []float64
				err := value.Decode(&price)
				if err != nil || len(price) != 2 || !ValidPrice([2]float64(price)) {
					return p.wrong(value, "write the price of a million input and output tokens: price: [0.25, 2]", "price is not a pair of prices")
				}
				m.Price = (*[2]float64)(price)
			default:
				return p.known(key, "key", []string{"window", "price"})
			}
			return nil
		})
	})
	return all, err
}

// ValidPrice reports whether both prices are numbers that are not negative.
func ValidPrice(price [2]float64) bool {
	for _, v := range price {
		if !(v >= 0 && v < 1e12) {
			return false
		}
	}
	return true
}

// SplitModel splits SERVER/MODEL where a server has this name; otherwise the whole is the
// name of a model. near is the server that was probably meant, or "".
func (u User) SplitModel(text string) (s ModelServer, model, near string) {
	name, rest, cut := strings.Cut(text, "/")
	s, ok := u.Server(name)
	switch {
	case ok && cut:
		return s, rest, ""
	case cut:
		near = suggest.Close(name, u.ServerNames())
	}
	return ModelServer{}, text, near
}
