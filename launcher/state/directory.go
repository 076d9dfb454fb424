package state

import (
	"io"
	"sync"
	"time"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// A Directory is a state directory as one process uses it.
type Directory struct {
	Home
	Now    func() time.Time
	Random io.Reader
	BootID string // of this boot of the machine; "" where the system does not say

	waited sync.Map // processes that WaitsFor has named
}

// Use returns the state directory for this process.
func (h Home) Use() *Directory {
	return &Directory{Home: h, Now: time.Now, Random: random{}, BootID: proc.BootID()}
}
