package record

import (
	"iter"

	"github.com/tada-run/tada-run/audit"
)

// Entries returns the entries of the log, oldest first. It reads and does not prove.
func (r *Record) Entries(f audit.Filter) iter.Seq2[audit.Entry, error] {
	return audit.Entries(r.dir.Audit(), r.narrowed(f))
}

// Newest returns the entries of the log, newest first, and reads no more than the caller takes.
func (r *Record) Newest(f audit.Filter) iter.Seq2[audit.Entry, error] {
	return audit.Newest(r.dir.Audit(), r.narrowed(f))
}

// narrowed is a filter that reads no more of the log than its times need.
func (r *Record) narrowed(f audit.Filter) audit.Filter {
	f.Codec = r.Codec
	from, to := r.Span(f.Since, f.Until)
	f.From = max(f.From, from)
	if to > 0 && (f.To == 0 || to < f.To) {
		f.To = to
	}
	return f
}
