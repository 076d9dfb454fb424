package pathguard

import (
	"crypto/sha256"
	"encoding/hex"
)

// NamedFacts returns the parts of [Plan.Facts] that the world decides, each under a name that a
// person understands, as a hash: two plans of one text that differ differ in at least one of them.
// It is for saying what changed, and binds nothing.
func (p *Plan) NamedFacts() map[string]string {
	named := map[string][]byte{}
	add := func(name string, put func(*facts)) {
		f := facts(named[name])
		put(&f)
		named[name] = f
	}
	add("folder at the name of the directory", func(f *facts) { f.place(p.Dir, p.DirID) })
	add("workspace", func(f *facts) { f.texts(p.Workspace) })
	for i := range p.Programs {
		add("program "+p.Programs[i].Name, func(f *facts) { f.program(&p.Programs[i]) })
	}
	for i := range p.Globs {
		add("pattern "+p.Globs[i].Pattern, func(f *facts) { f.glob(&p.Globs[i]) })
	}
	for i := range p.Limits {
		add("limit "+p.Limits[i].What, func(f *facts) { f.limit(&p.Limits[i]) })
	}
	p.nameReached(add)
	out := make(map[string]string, len(named))
	for name, f := range named {
		sum := sha256.Sum256(f)
		out[name] = hex.EncodeToString(sum[:8])
	}
	return out
}

func (p *Plan) nameReached(add func(string, func(*facts))) {
	for i := range p.Targets {
		add("file "+p.Targets[i].Name, func(f *facts) { f.target(&p.Targets[i]) })
	}
	for i := range p.Contents {
		add("file "+p.Contents[i].Path, func(f *facts) { f.content(&p.Contents[i]) })
	}
	add("network", func(f *facts) { f.hosts(p) })
	for i := range p.Inner {
		p.Inner[i].Plan.nameReached(add)
	}
}
