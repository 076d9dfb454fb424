//go:build linux

package integration

import (
	"strings"
	"testing"
)

// The notice that a command needs approval leaves every screen when the question is answered, here
// or elsewhere: a person who reads it later would look for a question that is not there.
func TestAnsweredQuestionLeavesTheScreens(t *testing.T) {
	t.Parallel()
	d, a, id := inside(t, 120, 40)
	const asks = "a command needs your approval"
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
	c.line("tadactl attach " + id)
	c.shows(asks) // also to those that attach while it is open
	c.types("", "C-]", "d")
	a.types("", "C-]", "a")
	a.shows("to approve")
	a.types("", "Escape") // leaving it does not deny it
	a.shows("left without an answer")
	b.shows(asks)
	a.types("", "C-]", "a")
	a.shows("to approve")
	a.types("", "n")
	a.shows("denied by the user")
	gone(a)
	gone(b)

	b.types("", "C-]", "a")
	b.shows("no new question here")
	a.line("git push origin third")
	b.shows(asks)
	b.types("", "C-]", "a")
	b.shows("to approve")
	b.types("", "n")
	b.shows("denied by the user")
	gone(a)
	gone(b)
	b.types("", "C-]", "d")
	a.line("exit 3")
	a.shows("outer>")
}

// A person who leaves a session while a program fills the screen gets back the screen that she came
// from.
func TestDetachGivesTheScreenBack(t *testing.T) {
	t.Parallel()
	_, a, id := inside(t, 80, 24)
	a.line("echo be''fore")
	a.shows("\nbefore")
	a.line(`printf '\033[?10%s\033[Hfull %s' 49h screen; read -r x; printf '\033[?1049l'`)
	a.until("only the program", func(s string) bool {
		return strings.HasPrefix(s, "full screen") && !strings.Contains(s, "before")
	})
	a.types("", "C-]", "d")
	a.shows("still running")
	a.until("what was there before", func(s string) bool {
		return strings.Contains(s, "\nbefore") &&
			strings.Contains(s, "\ntada-run: detached; session") &&
			!strings.Contains(s, "full screen")
	})
	a.line("tadactl attach " + id)
	a.shows("Ctrl-] for keys")
	a.types("", "C-]", "t")
	a.shows("You are in control")
	a.types("", "Enter")
	a.line("exit 3")
	a.shows("ended with status 3")
}
