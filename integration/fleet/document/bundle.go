package document

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
)

// MaxPolicy is the maximum length of the text of a bundle, in bytes.
const MaxPolicy = 64 << 10

// A Bundle is a part of the policy of a fleet: a configuration for the machines that it selects.
type Bundle struct {
	Fleet    string
	Name     string
	Version  int64 // each change adds one
	Stage    Stage
	Machines Selector
	Text     string   // of a configuration file; "" withdraws the bundle
	Ungated  string   // why it is in force though what ran was not judged again first; "" if it was
	By       []string // who signed it; not used by Sign
}

// A Stage is what machines do with a bundle.
type Stage string

// The stages.
const (
	Shadow Stage = "shadow" // it is tried beside the policy in force, and decides nothing
	Force  Stage = "force"  // it is in force
)

// ErrOldBundle is returned for a bundle that is not newer than the one that is known.
var ErrOldBundle = errors.New("it does not follow the bundle that this machine knows")

// Sign returns the bundle, signed by an administrator.
func (b Bundle) Sign(key approval.Key) ([]byte, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	f := plan.Fields{"fleet": b.Fleet, "machines": b.Machines.String(), "name": b.Name,
		"stage": string(b.Stage), "text": b.Text, "version": b.Version}
	if b.Ungated != "" {
		f["ungated"] = b.Ungated
	}
	return sign(kindPolicy, f, key)
}

// Bundle reads a bundle of the fleet that an administrator has signed. Whether the configuration in
// it can be used is not checked.
func (f Fleet) Bundle(text []byte) (Bundle, error) {
	s, err := open(text, kindPolicy, f.Admins())
	if err != nil {
		return Bundle{}, err
	}
	b := Bundle{Fleet: s.Text("fleet"), Name: s.Text("name"), Version: s.Number("version"),
		Stage: Stage(s.Text("stage")), Text: s.Text("text"), By: s.By,
		Ungated: s.Text("ungated")}
	if b.Machines, err = ParseSelector(s.Text("machines")); err != nil {
		return Bundle{}, fmt.Errorf("machines of bundle %q: %w", b.Name, err)
	}
	if err := b.check(); err != nil {
		return Bundle{}, err
	}
	if b.Fleet != f.Name {
		return Bundle{}, fmt.Errorf("bundle %q is of fleet %q, not %q", b.Name, b.Fleet, f.Name)
	}
	return b, nil
}

// VersionOf returns the version that a bundle says it has, whoever signed it; 0 if it says none. It
// is for the next one, which must be higher than what machines may have seen.
func VersionOf(text []byte) int64 {
	n, err := unverified(text)
	if err != nil {
		return 0
	}
	f, err := body(n, kindPolicy)
	if err != nil {
		return 0
	}
	return min(max(f.Number("version"), 0), maxVersion)
}

// maxVersion is what the next version is counted from at most.
const maxVersion = 1 << 50

// CheckBundle refuses a name that a bundle cannot have. It is also the name of a file.
func CheckBundle(name string) error {
	if name == "" || len(name) > 32 || strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_", r)
	}) {
		return fmt.Errorf("bundle %q: its name must be 1 to 32 of a-z, 0-9, \"-\" and \"_\"", name)
	}
	return nil
}

func (b Bundle) check() error {
	if err := CheckBundle(b.Name); err != nil {
		return err
	}
	switch {
	case b.Version < 1:
		return fmt.Errorf("bundle %q: its version is %d", b.Name, b.Version)
	case b.Stage != Shadow && b.Stage != Force:
		return fmt.Errorf("bundle %q: its stage is %q, not %q or %q", b.Name, b.Stage, Shadow,
			Force)
	case len(b.Ungated) > maxReason || strings.ContainsFunc(b.Ungated, isHidden):
		return fmt.Errorf("bundle %q: the reason to have it in force without a gate must be "+
			"printable and have at most %d bytes", b.Name, maxReason)
	case len(b.Text) > MaxPolicy:
		return fmt.Errorf("bundle %q: %w: more than %d bytes", b.Name, approval.ErrOversized,
			MaxPolicy)
	case !utf8.ValidString(b.Text):
		return fmt.Errorf("bundle %q: %w", b.Name, errText)
	}
	return nil
}

var errText = errors.New("the configuration is not UTF-8")
