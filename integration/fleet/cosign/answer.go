package cosign

import (
	"errors"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// An Answer is what a witness says of the last request of a machine.
type Answer struct {
	document.Holder           // of the witness
	Lines           []byte    // its cosignature of the checkpoint; nil if it did not cosign it
	Entries         int64     // of the log, that it has seen
	Refused         string    // why this is not a log that has grown out of what it has seen; or ""
	Time            time.Time // by its clock
}

// Text returns the answer as [ReadAnswer] reads it.
func (a Answer) Text() ([]byte, error) {
	f := a.Holder.Fields()
	f["entries"], f["lines"], f["refused"] = a.Entries, string(a.Lines), a.Refused
	f["time"] = plan.FormatTime(a.Time)
	return canonical.Append(nil, f)
}

var errAnswer = errors.New("not a witness's answer")

// ReadAnswer reads an answer. Nothing in it is verified: see [Cosigned].
func ReadAnswer(text []byte) (Answer, error) {
	if len(text) > maxText {
		return Answer{}, errAnswer
	}
	v, err := canonical.Parse(text)
	f := plan.AsFields(v)
	if err != nil || f == nil {
		return Answer{}, errAnswer
	}
	a := Answer{Entries: f.Number("entries"), Refused: f.Text("refused"), Time: f.Time("time")}
	if lines := f.Text("lines"); lines != "" {
		a.Lines = []byte(lines)
	}
	if a.Holder, err = document.ReadHolder(f); err != nil || a.Entries < 0 {
		return Answer{}, errors.Join(errAnswer, err)
	}
	return a, nil
}
