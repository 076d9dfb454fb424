package shellparse

import "strconv"

// leastLimits are the limits, by the letter of ulimit, below which a shell can start no process: descriptors and
// processes by number, memory in KiB. bash itself needs a dozen descriptors and some MiB.
var leastLimits = map[byte]int{'n': 256, 'u': 256, 'v': 1 << 17, 'd': 1 << 17, 's': 1 << 10}

// limits is ulimit. A shell that asks about each of its lines forks for it, so in such a shell a limit that leaves
// it nothing to fork with is a way around the question.
func (w *walker) limits(s *state, c *call) worlds {
	_, values, _ := c.options("nuvds")
	for _, letter := range []byte("nuvds") {
		least := leastLimits[letter]
		v, ok := values[letter]
		if !ok || !w.o.Later {
			continue
		}
		text, known := v.text()
		n, err := strconv.Atoi(text)
		if known && (err != nil || n >= least) { // unlimited, hard, soft
			continue
		}
		w.hazard(Hazard{Rule: "shell.history", Risk: 2, Message: "leaves the shell no room to report its lines", Span: c.span})
	}
	return w.nothing(s, c)
}
