//go:build linux || darwin

package session

import "golang.org/x/sys/unix"

// A cooked value knows two terminals in a row: the private one that the child prints to, and
// the caller's that shows it. Each makes "\r\n" of "\n" while its output processing is on.
// The caller's is off in raw mode; but it stays on in the background, in a pipeline, and
// where another program set it, and then every line would end in "\r\r\n".
type cooked struct{ private, caller int }

// both reports whether both translate now. It asks each time, because the child and other
// programs change their modes whenever they like; a question is a fraction of a write.
func (c cooked) both() bool {
	return c != (cooked{}) && translates(c.caller) && translates(c.private)
}

// translates reports whether a terminal puts "\r" before "\n". A master answers for its slave.
func translates(fd int) bool {
	const on = unix.OPOST | unix.ONLCR
	t, err := unix.IoctlGetTermios(fd, getTermios)
	return err == nil && t.Oflag&on == on
}

// uncook takes the first translation back, in place: "\r\n" becomes "\n", which the second
// terminal translates as it would the child's own.
func uncook(p []byte) []byte {
	out := p[:0]
	for i, c := range p {
		if c != '\r' || i+1 == len(p) || p[i+1] != '\n' {
			out = append(out, c)
		}
	}
	return out
}
