package eval

// Recorded returns options that record the demo into a workspace.
func Recorded(o Options, workspace string) Options {
	o.Demo, o.record, o.Workspace = true, true, workspace
	return o
}
