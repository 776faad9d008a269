// Package doctor finds out what skills need of the machine, and whether it is
// here: interpreters for their scripts, and the programs that their
// compatibility field names. It runs nothing of a skill, installs nothing and
// uses no network; it must not know of terminals and formats.
package doctor
