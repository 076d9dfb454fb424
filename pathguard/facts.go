package pathguard

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// Facts returns everything about the plan that an approval binds, as bytes to be hashed: two
// plans whose facts are equal do the same to the same files, and the same plan always has the
// same. Every text has its length before it and every list its count, so that no two plans have
// their bytes in common.
//
// The environment is not in it, because the launcher decides which of its values are shown
// and which are hashed; nor is what only the launcher knows: shell, umask, terminal. Nor are
// Target.Others and Target.Linked: they count names elsewhere, which come and go without a
// change of what the plan does. What they change is the verdict, and its reasons, with the
// name and the count in them, are hashed beside the facts.
func (p *Plan) Facts() []byte {
	f := make(facts, 0, 1024)
	s := p.Script
	f.texts(s.Text, s.Canonical)
	f.number(int64(s.Dialect))
	f.flag(s.Plain)
	f.list(s.Argv)
	f.place(p.Dir, p.DirID)
	f.texts(p.Workspace)
	f.number(int64(p.Caller.UID))
	each(&f, p.Programs, (*facts).program)
	each(&f, p.Globs, (*facts).glob)
	each(&f, p.Limits, (*facts).limit)
	f.reached(p)
	return f
}

// Facts returns what the fence grants, as bytes to be hashed, in the way of [Plan.Facts].
func (f *Fence) Facts() []byte {
	b := make(facts, 0, 256)
	for _, grants := range [][]Grant{f.Write, f.Reveal} {
		each(&b, grants, func(b *facts, g *Grant) {
			b.texts(g.Path, g.Missing)
			b.flag(g.Tree)
		})
	}
	b.flag(f.Exact)
	b.number(int64(f.Require))
	return b
}

// facts are bytes in the making.
type facts []byte

func each[T any](f *facts, items []T, put func(*facts, *T)) {
	f.number(int64(len(items)))
	for i := range items {
		put(f, &items[i])
	}
}

func (f *facts) texts(texts ...string) {
	for _, s := range texts {
		*f = append(binary.AppendUvarint(*f, uint64(len(s))), s...)
	}
}

func (f *facts) number(n int64) { *f = binary.AppendVarint(*f, n) }

func (f *facts) flag(b bool) {
	if b {
		*f = append(*f, 1)
		return
	}
	*f = append(*f, 0)
}

func (f *facts) list(words []string) {
	f.number(int64(len(words)))
	f.texts(words...)
}

// place is a path and the inode that stood there.
func (f *facts) place(path string, id ID) {
	f.texts(path)
	*f = binary.AppendUvarint(*f, id.Dev)
	*f = binary.AppendUvarint(*f, id.Ino)
}

// reached is what a line, or a file that it executes, comes to. The text of a file is bound by
// its hash, and what is read in it depends on that and on the words of the command line alone.
func (f *facts) reached(p *Plan) {
	each(f, p.Targets, (*facts).target)
	each(f, p.Contents, (*facts).content)
	f.hosts(p)
	each(f, p.Inner, (*facts).inner)
}

func (f *facts) inner(in *Inner) {
	f.texts(in.Path)
	f.number(int64(in.Command))
	f.reached(in.Plan)
}

func (f *facts) target(t *Target) {
	f.number(int64(t.Right))
	f.number(int64(t.Flags))
	f.texts(t.Name, t.Missing)
	f.place(t.Real, t.ID)
	f.flag(t.Exists)
	f.number(int64(t.Mode))
	f.list(t.Links)
	f.number(int64(t.Kind))
	f.flag(t.Unknown)
}

func (f *facts) program(p *Program) {
	f.texts(p.Name, p.Path, p.Sum)
	f.place(p.Real, p.ID)
	f.number(p.Size)
	f.number(p.ModTime)
	f.number(int64(p.Mode))
}

// content binds a file by what is in it; the time stands in only where no hash can.
func (f *facts) content(c *Content) {
	f.place(c.Path, c.ID)
	f.number(c.Size)
	f.texts(c.Sum, c.Why)
	if c.Sum == "" {
		f.number(c.ModTime)
	}
}

func (f *facts) glob(g *Glob) {
	f.number(int64(g.Effect))
	f.texts(g.Pattern)
	f.number(int64(g.Count))
	f.number(int64(g.Kept))
}

func (f *facts) limit(l *Limit) {
	f.texts(l.What)
	f.number(int64(l.Count))
	f.number(int64(l.Effect))
}

func (f *facts) hosts(p *Plan) {
	var nets []*shellparse.Endpoint
	for i := range p.Script.Effects {
		if e := &p.Script.Effects[i]; e.Right == command.Net {
			nets = append(nets, e.Net)
		}
	}
	each(f, nets, func(f *facts, n **shellparse.Endpoint) {
		f.flag(*n != nil)
		if n := *n; n != nil {
			f.texts(n.Scheme, n.Host)
			f.number(int64(n.Port))
			f.flag(n.Static)
			f.flag(n.Upload)
		}
	})
	names := slices.Sorted(maps.Keys(p.Remotes))
	each(f, names, func(f *facts, name *string) {
		remote := p.Remotes[*name]
		f.texts(*name, remote.Scheme, remote.Host)
		f.number(int64(remote.Port))
	})
}
