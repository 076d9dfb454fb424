package cli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard/intent"
)

// proposed reads the commands of --intent as the requests of a batch: each has no input, and its
// output is kept for its result.
func proposed(l *launcher.Launcher, inv *invocation,
	base launcher.Request) ([]launcher.Request, error) {
	f, err := openIntent(l, base.Dir, inv.intent)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := intent.ParseAll(f)
	if err != nil {
		return nil, &usageError{err.Error(), `tada-run --intent - <<< '{"commands": ["ls -l"]}'`}
	}
	calls, err := launcher.Calls(base, list)
	if errors.Is(err, launcher.ErrDirectory) {
		return nil, &usageError{err.Error(), ""}
	}
	return calls, err
}

// batch runs the commands of --intent and prints one JSON object for each. The exit status is the
// first that is not 0.
func batch(l *launcher.Launcher, inv *invocation, base launcher.Request) (int, error) {
	calls, err := proposed(l, inv, base)
	if err != nil {
		return 0, err
	}
	if inv.check {
		return checkAll(l, calls, inv.json)
	}
	var out, errs *capture
	status, last := 0, ""
	b := launcher.Batch{Calls: calls, Wait: inv.wait, Ask: asker(l, inv, base), Stop: inv.session}
	b.Begin = func(i int) {
		out, errs = newCapture(), newCapture()
		calls[i].Stdio.Out, calls[i].Stdio.Err = out.to, errs.to
	}
	b.End = func(_ int, r launcher.BatchResult) {
		if status == 0 {
			status = r.Status()
		}
		told := resultOf(r)
		if f := told.Refusal; f != nil && f.Message != last { // one question holds many calls
			last = f.Message
			fmt.Fprintln(os.Stderr, f.Line())
		}
		told.Stdout, told.StdoutBase64, told.StdoutDropped = out.text()
		told.Stderr, told.StderrBase64, told.StderrDropped = errs.text()
		printJSON(told)
	}
	_, err = l.RunBatch(context.Background(), b)
	return status, err
}

// checkAll prints the judgement of each command and runs none.
func checkAll(l *launcher.Launcher, calls []launcher.Request, asJSON bool) (status int, err error) {
	for _, c := range calls {
		j, err := l.Judge(c)
		if err != nil {
			return 0, err
		}
		report := j.Report(c.CallID)
		_ = j.Close()
		if asJSON {
			fmt.Println(report.JSON())
		} else {
			fmt.Printf("%q: %s", c.CallID, report.Text())
		}
		if status == 0 {
			status = report.Status()
		}
	}
	return status, nil
}

// A result is the result of one command of a batch. Its JSON is a stable contract.
type result struct {
	ID      string               `json:"id"`
	Status  string               `json:"status"` // ran, denied, pending, failed
	Exit    int                  `json:"exit"`   // as of tada-run for this command alone
	Signal  int                  `json:"signal,omitempty"`
	Session string               `json:"session,omitempty"` // for tadactl replay: all of the output
	Refusal *refusal.Refusal     `json:"refusal,omitempty"`
	Asked   []refusal.Connection `json:"asked,omitempty"` // open questions about connections
	Error   string               `json:"error,omitempty"`
	past.RunChanges

	output
}

// An output is what a command printed, as far as it is kept.
type output struct {
	Stdout        string `json:"stdout"`
	StdoutBase64  string `json:"stdout_base64,omitempty"` // instead, if it is not UTF-8
	StdoutDropped int64  `json:"stdout_dropped,omitempty"`
	Stderr        string `json:"stderr"`
	StderrBase64  string `json:"stderr_base64,omitempty"`
	StderrDropped int64  `json:"stderr_dropped,omitempty"`
}

func resultOf(r launcher.BatchResult) result {
	told := result{ID: r.ID, Status: "ran", Exit: r.Status(), Signal: r.Outcome.Signal,
		Session: r.Outcome.Session, Asked: r.Outcome.Asked,
		RunChanges: r.Outcome.RunChanges}
	switch {
	case r.Err != nil:
		told.Status, told.Error = "failed", r.Err.Error()
	case r.Outcome.Refusal != nil:
		told.Status, told.Refusal = r.Outcome.Refusal.Status, r.Outcome.Refusal
	}
	return told
}

func printJSON(v any) {
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // if the reader is gone, the record has the results
}

// maxKept is how much of each stream of a command is in its result. The transcript has all of it.
const maxKept = 256 << 10

// A capture keeps the beginning of what is written to it.
type capture struct {
	to      *os.File
	kept    []byte
	dropped int64
	done    chan struct{}
}

func newCapture() *capture {
	c := &capture{done: make(chan struct{})}
	r, w, err := os.Pipe()
	if err != nil { // the command gets a closed descriptor, and the result has nothing
		close(c.done)
		return c
	}
	c.to = w
	go func() {
		defer close(c.done)
		defer r.Close()
		c.kept, _ = io.ReadAll(io.LimitReader(r, maxKept))
		c.dropped, _ = io.Copy(io.Discard, r)
	}()
	return c
}

// text ends the capture and returns what was kept, as text or else in base64.
func (c *capture) text() (text, encoded string, dropped int64) {
	if c.to != nil {
		c.to.Close()
	}
	<-c.done
	if utf8.Valid(c.kept) {
		return string(c.kept), "", c.dropped
	}
	return "", base64.StdEncoding.EncodeToString(c.kept), c.dropped
}
