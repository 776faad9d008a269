package agent

// ServerState is the key of the session's state about servers. No context provider may
// have this name.
const ServerState = "server"

// serverState holds the names of the quirks that servers were found to have, by the
// address of the server and the model.
var serverState = NewState(ServerState, func() map[string][]string { return map[string][]string{} })

// CheckServerState returns an error if the session's state about servers is damaged.
func CheckServerState(s *Session) error {
	return serverState.View(s, func(map[string][]string) {})
}

// recall adapts requests to what the server refused in earlier runs of the session.
func (f *forms) recall(r *run) error {
	if !r.session.Has(ServerState) {
		return nil
	}
	return serverState.View(r.session, func(known map[string][]string) {
		names := known[r.agent.client.Name()]
		r.agent.client.Remember(names)
		f.quirks = len(names)
	})
}

// note adds to the session what the server refused in this run.
func (f *forms) note(r *run) error {
	names := r.agent.client.Quirks()
	if len(names) == f.quirks {
		return nil
	}
	f.quirks = len(names)
	return serverState.Update(r.session, func(known *map[string][]string) error {
		(*known)[r.agent.client.Name()] = names
		return nil
	})
}
