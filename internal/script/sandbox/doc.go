// Package sandbox decides what a skill's script may read, write and reach, and
// enforces it with bubblewrap or Landlock on Linux and sandbox-exec on macOS.
//
// The policy is an allow-list: the system, the skill's own folder, the
// toolchains that the user has installed, the working folder and a temporary
// folder. Whatever is not listed is not there. Nothing that a repository or a
// skill contains adds to the list, and a policy that cannot be built is an
// error, never a wider policy.
//
// The package starts no processes. A [Backend] turns a [Policy] and a command
// into the command line and the [Setup] that the supervisor starts.
package sandbox
