// Command bareclient posts the lines of a file to a server, one after the
// other: bareclient BASE-URL FILE. It is what a benchmark compares a run with.
package main

import (
	"bytes"
	"log"
	"os"

	"skills/internal/testing/openaitest"
)

func main() {
	text, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if err := openaitest.Post(os.Args[1], bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))); err != nil {
		log.Fatal(err)
	}
}
