package sandbox

// SkillParts returns the entries of a skill's folder that stay read-only for its scripts
// if the folder is the working folder.
func SkillParts() []string { return []string{"SKILL.md", "scripts", "references", "assets"} }

// ProtectedNames returns the names in a working folder, besides those of .env files, that
// can make other programs run code later.
func ProtectedNames() []string {
	return []string{".git", ".skills.yaml", ".agents", ".claude", ".github", ".husky"}
}
