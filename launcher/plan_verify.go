package launcher

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
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
	named, err := replay.NamedPlans(l, note.Size)
	if err != nil {
		return Plans{}, err
	}
	for _, name := range note.Loose {
		named[name] = true
	}
	p := Plans{Named: note.Named - len(note.Loose)}
	next := plansNote{Size: report.Bytes, Packs: map[string]string{}}
	packed := map[string]bool{} // the packs that were verified before
	for name := range note.Packs {
		packed[name] = true
	}
	for plan := range plans.AllBut(l.state.Plans(), packed, l.Codec) {
		if plan.DamagedPack() {
			p.Packs = append(p.Packs, plan.Err.Error())
		}
		if !named[plan.Name] {
			continue
		}
		p.Named++
		if plan.Err != nil {
			p.Damaged++
		}
		if !plan.Packed {
			next.Loose = append(next.Loose, plan.Name)
		}
		delete(named, plan.Name)
	}
	for name := range named {
		_, err := plans.Get(l.state.Plans(), name, l.Codec)
		if err == nil && len(packed) > 0 {
			continue // in one of them, and counted with the runs before
		}
		p.Named++
		if errors.Is(err, plans.ErrNone) {
			p.Missing++
		} else if err != nil {
			p.Damaged++
		}
	}
	for name, sum := range sums {
		next.Packs[name] = sum.String()
	}
	next.Named = p.Named
	l.keepPlansNote(next, report.Before.Next != nil && p.Missing+p.Damaged+len(p.Packs) == 0)
	return p, nil
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
