package launcher

import (
	"cmp"
	"slices"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// ahead begins to make namespaces for a command that has no network, as nearly all have. A sandbox
// that needs others makes them then.
func (l *Launcher) ahead() *sandbox.Prepared {
	if l.policy.Settings().Network == pathguard.NetOn || l.level() != sandbox.Strong {
		l.Release()
		return nil
	}
	if n := l.early; n != nil {
		l.early = nil
		return n
	}
	return sandbox.Prepare(sandbox.Off)
}

// profile turns the rights of the plan into kernel rules. Files that the plan holds open are passed
// on open: the inode that was judged is the inode that is allowed.
//
// Folders of tool caches that the command uses and that are not there yet are made.
//
// Exposed are the protected files that it keeps as they are, and those beyond maxKept that it does
// not.
//
// Where an agent's program put a text around the command, the rules are those of the command that
// was judged, and what the text writes and reads besides.
//
// Folder is that of the agent that a session is for; "" for none.
func (j *Judgement) profile(folder string) (p sandbox.Profile, exposed []string, g gaps) {
	s := j.subject()
	f := s.policy.Fence(s.Plan)
	own := len(f.Write)
	if s != j {
		j.around(&f)
	}
	return s.kernelRules(f, f.Write[own:], folder)
}

// kernelRules are those of the command; noted is what of f the text around it writes.
func (j *Judgement) kernelRules(f pathguard.Fence, noted []pathguard.Grant,
	folder string) (p sandbox.Profile, exposed []string, lacks gaps) {
	p = sandbox.Readable(without(f.Hide, f.Reveal)...)
	for _, name := range f.Needed {
		p.Read = append(p.Read, sandbox.Path{Name: name, Optional: true})
	}
	shared := j.sharedDirs()
	made, err := makeCaches(f.Caches)
	lacks = gaps{f.Partial, err, made}
	for _, g := range f.Write {
		w, ok := writable(g, f.Exact)
		if !ok || j.isShared(g, shared) {
			continue
		}
		if p.Write = append(p.Write, w); g.Cache {
			lacks.caches = append(lacks.caches, w)
		}
	}
	p.Write = append(p.Write, made...)
	j.opens(&p, folder)
	exposed = j.exposed(p)
	p.ReadOnly = append(f.ReadOnly, exposed[:min(len(exposed), maxKept)]...)
	contacts := j.contacts()
	p.Network, p.Reach, p.Limits = contacts.mode, contacts.reach, j.limits()
	if p.PrivateTmp = j.policy.Settings().PrivateTmp; j.seesShared() {
		j.shares(&p, f, noted, shared)
	}
	work := cmp.Or(j.Plan.Workspace, j.Plan.Dir)
	if p.PrivateTmp || pathname.Within(work, "/dev/shm") {
		// a workspace among what is private to the run stays where it is
		p.Read = append(p.Read, sandbox.Path{Name: work})
	}
	p.Terminals = true // tmux, script, expect and the agents themselves make them
	p.Require, p.Most = sandbox.Base, j.level
	if f.Require == pathguard.Strong {
		p.Require = sandbox.Strong
	}
	return p, exposed, lacks
}

// writable is one grant as a rule, if the kernel has one for it. A name that is made or
// deleted needs its directory: there is no right to one name. Where that directory holds more
// than the names are worth, it is given only to programs that do what their words say and
// nothing else; the others may change an existing file in place, and fail at the rest.
func writable(g pathguard.Grant, exact bool) (p sandbox.Path, ok bool) {
	switch {
	case !g.Entry:
		return sandbox.Path{Name: g.Path, File: g.File}, true
	case !g.Broad || exact:
		return sandbox.Path{Name: g.Parent, File: g.Dir}, g.Parent != ""
	case g.Missing == "":
		return sandbox.Path{Name: g.Path, File: g.File}, true
	}
	return sandbox.Path{}, false
}

// without drops what was revealed from what is hidden.
func without(hide []string, reveal []pathguard.Grant) []string {
	var out []string
	for _, h := range hide {
		revealed := false
		for _, g := range reveal {
			revealed = revealed || g.Path == h
		}
		if !revealed {
			out = append(out, h)
		}
	}
	return out
}

// opens adds to the sandbox what the session of an agent has beside the workspace.
func (j *Judgement) opens(p *sandbox.Profile, folder string) {
	if j.client == nil {
		return
	}
	p.Write = append(p.Write, sandbox.Path{Name: folder})
	for _, name := range j.client.Logins {
		p.Hide = slices.DeleteFunc(p.Hide, func(hidden string) bool { return hidden == name })
		p.Write = append(p.Write, sandbox.Path{Name: name, Optional: true})
	}
}
