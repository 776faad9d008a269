package spec

import (
	"strings"
	"unicode/utf8"
)

// The words around a path tell whether it has to be there. They are looked at
// in small letters; in doubt a path need not.
var (
	// pointing are words just before a path that is to be read, run or used.
	pointing = newPattern(`(?:^|[^\pL])(?:see|read|load|consult|open|follow|review|study|check|view|refer(?:red|s)? to|according to|details? in|documented in|described in|defined in|listed in|found in|run|running|execute|invoke|call|launch|start)(?: also| first| then| the| full| bundled| included| file| files| script| reference| guide| template)*[ :]*$|(?:参见|參見|参考|参照|阅读|閱讀|查看|读取|讀取|加载|载入|详见|見|见|运行|執行|执行|使用|调用)[：:\s]*$`)
	// using are weaker: they count for a path that is marked as code.
	using = newPattern(`(?:^|[^\pL])(?:use|using|via|with|in|from|at|apply|import|by|and|or)(?: the| a| an| bundled| provided| included| script| template| file| helper)*[ :]*$`)
	// making are words of sentences about files that are yet to be written.
	making = newPattern(`(?:^|[^\pL])(?:creat|writ|wrote|sav(?:e|ing)|generat|produc|output|emit|export|stor(?:e|ing)|add|put|plac(?:e|ing)|cop(?:y|ie)|mov(?:e|ing)|renam|delet|remov|mak(?:e|ing)|new|append|dump|draft|scaffold|initiali|set up|extract|include|contain|provid|implement|build)|(?:创建|生成|写入|保存|输出|新建|添加|建立)`)
	// writing are those of them that leave no doubt.
	writing = newPattern(`(?:^|[^\pL])(?:creat|writ(?:e|ing)|sav(?:e|ing)|generat|produc|export|stor(?:e|ing)|put|mov(?:e|ing)|renam|delet|new|draft|scaffold)|(?:创建|生成|写入|保存|新建)`)
	// running are those of them that say to start a program.
	running = newPattern(`(?:^|[^\pL])(?:run|running|execute|executing|invoke|call|launch|start)(?: the| this| bundled| included| provided| helper| script| command)*[ :]*$|(?:运行|運行|執行|执行|调用)[：:\s]*$`)
	// spans are pieces of code behind such words, and what puts them together.
	spans = newPattern("(?:`[^`]*`[\\s*_]*(?:[,;&]? ?(?:and|or|then|and then)|[,;&])[\\s*_]*)+`*$")
	// offering are words above a list of the scripts that come with the skill.
	offering = newPattern(`(?:^|[^\pL])(?:(?:available|bundled|included|provided|helper) scripts?|scripts? (?:available|bundled|included|provided|in this skill))[^\pL]*$`)
	// interpreted is the program of a command in prose.
	interpreted = newPattern(`(?:^|[^\pL])(?:python3?|bash|sh|zsh|node|deno|bun|tsx|ruby|perl|php|pwsh|rscript|uv run)$`)
	// toward are words just before the place that something is put to.
	toward = newPattern(`(?:^|[^\pL])(?:to|into|as|under|called|named)(?: a| the)?(?: new)?[ :]*$`)
	// supposing are words of sentences about other skills, other folders, or
	// what may be.
	supposing = newPattern(`(?:^|[^\pL])(?:examples?|e\.?g\.?|for instance|such as|like|would|could|might|imagine|suppose|hypothetical|instead of|rather than|never|deprecated|removed|optional(?:ly)?|project|projects|repo|repos|repository|repositories|workspace|codebase|plugin|plugins|your|their|user's|target|another skill|other skills|each skill|a skill)(?:[^\pL]|$)|n['’]t |例如|比如|示例|项目|仓库`)
	// theirs are words behind a path that say whose it is: in the user's project.
	theirs = newPattern(`^[^\pL]*(?:in|of|from|at|inside|within|under)(?: [^ ]+){0,3} (?:project|projects|repo|repos|repository|repositories|workspace|codebase|plugin|plugins)(?:['’]s)?(?:[^\pL]|$)`)
	// intoFile is the end of a command that writes the file named next.
	intoFile = newPattern(`(?:>|tee|touch| -[A-Za-z]{0,3}[oO]| --output(?:-document)?)$`)
	// conditional are words behind a path that need not be there.
	conditional = newPattern(`^[^\pL]*(?:\(?optional|if (?:it |they |one |that |any )?(?:exist|present|available|there)|when (?:it )?(?:exist|present|available)|would|could|might|may not|does ?n[o'’]t exist|does not exist|exists|is created|is generated|is written|will be)`)
	// lead is what may stand before the first word of a list's item or a cell.
	lead = newPattern(`^[\s>*_+\-|.):\[\]x0-9"'` + "`" + `]*$`)
)

