package resolve

import (
	"crypto/sha256"
	"encoding/hex"
)

// NamedFacts returns the parts of [Plan.Facts] that the world decides, each under a name that a
// person understands, as a hash: two plans of one text that differ differ in at least one of them.
// It is for saying what changed, and binds nothing.
func (p *Plan) NamedFacts() map[string]string {
	named := map[string][]byte{}
	add := func(name string, put func(*Facts)) {
		f := Facts(named[name])
		put(&f)
		named[name] = f
	}
	add("folder at the name of the directory", func(f *Facts) { f.place(p.Dir, p.DirID) })
	add("workspace", func(f *Facts) { f.Texts(p.Workspace) })
	for i := range p.Programs {
		add("program "+p.Programs[i].Name, func(f *Facts) { f.program(&p.Programs[i]) })
	}
	for i := range p.Globs {
		add("pattern "+p.Globs[i].Pattern, func(f *Facts) { f.glob(&p.Globs[i]) })
	}
	for i := range p.Limits {
		add("limit "+p.Limits[i].What, func(f *Facts) { f.limit(&p.Limits[i]) })
	}
	p.nameReached(add)
	out := make(map[string]string, len(named))
	for name, f := range named {
		sum := sha256.Sum256(f)
		out[name] = hex.EncodeToString(sum[:8])
	}
	return out
}

func (p *Plan) nameReached(add func(string, func(*Facts))) {
	for i := range p.Targets {
		add("file "+p.Targets[i].Name, func(f *Facts) { f.target(&p.Targets[i]) })
	}
	for i := range p.Contents {
		add("file "+p.Contents[i].Path, func(f *Facts) { f.content(&p.Contents[i]) })
	}
	add("network", func(f *Facts) { f.hosts(p) })
	for i := range p.Inner {
		p.Inner[i].Plan.nameReached(add)
	}
}
