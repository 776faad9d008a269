//go:build !unix

package loader

// readPlain is for systems that can be asked to leave links alone.
func readPlain(_ string, buffer []byte) (src []byte, ok bool) { return buffer, false }
