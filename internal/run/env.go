package run

import (
	"time"

	"skills/internal/files"
	"skills/internal/loader"
	"skills/internal/redact"
	"skills/internal/script/sandbox"
)

// Env is what a run has of the process.
type Env struct {
	Environ []string // KEY=VALUE, as in os.Environ
	Dir     string   // working directory of the process, absolute
	Home    string   // home folder, or ""
	Config  string   // folder of the user's own configuration, or ""
	Cache   string   // folder of the user's caches, or ""
	Self    string   // path of this program, for supervising scripts; "" for no supervisor
	Version string
	// PipeTime is how long a pipe that an option names may take; 0 is a minute.
	PipeTime time.Duration

	Notify loader.Notify                    // receives notices about skills before the run begins
	Warn   func(format string, args ...any) // receives warnings
	Note   func(text string)                // receives notes about the prompt
	Masked func(mask *redact.Masker)        // receives the masker for keys, before anything else is received
}

// Getenv returns the last value of a variable, or "".
func (e Env) Getenv(name string) string {
	value, _ := sandbox.Lookup(e.Environ, name)
	return value
}

// absolute returns path relative to the working directory as an absolute path.
func (e Env) absolute(path string) string { return files.Absolute(e.Dir, path) }
