// Package skills is the skills context provider: it shows the model which
// skills there are and gives it three tools, to load a skill, to read what
// belongs to it, and to run its scripts. It also holds the policy that decides
// which scripts may run.
//
// Tools, parameters, texts and the order of checks are those of the
// framework's document on its skills provider. What goes beyond it is named
// where it is: not-found answers list what there is, long and binary resources
// are not dumped, the folder of a skill is named, and run_skill_script is omitted
// when nothing can be run.
//
// Everything a tool opens is a name that its skill lists; a name that the
// model makes up is never turned into a path. The package must not know of
// terminals, flags or servers, and starts no process itself: see [Runner].
package skills
