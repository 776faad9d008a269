package spec

import (
	"bytes"
)

// Batch files and Perl are searched line by line: their quoting is hard to
// follow, so only lines that leave no doubt count.

var (
	batchComment = newPattern(`(?i)^[ \t]*@?(?:rem\b|::)`)
	batchQuoted  = newPattern(`"[^"]*"`)
	batchAsks    = newPattern(`(?i)(?:^|[^^]&)[ \t]*[(@]?[ \t]*(?:(?:if|else)[ \t](?:[^&|<]*[ \t)(])?)?(pause(?:[ \t]*$|[ \t]*[&)>])|set[ \t]+/p[ \t"]|choice[ \t]+/)([^&|]*)`)
	batchEchoes  = newPattern(`(?i)\b(?:echo|title|call|goto|start)\b`)
	batchTimes   = newPattern(`(?i)/t\b`)
)

// batchPrompts finds pause, set /p and choice where a command starts, unless
// something is piped or redirected into them, or their time is limited. Files
// that look how they were started know whether somebody is there.
func batchPrompts(src, _ []byte) []prompt {
	var out []prompt
	if bytes.Contains(lowerASCII(src), []byte("cmdcmdline")) {
		return nil
	}
	eachLine(src, func(line []byte, start int) {
		if batchComment().Match(line) {
			return
		}
		line = batchQuoted().ReplaceAllFunc(line, func(q []byte) []byte { // of the same length
			return append(append([]byte{'"'}, bytes.Repeat([]byte{'_'}, len(q)-2)...), '"')
		})
		at := batchAsks().FindSubmatchIndex(line)
		if at == nil || len(out) == maxPrompts || bytes.IndexByte(line[at[2]:at[5]], '<') >= 0 || batchTimes().Match(line[at[4]:at[5]]) ||
			batchEchoes().Match(line[at[0]:at[2]]) {
			return
		}
		end := at[2] + len(bytes.TrimRight(line[at[2]:at[3]], " \t\"&)>/"))
		out = append(out, prompt{start + at[2], start + end})
	})
	return out
}

var (
	perlReads  = newPattern(`^[ \t]*(print\b[^;]*;[ \t]*)?(?:chomp[ \t]*\(?[ \t]*)?(?:(?:my|our)\b[ \t]*)?\(?[ \t]*\$\w+[ \t]*\)?[ \t]*=[ \t]*(<STDIN>)`)
	perlPrints = newPattern(`^[ \t]*print\b[ \t(]*["'].*["'][ \t)]*;`)
	perlAside  = newPattern(`^[ \t]*(?:#|\$\||$)`)
)

// perlPrompts finds a line that is read from standard input just after a text
// without a line break was printed: the prompt for it.
func perlPrompts(src, _ []byte) []prompt {
	var out []prompt
	var before []byte // the line before, comments left out
	pod, ended := false, bytes.Contains(src, []byte("-t STDIN"))
	eachLine(src, func(line []byte, start int) {
		switch {
		case ended || bytes.HasPrefix(line, []byte("__END__")) || bytes.HasPrefix(line, []byte("__DATA__")):
			ended = true
			return
		case len(line) > 1 && line[0] == '=' && isASCIILetter(line[1]):
			pod = !bytes.HasPrefix(line, []byte("=cut"))
			return
		case pod || perlAside().Match(line):
			return
		}
		if at := perlReads().FindSubmatchIndex(line); at != nil && len(out) < maxPrompts {
			asked := before
			if at[2] >= 0 {
				asked = line[at[2]:at[3]]
			}
			if perlPrints().Match(asked) && !bytes.Contains(asked, []byte(`\n`)) {
				out = append(out, prompt{start + at[4], start + at[5]})
			}
		}
		before = line
	})
	return out
}

// eachLine calls yield for every line, without its end, and where it starts.
func eachLine(src []byte, yield func(line []byte, start int)) {
	for start := 0; start < len(src); {
		line, _, _ := bytes.Cut(src[start:], []byte("\n"))
		yield(bytes.TrimSuffix(line, []byte("\r")), start)
		start += len(line) + 1
	}
}
