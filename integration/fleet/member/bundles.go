package member

import (
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/state"
)

// Keep stores a bundle in place of the one before it, and reports whether anything changed. Of a
// bundle that is withdrawn, or for other machines, only the version is stored, so that an older one
// cannot come back: for that one the error is document.ErrOldBundle.
func (f Folder) Keep(b document.Bundle, labels document.Labels) (changed bool, err error) {
	next := OnDisk(b)
	if !b.Machines.Selects(labels) {
		next.Text = nil
	}
	known, err := f.home.Bundle(next.Name, next.Trial)
	switch {
	case err != nil: // there is none, or it is damaged
	case next.Version < known.Version:
		return false, fmt.Errorf("bundle %q: %w: its version is %d, that one's %d", b.Name,
			document.ErrOldBundle, next.Version, known.Version)
	case next.Version == known.Version && string(next.Text) != string(known.Text):
		return false, fmt.Errorf("bundle %q: %w: there are two of version %d", b.Name,
			document.ErrOldBundle, next.Version)
	case next.Version == known.Version:
		return false, nil
	}
	if bad := (*state.BundleError)(nil); err != nil && !errors.As(err, &bad) {
		return false, err
	}
	return true, f.home.KeepBundle(next)
}

// OnDisk is a bundle as a machine keeps it.
func OnDisk(b document.Bundle) state.Bundle {
	return state.Bundle{Name: b.Name, Version: b.Version, Trial: b.Stage == document.Shadow,
		Text: []byte(b.Text)}
}
