package settings

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/integration/hook"
)

// A syntax is what a platform accepts in its files besides strict JSON, found by trying. If a file
// has more than that, some platforms silently ignore all of it; others do not start.
type syntax struct{ comments, lastCommas, byteOrderMark bool }

// syntaxOf reads the words for the syntax of a platform.
func syntaxOf(words []string) syntax {
	return syntax{
		comments:      slices.Contains(words, "comments"),
		lastCommas:    slices.Contains(words, "lastCommas"),
		byteOrderMark: slices.Contains(words, "byteOrderMark"),
	}
}

// read returns an error for a document that the platform does not accept.
func (p Place) read(data []byte) error {
	t, err := parse(data)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		reads bool
		what  string
		at    int // the first place, -1 for none
	}{
		{p.reads.byteOrderMark, "a byte order mark",
			bytes.Index(data[:min(len(data), len(hook.BOM))], hook.BOM)},
		{p.reads.comments, "comments", t.comment()},
		{p.reads.lastCommas, "a comma after the last value", differs(t.plain, t.strict)},
	} {
		if !c.reads && c.at >= 0 {
			line := 1 + bytes.Count(data[:c.at], []byte("\n"))
			return fmt.Errorf("%s does not read a file with %s (line %d), %w; take that out, then "+
				"run this again", p.Platform, c.what, line, ErrUnread)
		}
	}
	return nil
}

// comment returns the first comment.
func (t *document) comment() int {
	start := len(t.data) - len(bytes.TrimPrefix(t.data, hook.BOM))
	if i := differs(t.data[start:], t.plain[start:]); i >= 0 {
		return start + i
	}
	return -1
}

// differs returns the first position at which two texts of the same length differ, or -1.
func differs(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
