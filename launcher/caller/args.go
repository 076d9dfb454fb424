package caller

import (
	"bytes"
	"encoding/binary"
)

// A start is how a process was started, as KERN_PROCARGS2 of macOS has it.
type start struct {
	file      string
	args, env []string
}

// readStart takes that apart: the number of arguments, the file, zeros, the arguments, and the
// environment, where the kernel shows it. A text that is cut off has what is whole of it.
func readStart(text []byte) (s start, ok bool) {
	if len(text) < 4 {
		return s, false
	}
	count := int(int32(binary.LittleEndian.Uint32(text)))
	file, rest, ok := bytes.Cut(text[4:], []byte{0})
	if !ok || count < 0 {
		return s, false
	}
	s.file, rest = string(file), bytes.TrimLeft(rest, "\x00")
	for len(rest) > 0 {
		var one []byte
		if one, rest, ok = bytes.Cut(rest, []byte{0}); !ok {
			break
		}
		switch {
		case len(s.args) < count:
			s.args = append(s.args, string(one))
		case len(one) == 0:
			return s, true // what follows is the kernel's own
		default:
			s.env = append(s.env, string(one))
		}
	}
	return s, len(s.args) > 0 || count == 0
}
