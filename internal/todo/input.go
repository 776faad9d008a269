package todo

type noInput struct{}

type addInput struct {
	Todos []newItem `json:"todos"`
}

type newItem struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

type completeInput struct {
	Items []completion `json:"items"`
}

type completion struct {
	ID     int    `json:"id"`
	Reason string `json:"reason"`
}

type removeInput struct {
	IDs []int `json:"ids"`
}

// The schemas are the framework's, with the fields that an item cannot be
// without as required.

func noSchema() map[string]any { return object(map[string]any{}) }

func addSchema() map[string]any {
	return object(map[string]any{"todos": array("The items to add, in the order they are to be done.", object(map[string]any{
		"title":       property("string", "What is to be done, in a few words."),
		"description": map[string]any{"type": []string{"string", "null"}, "description": "What more there is to know, if anything."},
	}, "title"))}, "todos")
}

func completeSchema() map[string]any {
	return object(map[string]any{"items": array("The items that are done.", object(map[string]any{
		"id":     property("integer", "The ID of the item."),
		"reason": property("string", "How it was done, or why it counts as done."),
	}, "id", "reason"))}, "items")
}

func removeSchema() map[string]any {
	return object(map[string]any{"ids": array("The IDs of the items to remove.", map[string]any{"type": "integer"})}, "ids")
}

func object(properties map[string]any, required ...string) map[string]any {
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

func array(description string, items map[string]any) map[string]any {
	return map[string]any{"type": "array", "description": description, "items": items}
}

func property(kind, description string) map[string]any {
	return map[string]any{"type": kind, "description": description}
}
