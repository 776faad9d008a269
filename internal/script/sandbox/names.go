package sandbox

// SkillParts returns the entries of a skill's folder that stay read-only for its scripts
// if the folder is the working folder.
func SkillParts() []string { return []string{"SKILL.md", "scripts", "references", "assets"} }
