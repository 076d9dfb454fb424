package network

import (
	_ "embed"
	"path"
	"slices"
	"strings"
)

// A Daemon is a program outside of the run that listens at a Unix socket.
type Daemon struct {
	Name   string // of the socket, links resolved
	Hidden bool   // from the run, as are the keys of the daemons that use them
	Listener
}

// systemUsers is the number below which accounts are of services (SYS_UID_MAX of login.defs(5)).
const systemUsers = 1000

// WantsDaemon is the question about a Unix socket of another program. If there is none, why says
// so for the record; "" for a socket that libraries try by themselves, and do without.
func (g *Gate) WantsDaemon(d Daemon, own uint32) (w Want, why string, ok bool) {
	gives, never := daemonGives(d.Name)
	switch {
	case never, d.Hidden && gives == "":
		return w, "", false
	case !g.Asks() || g.reach.Daemons == nil:
		return w, "sockets of other programs are out of reach", false
	case d.UID != own && d.UID >= systemUsers:
		return w, "another user's program listens there", false
	}
	list := holders(d.Listener)
	if !g.reach.Daemons(d.Name, list) {
		return w, "no command may connect to it", false
	}
	w.Host, w.Leads = d.Name, ofUser(d.Listener)
	var programs []string
	for _, h := range list {
		// the first process listens for others
		if text := h.String(); (h.PID != 1 || len(list) == 1) && !slices.Contains(programs, text) {
			programs = append(programs, text)
		}
	}
	if len(programs) > 0 {
		slices.Sort(programs)
		w.Leads = strings.Join(programs, " and ")
	}
	if gives != "" {
		w.Leads += "; " + gives
	}
	return w, "", true
}

//go:embed daemons.txt
var daemonText string

// daemonGives returns what a connection to a Unix socket gives, as far as that is known, and
// whether no one is asked about it.
func daemonGives(name string) (gives string, never bool) {
	for line := range strings.Lines(daemonText) {
		patterns, what, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for pattern := range strings.FieldsSeq(patterns) {
			if isDaemon(name, pattern) {
				return what, what == "never"
			}
		}
	}
	return "", false
}

// isDaemon reports whether a pattern means a name: the end of it, by as many parts as the pattern
// has, or all of it.
func isDaemon(name, pattern string) bool {
	if !path.IsAbs(pattern) {
		parts := strings.Split(name, "/")
		name = strings.Join(parts[max(0, len(parts)-strings.Count(pattern, "/")-1):], "/")
	}
	is, _ := path.Match(pattern, name)
	return is
}
