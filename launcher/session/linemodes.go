package session

import "strings"

// LineModes are the modes of a terminal that say how keys are taken and output is given, as a set.
// The zero value is raw.
type LineModes uint8

// The modes, in the order in which String lists them.
const (
	ModeSignals  LineModes = 1 << iota // Ctrl-C and its like are signals (isig)
	ModeLines                          // keys come in lines that can be edited (icanon)
	ModeExtended                       // Ctrl-V and its like mean something (iexten)
	ModeEcho                           // keys are shown (echo)
	ModeReturn                         // Enter is a line feed (icrnl)
	ModeFlow                           // Ctrl-S holds the output (ixon)
	ModeOutput                         // line feeds of the output become line ends (opost)

	// Cooked is a terminal as it is when it was made.
	Cooked = 1<<7 - 1
)

// sttyWords are the names of the modes for stty(1).
var sttyWords = [...]string{"isig", "icanon", "iexten", "echo", "icrnl", "ixon", "opost"}

// String names each mode by its word of stty(1), with a minus if it is off: the result can be
// passed to stty.
func (m LineModes) String() string {
	words := make([]string, len(sttyWords))
	for i, w := range sttyWords {
		if m&(1<<i) == 0 {
			w = "-" + w
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}
