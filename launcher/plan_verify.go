package launcher

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/audit/sorted"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/launcher/state"
)

// Plans says which plans the record has of those that its entries name. A changed plan is not
// another plan: it is one that the record has no more.
type Plans struct {
	Named   int // different plans that entries name
	Missing int
	Damaged int // their bytes are not those that the name stands for
	// Packs says what is wrong with damaged packs. A power cut loses or cuts the file of one plan;
	// a pack was on the disk and read back before it took the place of such files.
	Packs []string
}

// Lost reports whether the record has not all plans that its entries name.
func (p Plans) Lost() bool { return p.Missing+p.Damaged > 0 }

// A plansNote is what VerifyPlans found out about a log of that size: every plan that it named was
// whole, in one of the packs or in a file of its own.
type plansNote struct {
	Size  int64             `json:"size"`
	Named int               `json:"named"`
	Packs map[string]string `json:"packs"` // SHA-256, by name
	Loose []string          `json:"loose"`
}

// maxPlansNote is how long the text of a note may be.
const maxPlansNote = 64 << 20

// VerifyPlans looks for the plan of every run of the log, which was just verified. What report says
// was verified before is not looked at again, if the packs of the plans have not changed either.
func (l *Launcher) VerifyPlans(report audit.Report) (Plans, error) {
	sums, err := plans.Sums(l.state.Plans())
	if err != nil {
		return Plans{}, err
	}
	note := l.plansBefore(report.Before.Size, sums)
	c := planCheck{Launcher: l, packed: map[string]bool{},
		found: Plans{Named: note.Named - len(note.Loose)},
		next:  plansNote{Size: report.Bytes, Packs: map[string]string{}}}
	defer c.all.Close()
	for name := range note.Packs {
		c.packed[name] = true
	}
	if err := c.list(note); err != nil {
		return Plans{}, err
	}
	if err := c.compare(); err != nil {
		return Plans{}, err
	}
	for name, sum := range sums {
		c.next.Packs[name] = sum.String()
	}
	p := c.found
	c.next.Named = p.Named
	l.keepPlansNote(c.next, report.Before.Next != nil && len(c.next.Loose) < mostLoose &&
		p.Missing+p.Damaged+len(p.Packs) == 0)
	return p, nil
}

// mostLoose is how many plans outside of packs a note has: where there are more, they wait to be
// packed, and all plans are read again.
const mostLoose = 1 << 16

// A planCheck compares the plans that entries name with those that there are. Both are sorted: of a
// record of years they are more than fit in memory.
type planCheck struct {
	*Launcher
	all    sorted.Sorter
	packed map[string]bool // the packs that were verified before
	found  Plans
	next   plansNote
}

// What a planCheck knows of a plan, in a record that begins with its name; sorted, so that a plan
// in a pack comes before one in a file of its own.
const (
	planNamed = iota
	planPacked
	planLoose
	planDamaged
)

func (c *planCheck) add(name string, is byte) {
	c.all.Add(append(sorted.AppendKey(nil, name), is))
}

// list adds what the log names, and what there is.
func (c *planCheck) list(note plansNote) error {
	named := func(name string) { c.add(name, planNamed) }
	for _, name := range note.Loose {
		named(name)
	}
	if err := replay.NamedPlans(c.Launcher, note.Size, named); err != nil {
		return err
	}
	for plan := range plans.AllBut(c.state.Plans(), c.packed, c.Codec) {
		switch {
		case plan.DamagedPack():
			c.found.Packs = append(c.found.Packs, plan.Err.Error())
		case plan.Packed:
			c.add(plan.Name, planPacked)
		case plan.Err == nil:
			c.add(plan.Name, planLoose)
		default:
			c.add(plan.Name, planDamaged)
		}
	}
	return nil
}

// compare looks at what there is about each plan.
func (c *planCheck) compare() error {
	name, named, done := "", false, true
	for r, err := range c.all.Records() {
		if err != nil {
			return err
		}
		if r.First {
			if named && !done {
				c.absent(name)
			}
			name, named, done = string(r.Text), false, false
		}
		switch is := r.Rest[0]; {
		case is == planNamed:
			named = true
		case named && !done:
			done = true
			c.present(name, is)
		}
	}
	if named && !done {
		c.absent(name)
	}
	return nil
}

// present counts a plan that is named and there.
func (c *planCheck) present(name string, is byte) {
	c.found.Named++
	if is == planDamaged {
		c.found.Damaged++
	}
	if is != planPacked && len(c.next.Loose) < mostLoose {
		c.next.Loose = append(c.next.Loose, name)
	}
}

// absent counts a plan that is named, and was not met.
func (c *planCheck) absent(name string) {
	_, err := plans.Get(c.state.Plans(), name, c.Codec)
	switch {
	case err == nil && len(c.packed) > 0:
		return // in one of them, and counted with the runs before
	case errors.Is(err, plans.ErrNone):
		c.found.Missing++
	case err != nil:
		c.found.Damaged++
	}
	c.found.Named++
}

// plansBefore returns what was found out about a log of that size, if its packs have not changed.
func (l *Launcher) plansBefore(size int64, sums map[string]audit.Hash) (note plansNote) {
	text, err := audit.ReadPlain(l.state.VerifiedPlans(), maxPlansNote)
	line, ok := audit.Summed(text)
	if size == 0 || err != nil || !ok || json.Unmarshal(line, &note) != nil ||
		note.Size != size || note.Named < len(note.Loose) {
		return plansNote{}
	}
	for name, sum := range note.Packs {
		if is, ok := sums[name]; !ok || is.String() != sum {
			return plansNote{}
		}
	}
	return note
}

// keepPlansNote stores a note for the next VerifyPlans, or removes the last one.
func (l *Launcher) keepPlansNote(note plansNote, keep bool) {
	path := l.state.VerifiedPlans()
	if keep {
		text, err := json.Marshal(note)
		if err == nil && state.Replace(path, audit.Sum(text)) == nil {
			return
		}
	}
	_ = os.Remove(path)
}
