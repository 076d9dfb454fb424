//go:build amd64 || arm64

package sandbox

import "time"

// stayTime is how long what goes on is given to end by itself before it counts as going on;
// stayLook is how often it is looked for from then on.
const (
	stayTime = 50 * time.Millisecond
	stayLook = 100 * time.Millisecond
)

// Stay lets what the command leaves behind go on. Next then returns the command's end with
// Status.Stays, and when it is called again the end of all the rest, with the same status. Call it
// before Next.
func (p *Process) Stay() {
	p.waiting.Lock()
	defer p.waiting.Unlock()
	p.stays = true
}
