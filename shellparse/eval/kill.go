package eval

import (
	"slices"
	"strings"
)

// byTable is a builtin that the command table describes like a program.
func (w *commands) byTable(s *state, c *call) worlds {
	spec, ok := w.spec(c.words[0].Text)
	u := spec.Match(c.argv)
	if ok && w.cmd >= 0 {
		w.out.Commands[w.cmd].ReadOnly = u.ReadOnly
	}
	w.use(s, c, u, c.words[0].Text)
	w.foreignProcesses(c)
	return worlds{s}
}

// listings are programs that print the numbers of processes which this shell did not start.
var listings = []string{"pgrep", "pidof", "lsof", "fuser", "ps", "ss", "netstat", "awk", "docker",
	"systemctl"}

// foreignProcesses finds processes that this shell did not start: kill(1) is given the output of
// a listing, or the parent of the shell.
func (w *commands) foreignProcesses(c *call) {
	if len(c.words) > 1 && c.words[1].Text == "-0" {
		return
	}
	for i, word := range c.words {
		program, listed := strings.CutPrefix(word.Why, "the output of ")
		if listed && slices.Contains(listings, program) || strings.HasPrefix(word.Why, "$PPID ") {
			w.listedHazard("proc.kill", c.at(i))
			return
		}
	}
}
