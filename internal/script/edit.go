package script

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Edit opens a file in the editor that VISUAL or EDITOR names, at a terminal, and waits for
// its end. It runs like a program that the user started.
func Edit(ctx context.Context, getenv func(string) string, tty *os.File, path string) error {
	words := strings.Fields(cmp.Or(getenv("VISUAL"), getenv("EDITOR"), "vi"))
	c := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	c.Stdin, c.Stdout, c.Stderr = tty, tty, tty
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	return nil
}
