package report

import _ "embed"

//go:embed schema/report.schema.json
var schema string

// Schema returns the JSON Schema (draft 2020-12) of the json format.
func Schema() string { return schema }
