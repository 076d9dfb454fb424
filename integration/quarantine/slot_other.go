//go:build !linux

package quarantine

// Slots limit how many quarantined agents run at once.
type Slots struct{}

// NewSlots returns ErrUnsupported here.
func NewSlots(string) (*Slots, error) { return nil, ErrUnsupported }

type slot struct{}

func (*Slots) take() (*slot, error) { return nil, ErrUnsupported }
func (*slot) free()                 {}
