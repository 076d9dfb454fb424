package session

import (
	"fmt"
	"slices"
	"strings"
)

const (
	denyKeys = "nN"
	quitKeys = "qQ"
	pageKeys = "vbfjkgG"
)

// A question is the state of one Ask, without a terminal: keys in, text out.
type question struct {
	options AskOptions
	render  func(width int, full bool) string

	pager      pager
	cols, rows int
	full       bool
	open       bool // the guard time is over
	early      bool // an answer came before
	entry      []rune
	missed     int
}

// resize lays the text out for a screen.
func (q *question) resize(cols, rows int) {
	q.cols, q.rows = cols, rows
	q.pager.lay(q.render(cols, q.full), cols, rows)
}

// press handles one key. alone says that it came by itself, as a person's key does and a paste does
// not. done is false while the question stays open.
func (q *question) press(key rune, alone bool) (reply Reply, done bool) {
	if q.command(key) && strings.ContainsRune(denyKeys, key) {
		return Reply{Denied, key}, true
	}
	if q.command(key) && strings.ContainsRune(quitKeys, key) {
		return Reply{Key: key}, true
	}
	if q.command(key) && (q.options.Challenge == "" || key == 'v') && q.turn(key) {
		return Reply{}, false
	}
	switch key {
	case keyEscape:
		return Reply{Key: escape}, true
	case ctrlC, ctrlD, quit:
		return Reply{Key: key}, true
	case tab:
		q.turn('v')
		return Reply{}, false
	}
	if q.scroll(key) {
		return Reply{}, false
	}
	if !q.open {
		q.early = q.early || plainKey(key)
		return Reply{}, false
	}
	if slices.Contains(q.options.Others, key) && q.command(key) && alone {
		return Reply{Chosen, key}, true
	}
	if q.options.Challenge != "" {
		return q.enter(key)
	}
	if key == q.options.Approve && alone && q.whole() {
		return Reply{Approved, key}, true
	}
	return Reply{}, false
}

// whole reports whether all that an approval is about was on the screen.
func (q *question) whole() bool {
	return q.pager.whole() && (q.full || !q.options.Details)
}

// command reports whether a letter is a command and not part of a challenge.
func (q *question) command(key rune) bool {
	return q.options.Challenge == "" ||
		len(q.entry) == 0 && !strings.ContainsRune(q.options.Challenge, key)
}

// enter takes one character of a challenge. Enter never ends it: the last character does.
func (q *question) enter(key rune) (reply Reply, done bool) {
	want := []rune(q.options.Challenge)
	switch {
	case key == backspace || key == del:
		q.entry = q.entry[:max(0, len(q.entry)-1)]
		return Reply{}, false
	case key == ctrlU:
		q.entry = nil
		return Reply{}, false
	case !plainKey(key) || !q.whole():
		return Reply{}, false
	}
	q.entry = append(q.entry, key)
	if len(q.entry) < len(want) {
		return Reply{}, false
	}
	if slices.Equal(q.entry, want) {
		return Reply{Answer: Approved}, true
	}
	q.entry = nil
	q.missed++
	return Reply{}, q.missed == maxTries
}

// turn handles the letters that page.
func (q *question) turn(key rune) bool {
	page := max(q.pager.height-1, 1)
	switch key {
	case 'v':
		q.full = !q.full
		q.resize(q.cols, q.rows)
	case 'f':
		q.pager.move(page)
	case 'b':
		q.pager.move(-page)
	case 'j':
		q.pager.move(1)
	case 'k':
		q.pager.move(-1)
	case 'g':
		q.pager.move(-len(q.pager.lines))
	case 'G':
		q.pager.move(len(q.pager.lines))
	default:
		return false
	}
	return true
}

// scroll handles the keys that page and are no letters.
func (q *question) scroll(key rune) bool {
	letter, ok := map[rune]rune{
		' ': 'f', keyPageDown: 'f', keyPageUp: 'b', keyDown: 'j', keyUp: 'k', keyHome: 'g',
		keyEnd: 'G',
	}[key]
	return ok && q.turn(letter)
}

// screen returns the rows to show: the window, the position in a text that is longer, and the line
// that lists the keys. The cursor belongs at the end of the last one.
func (q *question) screen() []string {
	rows := slices.Clone(q.pager.window())
	if at := q.pager.position(); at != "" {
		rows = append(rows, cut(at, q.cols))
	}
	return append(rows, cut(q.help(), q.cols))
}

func (q *question) help() string {
	switch {
	case q.options.Details && !q.full:
		more := ""
		if !q.pager.whole() {
			more = "space: more  "
		}
		return q.hinted(more + "v: details first  n: deny  q: cancel")
	case !q.pager.whole():
		return q.hinted("space: more  v: details  n: deny  q: cancel")
	case !q.open && q.early:
		return "too early to have been read; ignored  n: deny  q: cancel"
	case !q.open:
		return "read it first  n: deny  q: cancel  v: details"
	case q.options.Challenge == "":
		return q.hinted(fmt.Sprintf("%c: approve  n: deny  q: cancel  v: details",
			q.options.Approve))
	}
	help := fmt.Sprintf("type %s to approve%s", q.options.Challenge, q.otherwise())
	switch {
	case len(q.entry) > 0:
	case q.missed > 0:
		help = "that did not match; " + help
	default:
		help = q.hinted(help)
	}
	return help + ": " + string(q.entry)
}

// hinted adds the further keys that there is room for, and for what is typed.
func (q *question) hinted(help string) string {
	for key := range strings.SplitSeq(q.options.Hint, "  ") {
		if key == "" || q.cols > 0 && len(help)+len("  : ")+len(key) >= q.cols {
			break
		}
		help += "  " + key
	}
	return help
}

// otherwise says what can be done besides. A letter of the challenge is not a command.
func (q *question) otherwise() string {
	keys := ""
	if q.command('n') {
		keys += "  n: deny"
	}
	keys += "  Esc: cancel"
	if q.command('v') {
		keys += "  v: details"
	}
	return keys
}

// cut keeps a line from being wrapped; the last cell stays free for the cursor.
func cut(line string, cols int) string {
	if len(line) < cols || cols <= 0 {
		return line
	}
	return line[:cols-1]
}
