package resolve

import (
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
	f := make(Facts, 0, 1024)
	s := p.Script
	f.Texts(s.Text, s.Canonical)
	f.Number(int64(s.Dialect))
	f.Flag(s.Plain)
	f.list(s.Argv)
	f.place(p.Dir, p.DirID)
	f.Texts(p.Workspace)
	f.Number(int64(p.Caller.UID))
	Each(&f, p.Programs, (*Facts).program)
	Each(&f, p.Globs, (*Facts).glob)
	Each(&f, p.Limits, (*Facts).limit)
	f.reached(p)
	return f
}

// reached is what a line, or a file that it executes, comes to. The text of a file is bound by
// its hash, and what is read in it depends on that and on the words of the command line alone.
func (f *Facts) reached(p *Plan) {
	Each(f, p.Targets, (*Facts).target)
	Each(f, p.Contents, (*Facts).content)
	f.hosts(p)
	Each(f, p.Inner, (*Facts).inner)
}

func (f *Facts) inner(in *Inner) {
	f.Texts(in.Path)
	f.Number(int64(in.Command))
	f.reached(in.Plan)
}

func (f *Facts) target(t *Target) {
	f.Number(int64(t.Right))
	f.Number(int64(t.Flags))
	f.Texts(t.Name, t.Missing)
	f.place(t.Real, t.ID)
	f.Flag(t.Exists)
	f.Number(int64(t.Mode))
	f.list(t.Links)
	f.Number(int64(t.Kind))
	f.Flag(t.Unknown)
}

func (f *Facts) program(p *Program) {
	f.Texts(p.Name, p.Path, p.Sum)
	f.place(p.Real, p.ID)
	f.Number(p.Size)
	f.Number(p.ModTime)
	f.Number(int64(p.Mode))
}

// content binds a file by its content; the time is used only if there is no hash.
func (f *Facts) content(c *Content) {
	f.place(c.Path, c.ID)
	f.Number(c.Size)
	f.Texts(c.Sum, c.Why)
	if c.Sum == "" {
		f.Number(c.ModTime)
	}
}

func (f *Facts) glob(g *Glob) {
	f.Number(int64(g.Effect))
	f.Texts(g.Pattern)
	f.Number(int64(g.Count))
	f.Number(int64(g.Kept))
}

func (f *Facts) limit(l *Limit) {
	f.Texts(l.What)
	f.Number(int64(l.Count))
	f.Number(int64(l.Effect))
}

func (f *Facts) hosts(p *Plan) {
	var nets []*shellparse.Endpoint
	for i := range p.Script.Effects {
		if e := &p.Script.Effects[i]; e.Right == command.Net {
			nets = append(nets, e.Net)
		}
	}
	Each(f, nets, func(f *Facts, n **shellparse.Endpoint) {
		f.Flag(*n != nil)
		if n := *n; n != nil {
			f.Texts(n.Scheme, n.Host)
			f.Number(int64(n.Port))
			f.Flag(n.Static)
			f.Flag(n.Upload)
			f.Texts(n.Repository)
		}
	})
	if len(p.Registries) > 0 {
		Each(f, p.Registries, func(f *Facts, g *Registry) {
			f.Texts(g.Name, g.Host, g.From)
			f.Flag(g.Asks)
		})
	}
}
