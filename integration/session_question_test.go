//go:build linux

package integration

import (
	"strings"
	"testing"
)

// What says that something inside asks leaves every screen when the question is answered, here or elsewhere: a person who
// reads it later would look for a question that is not there.
func TestAnsweredQuestionLeavesTheScreens(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	a := d.window("a", 120, 40)
	id := a.session("")
	a.shows("inner$")
	const asks = "something inside asks"
	gone := func(w *window) {
		t.Helper()
		w.until("no question", func(s string) bool { return !strings.Contains(s, asks) })
	}

	b := d.window("b", 120, 40)
	b.line("tadactl attach " + id)
	b.shows("Ctrl-] for keys")
	a.line("git push origin main")
	a.shows(asks)
	b.shows(asks)
	c := d.window("c", 100, 40)
	c.line("tadactl deny $(tadactl pending | cut -d' ' -f1) -m 'not to''day'")
	a.shows("not today")
	gone(a)
	gone(b)

	a.line("git push origin other")
	a.shows(asks)
	b.shows(asks)
	a.types("", "C-]", "a")
	a.shows("to approve")
	a.types("", "Escape")
	a.shows("human_denied")
	gone(a)
	gone(b)
	b.types("", "C-]", "d")
	a.line("exit 3")
	a.shows("outer>")
}
