package pathguard

import "slices"

// A Reversible says whether what a run changes can be taken back. The zero value says that it
// cannot.
type Reversible int

// The answers.
const (
	Irreversible Reversible = iota
	PartlyReversible
	WhollyReversible
)

// Value is the answer as it stands in JSON: true, "partly" or false.
func (r Reversible) Value() any {
	switch r {
	case WhollyReversible:
		return true
	case PartlyReversible:
		return "partly"
	}
	return false
}

// A Loss is something that a run does and that cannot be taken back.
type Loss struct {
	Path string // "" for what is no file
	Why  string
	Rule string // that gives a reason for the same thing; "" for none
}

// losses are what is known about it of a plan that is being judged.
type losses struct {
	some bool // something that can be taken back
	list []Loss
}

func (l *losses) add(loss Loss) {
	if !slices.Contains(l.list, loss) {
		l.list = append(l.list, loss)
	}
}

func (l *losses) join(other losses) {
	l.some = l.some || other.some
	for _, loss := range other.list {
		l.add(loss)
	}
}
