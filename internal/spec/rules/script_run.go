package rules

// A script that is started directly needs two things of its file: a first line that the
// system can read, and the executable bit. A script that a command gives to its
// interpreter needs neither, so the commands of the skill decide.

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"skills/internal/lazyregexp"
	"skills/internal/printable"
	"skills/internal/spec"
	"skills/internal/spec/references"
)

var scriptRun = &spec.Rule{
	ID:     "script-run",
	Title:  "scripts invoked directly are executable",
	Level:  spec.Warning,
	Needs:  spec.NeedsBody,
	Source: "the kernel's rules for starting a file; agentskills.io, using scripts",
	Fix:    "sets the executable bit of a script with a shebang, and ends lines with LF if the shebang ends in CR LF",
	Varies: func(spec.Options) bool { return true }, // permissions differ between machines
	Check: func(p *spec.Pass) {
		modes := hasModes(filesOf(p.Doc), p.Doc.File)
		var bare []*text // executable, without a shebang
		for t, language := range scripts(p.Doc) {
			if slices.Contains([]string{"powershell", "batch", "go"}, language) {
				continue // no program is started by a first line
			}
			if checkShebang(p, t, modes) {
				bare = append(bare, t)
			}
		}
		reportBare(p, bare)
		if modes {
			checkRun(p)
		}
	},
}

// hasModes reports whether the file system stores executable bits. If it does
// not, as on Windows, all files have the same mode, or the SKILL.md is
// executable.
func hasModes(files []spec.File, skillFile string) bool {
	varied := false
	for _, f := range files {
		if !f.Mode.IsRegular() {
			continue
		}
		if f.Name == skillFile && f.Mode&0o111 != 0 {
			return false
		}
		if perm := f.Mode.Perm(); perm != 0o666 && perm != 0o444 {
			varied = true
		}
	}
	return varied
}

// checkShebang checks the first line of a script. bare is true if the script is
// executable and has no shebang.
func checkShebang(p *spec.Pass, t *text, modes bool) (bare bool) {
	first, _, _ := bytes.Cut(t.src, []byte("\n"))
	start := bytes.TrimPrefix(first, []byte(byteOrderMark))
	switch {
	case bytes.HasPrefix(first, []byte("#!")):
		// A checkout on Windows gives every file such line ends; the published
		// skill does not have them.
		if bytes.HasSuffix(first, []byte("\r")) && (modes || !bytes.Contains(p.Doc.Source, []byte("\r\n"))) {
			p.ReportIn(t.path(p), t.span(0, len(first)-1), lineFeeds(t), "save the file with LF line ends",
				"the shebang ends in CR LF: the system looks for a program whose name ends in a carriage return")
		}
	case bytes.HasPrefix(start, []byte("#!")):
		t.report(p, 0, len(byteOrderMark), "save the file without a byte order mark", "a byte order mark precedes the shebang and hides it from the system")
	default:
		return modes && t.file.Mode&0o111 != 0 && path.Base(t.name) != "__init__.py" // never started directly
	}
	return false
}

// lineEnds matches the ends of lines in CR LF, and a CR at the end of a file.
var lineEnds = lazyregexp.New(`\r+(?:\n|\z)`)

// lineFeeds returns the fix that ends the lines of a script with LF; nil if the file was
// not read to its end or has very many lines. Reports show edits as they are, so none of
// them holds the text of the script.
func lineFeeds(t *text) *spec.Fix {
	const limit = 2000
	ends := lineEnds().FindAllIndex(t.src, limit+1)
	if int64(len(t.src)) != t.file.Size || len(ends) > limit {
		return nil
	}
	fix := &spec.Fix{Description: "end the lines of " + printable.Quoted(t.name) + " with LF"}
	for _, at := range ends {
		fix.Edits = append(fix.Edits, spec.Edit{File: t.name, Start: at[0], End: at[1], Text: "\n"})
	}
	return fix
}

// reportBare reports the executable scripts without a shebang as one finding.
// It is advice if no command of the skill starts one directly.
func reportBare(p *spec.Pass, bare []*text) {
	if len(bare) == 0 {
		return
	}
	started := map[string]bool{}
	for _, in := range skillOf(p).linkedPages() {
		for _, s := range in.CodeScripts() {
			started[s.Path] = started[s.Path] || !s.Program
		}
		for _, c := range in.Commands() {
			w := c.Words[0]
			if name, ok := strings.CutPrefix(w.Text, "./"); ok && !c.Block && in.Sentence(w.Start, w.End).IsRunInstruction() {
				started[name] = true
			}
		}
	}
	first, report := bare[0], p.AdviseIn
	if i := slices.IndexFunc(bare, func(t *text) bool { return started[t.name] }); i >= 0 {
		first, report = bare[i], p.ReportIn
	}
	report(first.path(p), first.span(0, 0), nil, "start it with a line such as #!/usr/bin/env python3, or remove the executable bit",
		"the script is executable but has no shebang: if it is started directly, a shell runs it%s", andMore(len(bare), "script"))
}

// fromSkill matches the skill's folder in a command: ./, a variable, or a
// placeholder such as {baseDir} or <skill>.
var fromSkill = lazyregexp.New(`^(\./|(\$[A-Za-z_]+|\$?\{[A-Za-z_-]+\}|<[^<>/]+>)/(\./)?)`)

// checkRun checks the commands of the body that start a script of the skill directly.
func checkRun(p *spec.Pass) {
	reported := map[string]bool{}
	for _, c := range skillOf(p).body.Commands() {
		w := c.Words[0]
		name := strings.TrimPrefix(w.Text, fromSkill().FindString(w.Text))
		bare := name == w.Text
		// A path alone in a sentence or a listing names a file. With arguments,
		// in a shell block, or as ./x after "run", it is a command.
		alone := !c.Block && len(c.Words) < 2
		switch {
		case reported[name]:
			continue
		case alone && (bare || !skillOf(p).body.Sentence(w.Start, w.End).IsRunInstruction()):
			continue
		case bare && !strings.Contains(name, "/"), bare && c.Block && c.Lang == "":
			continue
		}
		file, found := fileOf(p.Doc, name)
		if !found || !file.Mode.IsRegular() || file.Mode&0o111 != 0 {
			continue
		}
		t := readText(p.Doc, file)
		if t == nil || strings.Contains(p.Doc.Body, "chmod") {
			continue
		}
		reported[name] = true
		span := p.Doc.BodySpan(w.Start, w.End)
		switch {
		case bytes.HasPrefix(t.src, []byte("#!")):
			fix := &spec.Fix{Description: "make " + printable.Quoted(name) + " executable", Executable: []string{name}}
			p.ReportFix(span, fix, "make it executable (chmod +x), or name its interpreter in the command", "%s is started directly but is not executable", printable.Quote(name))
		case !bare && references.Language(name, t.src) != "": // the agent may choose the interpreter for a bare path
			p.Report(span, "name its interpreter in the command, or add a shebang and make it executable (chmod +x)",
				"%s is started directly but is not executable and has no shebang", printable.Quote(name))
		}
	}
}
