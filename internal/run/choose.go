package run

// Where the model is asked. A server is named by flags and the environment, by a file of
// variables that a flag names, by the user's own configuration, or by a .env file that was
// found, in this order. A key and headers go only to a server that their own source names.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"skills/internal/agent"
	"skills/internal/fault"
	"skills/internal/lint/config"
)

// chooser chooses the server and the model.
type chooser struct {
	env  Env
	o    ServerOptions
	file Variables

	path  string // of the user's own configuration
	user  config.User
	model struct{ env, file variable }
	url   struct{ env, file variable }
}

// named is a named server that was chosen, and the model there.
type named struct {
	config.ModelServer
	model string
}

// newChooser reads the user's own configuration and the variables.
func newChooser(env Env, o ServerOptions, file Variables) (c *chooser, err error) {
	c = &chooser{env: env, o: o, file: file}
	c.path, c.user, err = userConfig(env)
	c.model.env, c.model.file = c.find("OPENAI_MODEL", "MODEL")
	c.url.env, c.url.file = c.find("OPENAI_BASE_URL", "OPENAI_URL")
	return c, err
}

// find returns the first of the variables in the environment, and in the file.
func (c *chooser) find(names ...string) (inEnv, inFile variable) {
	return first(c.env.Getenv, names), first(func(name string) string { return c.file.values[name] }, names)
}

// fileNamed reports whether the user named the file of variables.
func (c *chooser) fileNamed() bool { return c.o.EnvFile != "" && !c.o.EnvFound }

// named returns the named server that is used, if any: of a flag, of the environment, or
// the default of the user's own configuration.
func (c *chooser) named() (s named, ok bool, err error) {
	byFlag, byDefault := c.o.Model, c.user.Model.Text
	switch {
	case c.o.Name != "":
		return c.byName(c.o.Name)
	case c.o.BaseURL != "":
		return s, false, nil
	case byFlag != "":
		s, ok, err = c.split(byFlag, "-m "+byFlag, c.url.env.value == "")
	case c.url.env.value == "" && c.model.env.value != "":
		s, ok, err = c.split(c.model.env.value, c.model.env.name, true)
	}
	byFile := c.fileNamed() && c.url.file.value != ""
	noDefault := byDefault == "" || c.url.env.value != "" || byFile
	if ok || err != nil || noDefault {
		return s, ok, err
	}
	s, ok, err = c.split(byDefault, "model", true)
	if err != nil {
		return s, ok, fault.AsUsage(c.user.Model.Wrong(c.path, fault.Hint(err), err))
	}
	s.model = cmp.Or(byFlag, c.model.env.value, s.model)
	return s, ok, nil
}

// NamedServer returns the server of the user's own configuration that the model of the
// options names, or nil.
func NamedServer(env Env, o ServerOptions) (*Server, error) {
	c, err := newChooser(env, o, Variables{})
	if err != nil || o.Model == "" || o.BaseURL != "" {
		return nil, err
	}
	n, ok, err := c.split(o.Model, o.Model, false)
	if err != nil || !ok {
		return nil, err
	}
	s, err := c.server(n)
	return &s, err
}

// byName returns the server of a name, with the model of the flag or the configuration.
func (c *chooser) byName(name string) (named, bool, error) {
	s, ok := c.user.Server(name)
	if !ok {
		return named{}, false, unknownServer(name, c.user)
	}
	model := strings.TrimPrefix(c.o.Model, name+"/")
	if at, m, _ := c.user.SplitModel(c.user.Model.Text); model == "" && at.Name == name {
		model = m
	}
	if model == "" && len(s.Models) > 0 {
		model = s.Models[0].Name
	}
	return named{s, model}, true, nil
}

// unknownServer is the error for a name that no server has.
func unknownServer(name string, user config.User) error {
	hint := "name one in servers of your own configuration (skills/config.yaml in your configuration folder)"
	if len(user.Servers) > 0 {
		hint = suggestServer(name, user)
	}
	return fault.Usage(hint, "no server is named %q", name)
}

func suggestServer(name string, user config.User) string {
	if _, _, near := user.SplitModel(name + "/"); near != "" {
		return "did you mean " + near + "?"
	}
	return "choose one of " + strings.Join(user.ServerNames(), ", ")
}

// split splits SERVER/MODEL of a source. A name that is nearly that of a server is an
// error if strict is true: the conversation would go to another server.
func (c *chooser) split(text, source string, strict bool) (s named, ok bool, err error) {
	server, model, near := c.user.SplitModel(text)
	switch {
	case server.Name != "" && model == "":
		return s, false, fault.Usage("write the model after it, such as "+server.Name+"/"+exampleModel(server), "%s: no model is named", source)
	case server.Name != "":
		return named{server, model}, true, nil
	case near != "" && strict:
		_, model, _ := strings.Cut(text, "/")
		return s, false, fault.Usage("did you mean "+near+"/"+model+"? With --base-url, the whole is the name of a model", "%s: no server has this name", source)
	}
	if s, whole := c.user.Server(text); whole && strict {
		return named{}, false, fault.Usage("write the model after it, such as "+s.Name+"/"+exampleModel(s), "%s: this is a server, not a model", source)
	}
	return s, false, nil
}

