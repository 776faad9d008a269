package spec

// fileRules are warnings and advice about the files of a skill.
func fileRules() []*Rule {
	return []*Rule{
		scriptRun, scriptInteractive, licenseFile, unreadFile, nestedSkill, nameCollision, hiddenText, secretInFile,
		homePath, unpinnedRunner, evalsFormat,
	}
}
