package pathguard

import "github.com/tada-run/tada-run/pathguard/resolve"

// Facts returns what the plan may reach as bytes to be hashed, in the form of [Plan.Facts].
func (f *Fence) Facts() []byte {
	b := make(resolve.Facts, 0, 256)
	for _, grants := range [][]Grant{f.Write, f.Reveal} {
		resolve.Each(&b, grants, func(b *resolve.Facts, g *Grant) {
			b.Texts(g.Path, g.Missing)
			b.Flag(g.Tree)
		})
	}
	b.Flag(f.Exact)
	b.Number(int64(f.Require))
	return b
}
