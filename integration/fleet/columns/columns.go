// Package columns writes the runs of a fleet's machines to a Parquet file, for DuckDB and other
// programs that search columns: one row for each run.
//
//	machine      the id of the machine
//	name         what it calls itself
//	labels       of the machine, as the registrar has signed them
//	id           of the run
//	time         when it was proposed
//	agent        which agent proposed it
//	workspace    the folder
//	command      as it was recorded: secrets are hidden
//	inside       the agent's own command, if its program put another one around it
//	state        announced, refused, running, failed, ended or lost
//	verdict      allow, ask or deny
//	rules        why
//	status       with which it ended
//	duration_us  how long it took, in microseconds
//	hosts        that it contacted, or tried to
//	changes      files that it added, changed and removed
//	bundles      of the fleet that were in force: NAME@VERSION
//
// What is not known is null.
package columns

import (
	"io"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/runs"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A row is one run.
type row struct {
	at
	asked
	judged
	ended
}

type at struct {
	Machine string            `parquet:"machine,dict"`
	Name    string            `parquet:"name,dict"`
	Labels  map[string]string `parquet:"labels"`
	ID      string            `parquet:"id"`
	Time    time.Time         `parquet:"time,timestamp(microsecond)"`
}

type asked struct {
	Agent     string `parquet:"agent,dict"`
	Workspace string `parquet:"workspace,dict"`
	Command   string `parquet:"command"`
	Inside    string `parquet:"inside,optional"`
}

type judged struct {
	State   string   `parquet:"state,dict"`
	Verdict string   `parquet:"verdict,dict"`
	Rules   []string `parquet:"rules,list"`
	Bundles []string `parquet:"bundles,list"`
}

type ended struct {
	Status  *int32   `parquet:"status,optional"`
	Micros  *int64   `parquet:"duration_us,optional"`
	Hosts   []string `parquet:"hosts,list"`
	Changes *changes `parquet:"changes,optional"`
}

type changes struct {
	Added   int64 `parquet:"added"`
	Changed int64 `parquet:"changed"`
	Removed int64 `parquet:"removed"`
}

// What is held in memory, and read at once.
const (
	rowsInGroup  = 20_000
	bytesInGroup = 32 << 20 // of commands
)

// A Writer writes the file. Only Close makes it complete.
type Writer struct {
	Rows    int64
	file    *parquet.GenericWriter[row]
	machine document.Machine
	open    runs.Open
	rows    int // in the group
	bytes   int
}

// New returns a writer. by names the program that writes.
func New(out io.Writer, by, version string) *Writer {
	return &Writer{file: parquet.NewGenericWriter[row](out, parquet.Compression(&zstd.Codec{}),
		parquet.CreatedBy(by, version, ""))}
}

// Add takes the next entry of a machine, and writes a run that is over.
func (w *Writer) Add(m document.Machine, e audit.Entry) error {
	if w.open == nil {
		w.machine, w.open = m, runs.Open{}
	}
	r := w.open.Add(e)
	if r == nil || w.open[r.ID] == r {
		return nil
	}
	return w.write(r)
}

// End writes the runs of the machine that have no end. The next entry is one of another machine.
func (w *Writer) End() error {
	for _, r := range w.open.Oldest() {
		if err := w.write(r); err != nil {
			return err
		}
	}
	w.open = nil
	return nil
}

func (w *Writer) write(r *runs.Run) error {
	m := w.machine
	x := row{at{m.ID, m.Name, m.Labels, r.ID, r.Began},
		asked{r.Agent, r.Workspace, r.Command, r.Inside},
		judged{r.State, r.Verdict, r.Rules, r.Bundles},
		ended{r.Status, r.Micros, r.Hosts, (*changes)(r.Changes)}}
	if _, err := w.file.Write([]row{x}); err != nil {
		return err
	}
	w.Rows++
	w.rows, w.bytes = w.rows+1, w.bytes+len(r.Command)+len(r.Inside)
	if w.rows < rowsInGroup && w.bytes < bytesInGroup {
		return nil
	}
	w.rows, w.bytes = 0, 0
	return w.file.Flush()
}

// Close writes the end of the file.
func (w *Writer) Close() error { return w.file.Close() }
