package pathguard

import (
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse/command"
)

// An Account identifies the owner of a policy: what "~" means, who must own the files, and where
// tada-run keeps its state.
type Account struct {
	Home     string // by the passwd entry
	EnvHome  string // $HOME; where it differs, "~" means both, which can only tighten
	UID      int
	StateDir string // the one in use; Home/.tada is denied in any case
}

// A Policy says what may happen. It does not change after it was made; copies share it.
// The zero Policy denies everything.
type Policy struct {
	account  Account
	set      Settings
	tree     *tree
	commands map[string][]CommandRule // by base name
	hosts    map[string][]HostRule    // by name, without "*."
	homes    []string                 // what "~" means, real paths too
	reals    []string                 // of those, the real paths alone
	states   []string
	programs command.Table
	notes    []string
	digest   string

	provenance
}

// A provenance is where a policy comes from. It is in no digest: where a rule is written does not
// decide.
type provenance struct {
	sources map[string][]Source // by key
	floored bool                // the first file was a floor
}

// Settings returns a copy of the values that the policy was made from.
func (p Policy) Settings() Settings { return p.set }

// InHome reports whether a path is a home of the account, or in one.
func (p Policy) InHome(path string) bool { return pathname.WithinAny(path, p.homes) }

// ProgramDirs are the directories of the system's programs.
func ProgramDirs() []string { return pathname.ProgramDirs() }

// Notes returns the settings that had no effect: an allow in a file that can only tighten.
func (p Policy) Notes() []string { return slices.Clone(p.notes) }

// Digest names the policy: SHA-256, in hex, over its settings, its account and the
// built-in tables. A plan that was approved under one digest does not run under another.
func (p Policy) Digest() string { return p.digest }

// A Source is the place in a file that a value comes from.
type Source struct {
	File string
	Line int
}

func (s Source) String() string { return fmt.Sprintf("%s:%d", s.File, s.Line) }
