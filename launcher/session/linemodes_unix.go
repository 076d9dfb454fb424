//go:build linux || darwin

package session

import "golang.org/x/sys/unix"

// Modes returns how the private terminal takes keys now, and whether there is one. The kernel
// reports no change of modes (TIOCPKT does only together with EXTPROC, which changes how lines are
// edited), so the modes have to be polled.
func (s *Session) Modes() (m LineModes, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master < 0 {
		return 0, false
	}
	t, err := unix.IoctlGetTermios(s.master, getTermios)
	if err != nil {
		return 0, false
	}
	return lineModes(t), true
}

func lineModes(t *unix.Termios) (m LineModes) {
	for i, on := range [len(sttyWords)]bool{
		t.Lflag&unix.ISIG != 0, t.Lflag&unix.ICANON != 0, t.Lflag&unix.IEXTEN != 0,
		t.Lflag&unix.ECHO != 0,
		t.Iflag&unix.ICRNL != 0, t.Iflag&unix.IXON != 0, t.Oflag&unix.OPOST != 0,
	} {
		if on {
			m |= 1 << i
		}
	}
	return m
}
