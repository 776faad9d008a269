// Package script runs the scripts of skills as child processes.
//
// It is for everything between "the model asked for scripts/convert.py" and
// "this is what it printed": which interpreter, which arguments, which
// environment, which limits, which confinement. It is the only package that
// imports os/exec, so that what may start a process can be audited here alone.
// It must not know of models, tools, approvals or how skills are found: whoever
// calls it has already decided that this script may run.
//
// What it promises, on every system:
//
//   - No shell: the interpreter is started with an argument list, and a word of
//     the model's is never more than one argument.
//   - The file lies inside its skill's folder: no "..", no link that leads out,
//     nothing but a regular file, the digest unchanged when one is given. The
//     interpreter opens the file by its path afterwards, so whoever can write
//     to the skill's folder at that very moment can still exchange it.
//   - An environment made from an allow-list, see [Runner.PassEnv]. It keeps
//     secrets out of the script's own environment; it cannot keep an unconfined
//     script from reading files as its user.
//   - Standard input is empty, and there is no terminal to ask at.
//   - An end: at the time limit, when the context is cancelled, and when the
//     script itself has ended, its whole process group is ended. What keeps the
//     output open after that does not hold up the call.
//   - Output of bounded size, valid UTF-8, free of control characters.
//
// What it starts is gone at the end. On Linux a supervisor, our own program once
// more, adopts whatever the script leaves behind, in whatever session, and ends
// it; also where we are killed, see [Stage]. Without a supervisor the script's
// session is ended, and a child that calls setsid survives. On other Unix
// systems a child in a process group of its own survives too. On Windows a job
// object ends all children except those started in the instant before the
// process is put into it.
//
// Behind a fence, see [Runner.Confinement], a script moreover reads no secrets,
// writes in the working directory and a temporary folder only, has no network and
// no more than its share of the machine. /tmp is not that temporary folder: what
// other programs keep there is none of a script's business. What a fence cannot
// hold it says, in [Confinement.Gaps].
package script
