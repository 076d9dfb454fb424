package launcher

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// An AfterError says that something went wrong after the command had started: its output or
// its end may not be in the record whole.
type AfterError struct {
	Status int // of the command
	Err    error
}

func (e *AfterError) Error() string {
	text := fmt.Sprintf("the command ran (status %d), but: %s", e.Status,
		strings.Join(causes(nil, e.Err), "; "))
	protected := (*tamper.TamperError)(nil)
	switch {
	case errors.As(e.Err, &protected):
		return text
	case record.IsFull(e.Err):
		return text + "; try: " + record.MakeRoom
	}
	return text + "; try: tadactl audit verify"
}

// causes adds to told what err joins, each once: a full disk fails every write that follows. What a
// [RecordError] says about things that did not start is left out here.
func causes(told []string, err error) []string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok &&
		strings.Contains(err.Error(), "\n") {
		for _, one := range joined.Unwrap() {
			told = causes(told, one)
		}
		return told
	}
	text := err.Error()
	if r, ok := err.(*record.Error); ok {
		text = fmt.Sprintf("cannot record %q: %v", r.Kind, r.Err)
	}
	if slices.ContainsFunc(told,
		func(before string) bool { return strings.HasSuffix(before, text) }) {
		return told
	}
	return append(told, text)
}

// Unwrap returns the cause.
func (e *AfterError) Unwrap() error { return e.Err }
