package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tada-run/tada-run/approval/private"
)

// A BundleError says that a part of the policy of the fleet cannot be used. Nothing runs then.
type BundleError struct {
	Path string
	Err  error
}

func (e *BundleError) Error() string { return fmt.Sprintf("%q: %v", e.Path, e.Err) }
func (e *BundleError) Unwrap() error { return e.Err }

// bundlePath is the file of a bundle. Its name has no dot: with another one, it is the rest of a
// write that was interrupted.
func (h Home) bundlePath(name string, trial bool) string {
	if trial {
		name += "." + trialStage
	}
	return filepath.Join(h.FleetPolicies(), name)
}

// Bundles returns the bundles that the machine has, in the order of their names; those too that no
// longer hold. A file that is not what was written is a *BundleError.
func (h Home) Bundles() ([]Bundle, error) {
	entries, err := os.ReadDir(h.FleetPolicies())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &BundleError{h.FleetPolicies(), err}
	}
	var list []Bundle
	for _, e := range entries {
		name, trial := strings.CutSuffix(e.Name(), "."+trialStage)
		if strings.Contains(name, ".") {
			continue
		}
		b, err := h.Bundle(name, trial)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

// Bundle returns the bundle of a name in a stage; the error wraps fs.ErrNotExist if the machine has
// never had one.
func (h Home) Bundle(name string, trial bool) (Bundle, error) {
	path := h.bundlePath(name, trial)
	file, err := private.Read(path, MaxBundle)
	var b Bundle
	if err == nil {
		b, err = ParseBundle(file)
	}
	if err == nil && (b.Name != name || b.Trial != trial) {
		err = errBundle
	}
	if err != nil {
		return Bundle{}, &BundleError{path, err}
	}
	return b, nil
}

// KeepBundle stores a bundle in place of the one of the same name and stage.
func (h Home) KeepBundle(b Bundle) error {
	if err := PrivateDir(h.FleetPolicies()); err != nil {
		return err
	}
	return Replace(h.bundlePath(b.Name, b.Trial), b.Marshal())
}

// SweepBundles removes what writes that were interrupted have left. Nobody else may write at the
// same time.
func (h Home) SweepBundles() error {
	entries, err := os.ReadDir(h.FleetPolicies())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name, _ := strings.CutSuffix(e.Name(), "."+trialStage)
		if strings.Contains(name, ".") {
			err = errors.Join(err, os.Remove(filepath.Join(h.FleetPolicies(), e.Name())))
		}
	}
	return err
}

// InForce returns the bundles that are in force, and those that are tried: the ones that are newer
// than what is in force under their name.
func InForce(all []Bundle) (force, tried []Bundle) {
	versions := map[string]int64{}
	for _, b := range all {
		if b.Trial {
			continue
		}
		versions[b.Name] = b.Version
		if len(b.Text) > 0 {
			force = append(force, b)
		}
	}
	for _, b := range all {
		if b.Trial && len(b.Text) > 0 && b.Version > versions[b.Name] {
			tried = append(tried, b)
		}
	}
	return force, tried
}

// BundleNames are the names of bundles in the record.
func BundleNames(list []Bundle) (names []string) {
	for _, b := range list {
		names = append(names, b.String())
	}
	return names
}
