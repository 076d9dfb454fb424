package wire

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval"
)

// codes are the errors that are the same on both sides.
var codes = [...]struct {
	code byte
	err  error
}{
	{'m', approval.ErrMissing},
	{'c', approval.ErrCorrupt},
	{'f', approval.ErrFuture},
	{'l', approval.ErrLocked},
	{'p', approval.ErrMeddled},
	{'u', approval.ErrUnsupported},
	{'o', approval.ErrOffline},
	{'a', approval.ErrAway},
	{'v', approval.ErrMoved},
	{'?', approval.ErrUnsure},
}

// maxText is as long as a text of a failure may be.
const maxText = 4 << 10

// FailureOf describes an error to the other side.
func FailureOf(err error) Failure {
	f := Failure{Text: clip(err.Error())}
	if file := (*approval.FileError)(nil); errors.As(err, &file) {
		f.Path, f.Hint = clip(file.Path), clip(file.Hint)
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			f.Code = c.code
			break
		}
	}
	return f
}

func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// A RemoteError is an error that the other side reported: it was understood, and failed.
type RemoteError struct{ Failure }

// Error quotes what the other side has said.
func (e *RemoteError) Error() string {
	return fmt.Sprintf("approval: the agent reports %q", clip(e.Text))
}

// Named returns a FileError around the same error as on the other side; itself if it has no code.
func (e *RemoteError) Named() error {
	for _, c := range codes {
		if c.code == e.Code {
			return &approval.FileError{Path: e.Path, Err: c.err, Hint: e.Hint}
		}
	}
	return e
}
