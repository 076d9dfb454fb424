package past

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/undo"
)

// RunChanges are what a run did to the files where it may write, and whether that can be taken
// back. The zero value is of a run of which that is not known.
type RunChanges struct {
	Changes *ChangedFiles `json:"changes,omitempty"`
	// nil where that is not known
	Reversible any    `json:"reversible,omitempty" jsonschema:"true, partly or false"`
	Lacks      []Lack `json:"irreversible,omitempty"` // what cannot be taken back
	MoreLacks  int    `json:"irreversible_left,omitempty"`
}

// ChangedFiles counts them. A file that was renamed is a changed one.
type ChangedFiles struct {
	Added   int `json:"added"`
	Changed int `json:"changed"`
	Removed int `json:"removed"`
}

// A Lack is something that cannot be taken back.
type Lack struct {
	Path string `json:"path,omitempty"`
	Why  string `json:"why"`
}

// Partly is the Reversible of a run that can be taken back in part.
const Partly = "partly"

// maxLacks is how many are in a result. The journal has them all.
const maxLacks = 20

// changesOf is what a journal found, and what it did not see.
func ChangesOf(s undo.Summary, missed []undo.Lack, more int) RunChanges {
	c := RunChanges{Changes: &ChangedFiles{s.Added, s.Changed, s.Removed},
		Reversible: s.Reversible == "true", MoreLacks: more}
	all := append(missed, s.Lacks...)
	if s.Reversible == Partly || c.Reversible == true && len(all) > 0 {
		c.Reversible = Partly
	}
	for i, l := range all {
		if i == maxLacks {
			c.MoreLacks += len(all) - maxLacks
			break
		}
		c.Lacks = append(c.Lacks, Lack{l.Path, l.Why})
	}
	return c
}

// String is the short form: "+3 ~2 -1 files, reversible"; "" where nothing was changed or that is
// not known.
func (c RunChanges) String() string {
	if c.Changes == nil {
		return ""
	}
	n := *c.Changes
	if n == (ChangedFiles{}) && len(c.Lacks) == 0 {
		return ""
	}
	how := "not reversible"
	switch c.Reversible {
	case true:
		how = "reversible"
	case Partly:
		how = "partly reversible"
	}
	_, noun, _ := strings.Cut(audit.Plural(n.Added+n.Changed+n.Removed, "file"), " ")
	return fmt.Sprintf("+%d ~%d -%d %s, %s", n.Added, n.Changed, n.Removed, noun, how)
}

// AddTo adds them to the entry about the end of the run, if there are any.
func (c RunChanges) AddTo(entry map[string]any) {
	if c.String() == "" {
		return
	}
	n := c.Changes
	entry["changes"] = map[string]any{"added": n.Added, "changed": n.Changed, "removed": n.Removed}
	entry["reversible"] = c.Reversible
	var lacks []any
	for _, l := range c.Lacks {
		lacks = append(lacks, map[string]any{"path": l.Path, "why": l.Why})
	}
	if lacks != nil {
		entry["irreversible"] = lacks
	}
	if c.MoreLacks > 0 {
		entry["irreversible_left"] = c.MoreLacks
	}
}
