package probe

import (
	"slices"
	"strings"
)

// listedModel is an entry of the list of models.
type listedModel struct {
	id     string
	window int64 // 0 if it is not stated
}

// is reports whether this is the model of a name: some servers add a tag or a prefix.
func (m listedModel) is(name string) bool {
	return m.id == name || m.id == name+":latest" || m.id == "models/"+name
}

func indexOf(list []listedModel, f func(listedModel) bool) int { return slices.IndexFunc(list, f) }

// windowFields are the names under which servers state the size of the context.
var windowFields = []string{"max_model_len", "context_length", "context_window", "max_context_length", "loaded_context_length"}

// listed returns the models of a page.
func listed(page map[string]any) (list []listedModel) {
	entries, _ := page["data"].([]any)
	for _, entry := range entries {
		fields, _ := entry.(map[string]any)
		id, _ := fields["id"].(string)
		if id == "" {
			continue
		}
		m := listedModel{id: id, window: windowIn(fields)}
		meta, _ := fields["meta"].(map[string]any)
		if n := number(meta["n_ctx"]); m.window == 0 { // n_ctx_train is not that of the server
			m.window = n
		}
		list = append(list, m)
	}
	return list
}

// windowIn returns the size of the context that fields state, or 0. A server that has
// loaded a model may state both its own and the model's size.
func windowIn(fields map[string]any) (window int64) {
	for _, name := range windowFields {
		if n := number(fields[name]); n > 0 {
			window = n
		}
	}
	return window
}

// number returns a positive number of JSON, or 0.
func number(v any) int64 {
	n, _ := v.(float64)
	if n < 1 || n > 1e9 {
		return 0
	}
	return int64(n)
}

// find returns the first object in a value for which f is true, with all that contain it
// searched from the outside.
func find(v any, f func(map[string]any) bool) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		if f(v) {
			return v
		}
		for _, key := range sortedKeys(v) {
			if found := find(v[key], f); found != nil {
				return found
			}
		}
	case []any:
		for _, item := range v {
			if found := find(item, f); found != nil {
				return found
			}
		}
	}
	return nil
}

func sortedKeys(m map[string]any) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// contains reports whether a text has one of some words, in any case.
func contains(text string, words ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}
