package loader

// ClassSkill is a skill that is a type of its own: its methods return what the
// skill consists of, and its fields hold what its resources and scripts share.
// Use [Inline] for a skill without anything to share.
//
//	type greeter struct{ greeting string }
//
//	func (greeter) Frontmatter() loader.Frontmatter {
//		return loader.Frontmatter{Name: "greeter", Description: "Greets people. Use when …"}
//	}
//	func (greeter) Instructions() string { return "Run `greet` with a name." }
//	func (g greeter) Parts() []loader.Part {
//		return []loader.Part{loader.Function("greet", "Returns a greeting", g.greet)}
//	}
//
// Types that have parts in common embed a struct and append to its parts. Parts
// names the methods in code rather than finding them by reflection, with which
// the linker would have to keep every exported method of the program.
type ClassSkill interface {
	Frontmatter() Frontmatter
	Instructions() string // what a model gets when it loads the skill
	Parts() []Part        // resources and scripts, in any order; nil for none
}

// Class returns the skill that a type declares; see [Inline] for the errors.
func Class(c ClassSkill) (*Skill, error) {
	return Inline(c.Frontmatter(), c.Instructions(), c.Parts()...)
}
