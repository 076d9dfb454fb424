//go:build linux || darwin

package session

// Aside calls f while the command's output and the keys for it wait: the caller's terminal is as it
// was found, and f may ask on it. Nothing is lost in that time.
func (s *Session) Aside(f func()) {
	for _, r := range s.relays {
		r.busy.Lock()
		defer r.busy.Unlock()
	}
	if s.term != nil {
		s.term.leave()
		defer func() {
			s.term.allow()
			s.nudge.raise()
		}()
	}
	f()
}
