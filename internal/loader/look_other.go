//go:build !unix

package loader

// readPlain is for systems that can be asked to leave links alone.
func readPlain(string) (src []byte, ok bool) { return nil, false }