func exampleModel(s config.ModelServer) string {
	if len(s.Models) > 0 {
		return s.Models[0].Name
	}
	return "MODEL"
}

// server returns a named server with its key, headers and parameters. Nothing of it comes
// from a file of variables.
func (c *chooser) server(n named) (Server, error) {
	model := n.ModelServer.Model(n.model)
	s := Server{
		Name: n.Name, BaseURL: n.BaseURL, Model: n.model, Window: model.Window, Price: (*agent.Price)(model.Price), API: cmp.Or(c.o.API, n.API),
		params: n.Params,
	}
	s.KeyVariable = cmp.Or(c.o.KeyEnv, n.KeyEnv)
	if s.KeyVariable != "" {
		s.key = c.env.Getenv(s.KeyVariable)
	}
	var err error
	s.headers, err = headersOf(c.env, c.path, n.Headers, c.o.Headers)
	switch {
	case err != nil:
		return s, err
	case s.key == "" && s.KeyVariable != "":
		return s, fault.Usage("set it in the environment", "the server %s: the environment variable %s is not set", n.Name, s.KeyVariable)
	}
	return s, s.check()
}

// check returns an error for a key that cannot be used.
func (s Server) check() error {
	invalid := strings.ContainsFunc(s.key, func(r rune) bool { return r < 0x21 || r > 0x7E })
	return fault.UsageIf(invalid, "remove line feeds, spaces and quotes", "the key from %s has invalid characters", s.KeyVariable)
}

// Params returns the parameters of requests in the form of --param: those of the server,
// unless flags set them too, and those of flags.
func (s Server) Params(flags []string) (out []string, err error) {
	for name, value := range s.params {
		if slices.Contains(reservedParams, name) {
			return nil, fault.Usage("remove it", "the params of the server %s: %s is set by the run itself", s.Name, name)
		}
		set := func(text string) bool { return strings.HasPrefix(text, name+"=") }
		if !slices.ContainsFunc(flags, set) {
			out = append(out, name+"="+string(json.RawMessage(value)))
		}
	}
	slices.Sort(out)
	return append(out, flags...), nil
}

// Connection returns how to connect to the server.
func (s Server) Connection(userAgent string, retries int) agent.Server {
	return agent.Server{BaseURL: s.BaseURL, APIKey: s.key, Headers: s.headers, API: s.API, UserAgent: userAgent, Retries: retries}
}

// PriceOr returns the price of the limits, or else that of the configuration, nil if
// neither is known. A limit of the cost needs one.
func (s Server) PriceOr(l Limits) (*agent.Price, error) {
	price := s.Price
	if len(l.Price) == 2 {
		price = (*agent.Price)(l.Price)
	}
	missing := price == nil && l.Cost > 0
	return price, fault.UsageIf(missing, "add --price IN,OUT, per million tokens, or the price of the model to your own configuration", "--max-cost needs the price of tokens")
}

// Headers returns the headers that are sent, with masked values.
func (s Server) Headers() map[string]string { return hiddenHeaders(s.headers) }

// authorized reports whether a header takes the place of the key.
func (s Server) authorized() bool {
	return slices.ContainsFunc(s.headers, func(h agent.Header) bool { return strings.EqualFold(h.Name, "Authorization") })
}

// ModelNames returns the values of -m that the user's own configuration has.
func ModelNames(env Env) (names []string) {
	_, user, _ := userConfig(env) // completion reports no errors
	for _, s := range user.Servers {
		for _, m := range s.Models {
			names = append(names, s.Name+"/"+m.Name)
		}
		if len(s.Models) == 0 {
			names = append(names, s.Name+"/")
		}
	}
	return names
}

// keyOf returns the key for a server that is not a named one, and a warning about a key
// that is not sent. byFile means that only the file of variables names the server, byUser
// that flags or the environment do.
func (c *chooser) keyOf(s Server, byUser, byFile bool) (key variable, inFile bool, warning string) {
	envKey, fileKey := c.find("OPENAI_API_KEY", "API_KEY")
	if c.o.KeyEnv != "" {
		envKey, fileKey = c.find(c.o.KeyEnv)
	}
	where := fileKey.name + " in " + c.file.name
	same := c.url.file.value != "" && sameHost(c.url.file.value, s.BaseURL)
	asked := c.o.KeyEnv != "" || c.fileNamed()
	switch {
	case byFile && fileKey.value == "" && envKey.value != "":
		return key, false, fmt.Sprintf("; it gets no key, because %s is set in the environment only (pass --base-url to use it)", envKey.name)
	case !byFile && envKey.value != "":
		return envKey, false, ""
	case fileKey.value == "":
		return key, false, ""
	case byUser && !same && !asked:
		return key, false, fmt.Sprintf("%s gets no key, because %s is for another server (pass --env-file %s to use it)", PublicURL(s.BaseURL), where, c.file.name)
	}
	return variable{where, fileKey.value}, true, ""
}

// ServerNames returns the names of the servers in the user's own configuration.
func ServerNames(env Env) []string {
	_, user, _ := userConfig(env) // completion reports no errors
	return user.ServerNames()
}
