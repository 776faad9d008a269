//go:build !unix

package loader

// nonblock is for systems where opening a file does not wait.
const nonblock = 0
