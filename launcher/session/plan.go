package session

// kind is what a descriptor of the caller refers to, as far as the relay cares.
type kind int

const (
	closed   kind = iota
	terminal      // tcgetattr(3) works on it
	pipe          // pipe or FIFO
	socket
	regular
	null  // the null device
	other // another device, a directory
)

// give is what the child finds at a descriptor.
type give int

const (
	nothing give = iota // closed
	asIs                // the caller's own descriptor
	slave               // the private terminal
	piped               // a pipe that the session relays
	merged              // descriptor 2 only: the same pipe as descriptor 1
)

// none is the index of "no descriptor".
const none = -1

// facts is all that the decision depends on.
type facts struct {
	kinds   [3]kind
	sameOut bool // output and error are one open file, or one pipe
	// which terminal each is: equal numbers are the same one; only where the kind is terminal
	terminal [3]int
}

// A plan is what the child gets and between which descriptors bytes are carried.
type plan struct {
	child [3]give
	// where what the private terminal prints goes; none when there is no private terminal
	screen int
	keys   int  // the descriptor whose keys are read; none when no one types
	eager  bool // the keys are this run's alone: raw mode from the start
}

// decide is the stdio matrix of the package comment, as a function.
func decide(mode PTY, f facts) plan {
	p := plan{screen: none, keys: none}
	if mode != Never {
		p.screen = screenOf(mode, f)
	}
	p.child[0] = inputOf(f, p.screen)
	for fd := 1; fd <= 2; fd++ {
		p.child[fd] = outputOf(mode, f, fd, p.screen)
	}
	if p.child[1] == piped && p.child[2] == piped && f.sameOut {
		p.child[2] = merged
	}
	p.keys = keysOf(f, p.screen)
	p.eager = p.keys == 0 && (mode == Never || f.kinds[1] == terminal)
	return p
}

// screenOf picks the descriptor that shows the private terminal. A caller without any
// terminal has none to show it on, but with Always the output is shown as bytes.
func screenOf(mode PTY, f facts) int {
	for _, fd := range []int{1, 2, 0} {
		if f.kinds[fd] == terminal {
			if mode == Always && f.kinds[1] != closed {
				return 1
			}
			return fd
		}
	}
	if mode != Always {
		return none
	}
	for fd := 1; fd <= 2; fd++ {
		if f.kinds[fd] != closed {
			return fd
		}
	}
	return none
}

func inputOf(f facts, screen int) give {
	switch f.kinds[0] {
	case closed:
		return nothing
	case terminal:
		if screen == none {
			return piped
		}
		return slave
	default:
		// Never through a terminal: its line discipline keeps 4095 bytes of a longer line
		// and drops the rest without a word. Never read here either: a caller's loop
		// ("while read x; do tada-run ...; done < list") shares the open file with us, and
		// what we read ahead would be lost to it.
		return asIs
	}
}

func outputOf(mode PTY, f facts, fd, screen int) give {
	switch k := f.kinds[fd]; {
	case k == closed:
		return nothing
	case screen != none && mode == Always:
		return slave
	case screen != none && k == terminal && f.terminal[fd] == f.terminal[screen]:
		return slave
	case k == null:
		// No one sees these bytes, and grep, tar and others do less work when they find the null
		// device itself.
		return asIs
	default:
		return piped
	}
}

// keysOf picks the descriptor whose keys are relayed: input where it is a terminal, else
// the terminal that shows the screen, so that "git log | tada-run less" can be driven.
func keysOf(f facts, screen int) int {
	if f.kinds[0] == terminal {
		return 0
	}
	if screen != none && f.kinds[screen] == terminal {
		return screen
	}
	return none
}