// around returns the rest of the sentence, list item or table cell before and
// behind a stretch of a text, in small letters.
func around(body string, start, end int) (before, after string) {
	const most = 240
	from := start
	for from > 0 && start-from < most && !sentenceStart(body, from) {
		from--
	}
	to := end
	for to < len(body) && to-end < most && !sentenceEnd(body, to) {
		to++
	}
	for from < start && !utf8.RuneStart(body[from]) {
		from++
	}
	return strings.ToLower(strings.Join(strings.Fields(body[from:start]), " ")), strings.ToLower(strings.Join(strings.Fields(body[end:to]), " "))
}

// sentenceStart reports whether a sentence can start at i.
func sentenceStart(s string, i int) bool {
	switch prev := s[i-1]; {
	case prev == '|' || prev == ';':
		return true
	case prev == '\n':
		rest := strings.TrimLeft(s[i:], " \t>")
		line, _, _ := strings.Cut(rest, "\n")
		return line == "" || strings.ContainsRune("-*+|#<`", rune(line[0])) || line[0] >= '0' && line[0] <= '9' ||
			i > 1 && strings.TrimSpace(lineBefore(s, i-1)) == ""
	case s[i] == ' ' || s[i] == '\n':
		return endsSentence(s, i-1)
	}
	return strings.HasSuffix(s[:i], "。")
}

func lineBefore(s string, i int) string {
	return s[strings.LastIndexByte(s[:i], '\n')+1 : i]
}

func endsSentence(s string, i int) bool {
	if s[i] == '!' || s[i] == '?' {
		return true
	}
	return s[i] == '.' && !strings.HasSuffix(s[:i], "e.g") && !strings.HasSuffix(s[:i], "i.e") && !strings.HasSuffix(s[:i], "etc")
}

// sentenceEnd reports whether a sentence ends before i.
func sentenceEnd(s string, i int) bool {
	switch s[i] {
	case '|', ';':
		return true
	case '\n':
		return i+1 == len(s) || sentenceStart(s, i+1)
	case '.', '!', '?':
		return (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\n') && endsSentence(s, i)
	}
	return strings.HasPrefix(s[i:], "。")
}

// isGuide reports texts about how to write skills: they are full of names
// that are not their own.
func isGuide(body string) bool { return strings.Count(body, FileName) >= 3 }

// opening are the marks that may stand between a word and a path.
const opening = "`*_\"'[(<“ "

// demanded reports whether the sentence around a mention says that the file is
// to be read, run or used. guide is what isGuide says of the text.
func demanded(in *page, m mention, guide bool) bool {
	before, after := around(in.body(), m.start, m.end)
	tail := strings.TrimRight(before, opening)
	strong := pointing().MatchString(tail)
	rest := strings.TrimLeft(after, "`*_\"')]>”")
	if supposing().MatchString(before) || interpreted().MatchString(tail) || conditional().MatchString(rest) || theirs().MatchString(rest) {
		return false
	}
	if strong || guide {
		return strong
	}
	if !m.code || making().MatchString(before) || toward().MatchString(tail) || making().MatchString(after) || supposing().MatchString(after) {
		return false
	}
	if using().MatchString(tail) {
		return true
	}
	above := in.introduction(m.start)
	return lead().MatchString(before) && !making().MatchString(above) && !supposing().MatchString(above)
}

// ordered reports whether the sentence around a stretch of code says that it is
// to be run, by itself or with others before it.
func ordered(body string, start, end int) bool {
	before, after := around(body, start, end)
	rest := strings.TrimLeft(after, "`*_\"')]>”")
	if supposing().MatchString(before) || conditional().MatchString(rest) || theirs().MatchString(rest) {
		return false
	}
	return running().MatchString(strings.TrimRight(before, opening)) ||
		running().MatchString(strings.TrimRight(spans().ReplaceAllString(before, ""), opening))
}

// offered reports whether a mention starts an item of a list of the scripts
// that come with the skill, as its heading or the line above it says.
func offered(in *page, m mention) bool {
	before, after := around(in.body(), m.start, m.end)
	rest := strings.TrimLeft(after, "`*_\"')]>”")
	return m.code && lead().MatchString(before) && offering().MatchString(in.introduction(m.start)) &&
		!supposing().MatchString(after) && !conditional().MatchString(rest) && !theirs().MatchString(rest)
}

// produced reports whether a sentence of the page speaks of writing a file, or
// a command writes it: then it need not be there yet.
func produced(in *page, name string) bool {
	body := in.body()
	for _, m := range in.bareReferences() {
		if m.path != name {
			continue
		}
		before, _ := around(body, m.start, m.end)
		if tail := strings.TrimRight(before, opening); writing().MatchString(before) && !pointing().MatchString(tail) && !interpreted().MatchString(tail) {
			return true
		}
	}
	for from := 0; ; {
		i := strings.Index(body[from:], name)
		if i < 0 {
			return false
		}
		before := strings.TrimRight(body[max(from+i-24, 0):from+i], " \"'./=")
		if intoFile().MatchString(before) {
			return true
		}
		from += i + len(name)
	}
}
