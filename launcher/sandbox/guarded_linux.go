//go:build amd64 || arm64

package sandbox

import "slices"

// At Base what is hidden or kept as it is in a writable tree has no mount over it. Landlock grants
// the rights on the tree's other entries one by one, and the broker does the rest: see
// [broker.Guard].

// hideable refuses a profile that Landlock alone cannot express, where there is no broker: what is
// hidden in a writable tree. A tree that is hidden itself is refused anyway.
func (b *builder) hideable() error {
	if b.level >= Strong {
		return nil
	}
	guarded := b.mediated().Guard != nil
	for _, w := range b.profile.Write {
		for _, h := range b.hidden {
			if h == w.Name || !guarded && within(h, w.Name) {
				return &CannotHideError{Path: h, Root: w.Name, Level: b.level}
			}
		}
	}
	return nil
}

// allowWriting grants all rights on a writable tree but for what is guarded in it.
func (b *builder) allowWriting(w Path) error {
	g := b.mediated().Guard
	if g == nil {
		return b.files.allowPath(w, fsRead|fsExec|fsWrite)
	}
	if inside(g.Keep, w.Name) {
		return b.files.allowAround(w, around{rights: fsRead | fsExec}, b.hidden)
	}
	if !slices.Contains(g.Trees, w.Name) {
		return b.files.allowPath(w, fsRead|fsExec|fsWrite)
	}
	err := b.files.allowAround(w, around{rights: fsRead | fsExec}, below(b.hidden, w.Name))
	if err != nil {
		return err
	}
	return b.files.allowAround(w, around{rights: fsWrite, ruled: g.Ruled},
		append(below(b.hidden, w.Name), below(b.kept, w.Name)...))
}
