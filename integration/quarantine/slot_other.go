//go:build !linux

package quarantine

// Slots are the places for quarantined agents.
type Slots struct{}

// NewSlots is ErrUnsupported here.
func NewSlots(string) (*Slots, error) { return nil, ErrUnsupported }

type slot struct{}

func (*Slots) take() (*slot, error) { return nil, ErrUnsupported }
func (*slot) free()                 {}
