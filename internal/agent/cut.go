package agent

import "fmt"

// maxResult is how many bytes of a call's result are kept: it is sent with
// every request that follows.
const maxResult = 256 << 10

// cutMiddle returns a text of at most most bytes, and of what says how much of
// it is left out: its beginning, where a text says what it is about, and its
// end, where programs say what came of it.
func cutMiddle(text string, most int) (short string, cut bool) {
	if len(text) <= most {
		return text, false
	}
	head := wholeRunes(text[:most/4*3])
	tail := text[len(text)-most/4:]
	for i := 0; i < len(tail) && i < 4; i++ {
		if tail[i]&0xC0 != 0x80 { // the first byte of a character
			tail = tail[i:]
			break
		}
	}
	return fmt.Sprintf("%s\n… (%d bytes left out) …\n%s", head, len(text)-len(head)-len(tail), tail), true
}
