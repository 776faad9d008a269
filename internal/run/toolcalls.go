package run

// Whether a model needs constrained calls is found out in its first run, and remembered for
// its server and name in the user's cache, so that the next run starts right.

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"skills/internal/agent"
	"skills/internal/files"
	"skills/internal/script/sandbox"
)

// Limits of the file: the models in it, and its size.
const (
	maxModels    = 200
	maxModelFile = 128 << 10
)

// callsFile returns the file of the models that need constrained calls, or "" if there is
// no place where neither a repository nor a script can write.
func (r Env) callsFile() string {
	if r.Cache == "" || sandbox.Within(files.Resolved(r.Cache), sandbox.Real(r.Dir)) {
		return ""
	}
	return filepath.Join(r.Cache, "skills", "tool-calls.json")
}

// modelKey identifies a model of a server.
func modelKey(server, model string) string { return PublicURL(server) + " " + model }

// constrainedModels returns the models that need constrained calls, with the time at which
// that was found, in seconds since 1970. A file that is unreadable is as none.
func (r Env) constrainedModels() map[string]int64 {
	known := map[string]int64{}
	path := r.callsFile()
	if path == "" {
		return known
	}
	text, err := files.ReadRegular(path, maxModelFile)
	if err != nil || json.Unmarshal(text, &known) != nil {
		return map[string]int64{}
	}
	return known
}

// NeedsConstrainedCalls reports whether an earlier run found that a model needs constrained
// calls.
func (r Env) NeedsConstrainedCalls(server, model string) bool {
	_, known := r.constrainedModels()[modelKey(server, model)]
	return known
}

// RememberCalls remembers whether a model needs constrained calls. The oldest entries beyond
// the limit are removed. It is best effort: the next run finds out again.
func (r Env) RememberCalls(server, model string, constrained bool, now time.Time) {
	path, known := r.callsFile(), r.constrainedModels()
	key := modelKey(server, model)
	if _, is := known[key]; path == "" || is == constrained {
		return
	}
	delete(known, key)
	if constrained {
		known[key] = now.Unix()
	}
	keys := slices.SortedFunc(maps.Keys(known), func(a, b string) int {
		return cmp.Or(cmp.Compare(known[b], known[a]), strings.Compare(a, b))
	})
	for _, old := range keys[min(len(keys), maxModels):] {
		delete(known, old)
	}
	text, err := json.MarshalIndent(known, "", "  ")
	if err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	root, err := files.OpenFolder(filepath.Dir(path))
	if err != nil {
		return
	}
	defer root.Close()
	_, _ = files.Replace(root, filepath.Base(path), append(text, '\n'), 0o600, true, nil)
}

// toolCalls returns how the model of a server calls tools; note receives what an earlier run
// found.
func toolCalls(env Env, o Options, server Server, note func(string)) agent.ToolCalls {
	mode := cmp.Or(o.Request.ToolCalls, agent.CallsAuto)
	switch {
	case o.Demo || o.Files.Replay != "": // recordings have calls of the protocol
		return agent.ToolCalls{Mode: agent.CallsNative}
	case mode != agent.CallsAuto || o.Preview:
	case env.NeedsConstrainedCalls(server.BaseURL, server.Model):
		note("tool calls as JSON, which this model needed before (--tool-calls native to change that)")
		mode = agent.CallsJSON
	}
	return agent.ToolCalls{Mode: mode, Changed: func() { env.RememberCalls(server.BaseURL, server.Model, true, time.Now()) }}
}
