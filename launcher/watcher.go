package launcher

import (
	"io"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A watcher looks at one thing before a command, while its sandbox is built, and returns what
// compares it with what there is after the command.
type watcher struct {
	when moment
	look func(before) compare
}

// A before is what a watcher knows of a command that has not begun.
type before struct {
	*Judgement
	profile sandbox.Profile
}

// A compare tells the person on out what a command did, and returns it as fields of the entry about
// its end. The error is for what must not count as a success.
type compare func(e *ended, out io.Writer) (found object, err error)

// A moment is when something is compared.
type moment uint

const (
	// afterwards is when the command and all that it started have ended.
	afterwards moment = 1 << iota
	// atLast is when nothing is written any more, to the transcript neither.
	atLast
	// atHandOver is when the command has ended and what it left running goes on; it is compared
	// once more at its end.
	atHandOver
	// beforeHandOver comes before that: an error keeps it from being handed over.
	beforeHandOver
)

// afterOnly is for what needs nothing of before.
func afterOnly(look func(e *ended, out io.Writer) object) func(before) compare {
	return func(before) compare {
		return func(e *ended, out io.Writer) (object, error) { return look(e, out), nil }
	}
}

// A comparison is a watcher that has looked.
type comparison struct {
	when    moment
	compare compare
}

// finding is a list under the name of its field; nothing where it is empty.
func finding(field string, list []string) object {
	if len(list) == 0 {
		return nil
	}
	return object{field: list}
}
