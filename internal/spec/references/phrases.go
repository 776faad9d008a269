package references

import (
	"skills/internal/lazyregexp"
)

// Patterns for the words around a path, in lower-case English and Chinese. They
// decide whether the file must exist; if in doubt, it need not.
var (
	// pointing precedes a path to read, run or use; for other languages see instructions.
	pointing = lazyregexp.New(`(?:^|[^\pL])(?:see|read|load|consult|open|follow|review|study|check|view|refer(?:red|s)? to|according to|search|details? in|lives? in|reference(?: file)?:|documented in|described in|defined in|listed in|found in|run|running|execute|invoke|call|launch|start|explore|moved to)(?: also| first| then| the| full| bundled| included| file| files| script| reference| guide| template)*[ :]*$`)
	// using is weaker: it counts only for a path in a code span.
	using = lazyregexp.New(`(?:^|[^\pL])(?:use|using|via|with|in|from|at|apply|import|by|and|or)(?: the| a| an| bundled| provided| included| script| template| file| helper)*[ :]*$`)
	// taking precedes a path in a code span that is copied or filled in.
	taking = lazyregexp.New(`(?:^|[^\pL])(?:use|using|fill(?: in| out)?|copy|cop(?:y|ying) from|start(?:ing)? (?:from|with)|based on|adapt|follow|following|apply|per|with the (?:template|example|script|format|structure|rules|checklist)|from the (?:template|example|format|checklist)|(?:template|format|structure|checklist|rubric|schema|example) (?:in|at|from))(?: the| this| a| bundled| provided| included| full)*(?: template| example| file| checklist| format| structure)?(?: in| at| from)?[ :(]*$`)
	// source precedes a path that is read to make something else.
	source = lazyregexp.New(`(?:^|[^\pL])(?:from|with|using|via|per|by)(?: the| a)?$`)
	// making occurs in sentences about files that do not exist yet.
	making = lazyregexp.New(`(?:^|[^\pL])(?:creat|writ|wrote|sav(?:e|ing)|generat|produc|output|emit|export|stor(?:e|ing)|add|put|plac(?:e|ing)|cop(?:y|ie)|mov(?:e|ing)|renam|delet|remov|mak(?:e|ing)|new|append|dump|draft|scaffold|initiali|set up|extract|include|contain|provid|implement|build)|(?:创建|生成|写入|保存|输出|新建|添加|建立)`)
	// writing is the unambiguous part of making.
	writing = lazyregexp.New(`(?:^|[^\pL])(?:creat|writ(?:e|ing)|sav(?:e|ing)|generat|produc|export|stor(?:e|ing)|put|mov(?:e|ing)|renam|delet|new|draft|scaffold)|(?:创建|生成|写入|保存|新建)`)
	// produced is a verb of writing whose object the next words are.
	produced = lazyregexp.New(`(?:^|[^\pL])(?:creat(?:e|es|ed|ing)|writ(?:e|es|ten|ing)|sav(?:e|es|ed|ing)|generat(?:e|es|ed|ing)|produc(?:e|es|ed|ing)|export(?:s|ed|ing)?|stor(?:e|es|ed|ing)|put|mov(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|new|draft(?:s|ed|ing)?|scaffold(?:s|ed|ing)?)(?:[^\pL]|$)|(?:创建|生成|写入|保存|新建|作成|生成し|생성|작성)`)
	// detour are words after which a path is not the object of the verb before them.
	detour = lazyregexp.New(`[:：;]|(?:^|[^\pL])(?:by|with|from|using|via|per|in one pass|running|see|use|used by|helper|script)(?:[^\pL]|$)`)
	// written follows a path that is written.
	written = lazyregexp.New(`^[^\pL]*(?:(?:is|are|was|gets|will be|a|an|the|newly|auto-?) ?)?(?:generated|created|written|produced|saved|exported|output)(?:[^\pL]|$)`)
	// otherOwner precedes a path of something else: "`pdf-tools`'s", "`pdf-tools`".
	otherOwner = lazyregexp.New("(?:`/?[\\w]+(?:[-:][\\w]+)+[`*]+|`[\\w-]+[`*]+ skill(?:['’]s)?,?|`['’]s?|(?:^|[^l]|[^l]l|[^i]ll|[^k]ill)['’]s) [`*]*$")
	// skillOwner precedes a path of the skill that it names: "the pdf skill's".
	skillOwner = lazyregexp.New("([\\w-]+)[`*]* skill['’]s [`*]*$")
	// namedTool matches a code span that names a skill or a tool, which may have the files
	// behind it: "`pdf-tools` (community)".
	namedTool = lazyregexp.New("`/?[a-z]\\w*(?:[-:]\\w+)+`")
	// labelEnd ends a label of a path: "Detailed criteria:", "→".
	labelEnd = lazyregexp.New(`(?:[:：→⇒]|[-=]>)$`)
	// historyLine begins an entry of a list of changes: "| 2.0.0 |".
	historyLine = lazyregexp.New(`^[\s|*_\-+#\[]*v?\d+\.\d+(?:\.\d+)*[\]*_]*\s*(?:[|:(–—-]|$)`)
	// outputLabel occurs in the label of a file that is written.
	outputLabel = lazyregexp.New(`(?:^|[^\pL])(?:outputs?|results?|destination|artifacts?|creat\pL*|writ(?:e|es|ten|ing)|sav(?:e|es|ed|ing)|new|add(?:s|ed)?|generated?|produced?|logs?|examples?)(?:[^\pL]|$)|(?:输出|生成|创建|写入|保存)`)
	// outputLine is a heading or line above the files that are written.
	outputLine = lazyregexp.New(`^[^\pL]*(?:outputs?|output files|deliverables|artifacts?|results?)[^\pL]*$`)
	// running precedes a program to start.
	running = lazyregexp.New(`(?:^|[^\pL])(?:run|running|execute|executing|invoke|call|launch|start)(?: the| this| bundled| included| provided| helper| script| command)*[ :]*$|(?:运行|運行|執行|执行|调用)(?:以下|下面的|该)?(?:脚本|腳本|命令)?[：:\s]*$`)
	// runIntroduction matches a line that introduces a program to start.
	runIntroduction = lazyregexp.New(`^[^\pL]*(?:\pL+, |then )?(?:run|execute|invoke|call|launch|start|use)(?: [\pL\d-]+){1,5}[*_]*:[*_]*$|(?:运行|運行|執行|执行|调用)[\pL\d]{0,8}[：:]$`)
	// spans matches the code spans between such words and a path.
	spans = lazyregexp.New("(?:`[^`]*`[\\s*_]*(?:[,;&]? ?(?:and|or|then|and then)|[,;&])[\\s*_]*)+`*$")
	// offering introduces a list of the skill's scripts.
	offering = lazyregexp.New(`(?:^|[^\pL])(?:(?:available|bundled|included|provided|helper) scripts?|scripts? (?:available|bundled|included|provided|in this skill))[^\pL]*$`)
	// interpreted matches the program of a command in prose.
	interpreted = lazyregexp.New(`(?:^|[^\pL])(?:python3?|bash|sh|zsh|node|deno|bun|tsx|ruby|perl|php|pwsh|rscript|uv run)$`)
	// outputPreposition precedes the path of an output file.
	outputPreposition = lazyregexp.New(`(?:^|[^\pL])(?:to|into|as|under|called|named)(?: a| the)?(?: new)?[ :]*$`)
	// hypothetical occurs in sentences about other skills, other folders and
	// possibilities.
	hypothetical = lazyregexp.New(`(?:^|[^\pL])(?:(?:for|as|an) example|examples? of|examples?:|e\.?g\.?|for instance|such as|like|would|could|might|imagine|suppose|hypothetical|instead of|rather than|never|deprecated|removed|optional(?:ly)?|project|projects|repo|repos|repository|repositories|workspace|codebase|plugin|plugins|your|their|user's|target|another skill|other skills|each skill|a skill)(?:[^\pL]|$)|n['’]t |例如|比如|示例|项目|仓库`)
	// examples begins a list of examples, also in bold.
	examples = lazyregexp.New(`(?:^|[\s>#*_\-])examples?[*_]*[:：]`)
	// inUserProject follows a path in the user's project.
	inUserProject = lazyregexp.New(`^[^\pL]*(?:in|of|from|at|inside|within|under)(?: [^ ]+){0,3} (?:project|projects|repo|repos|repository|repositories|workspace|codebase|plugin|plugins|source tree|checkout)(?:['’]s)?(?:[^\pL]|$)`)
	// intoFile matches the end of a command that writes the next file.
	intoFile = lazyregexp.New(`(?:(?:^|[\s\d&>])>|tee|touch| -[A-Za-z]{0,3}[oO]| --output(?:-document)?)$`)
	// conditional follows a path that need not exist.
	conditional = lazyregexp.New(`^[^\pL]*(?:\(?optional|if (?:it |they |one |that |any )?(?:exist|present|available|there)|when (?:it )?(?:exist|present|available)|would|could|might|may not|does ?n[o'’]t exist|does not exist|exists|is created|is generated|is written|will be)`)
	// lead matches the marks before the first word of a list item or a table
	// cell.
	lead = lazyregexp.New(`^[\s>#*_+\-|.):\[\]x0-9"'` + "`" + `]*$`)
	// itemStart precedes a path at the start of a list item or a table cell, or
	// in parentheses.
	itemStart = lazyregexp.New(`^[\s>#*_+\-|.):\[\]x0-9"'` + "`" + `]*(?:[^` + "`" + `]*[:(][ *_` + "`" + `]*)?$`)
	// inSkillFolder follows the path of a file in the skill's folder.
	inSkillFolder = lazyregexp.New(`^ (?:in|from) (?:this|the skill(?:['’]s)?) (?:directory|folder|skill)`)
	// project occurs in sentences about the user's project.
	project = lazyregexp.New(`(?:^|[^\pL])(?:project|projects|repo|repos|repository|workspace|codebase|monorepo|plugin|plugins|upstream|checkout|clone)(?:[^\pL]|$)`)
	// projectScript introduces a script of the user's project.
	projectScript = lazyregexp.New(`(?:^|[^\pL])(?:project|repo|repository|workspace|codebase|monorepo|plugin)['’]s (?:[^ ]+ ){0,3}scripts?(?:[^\pL]|$)`)
	// fromRoot matches statements that commands run in the root of the user's
	// project.
	fromRoot = lazyregexp.New(`(?i)(?:run|execut|invok|command|relative|directory|from|cd)[^.\n]{0,50}(?:repo|repository|project|workspace|monorepo|checkout|clone)(?:['’]s)? root(?:[^\pL]|$)|(?:run|execut|invok|command|from)[^.\n]{0,50}root of (?:the|your|this) (?:repo|repository|project|workspace|monorepo|checkout|clone)(?:[^\pL]|$)`)
	// possessive occurs in sentences that may be about the user's project.
	possessive = lazyregexp.New(`(?:^|[^\pL])(?:app|your|their)(?:[^\pL]|$)`)
)
