package past

import (
	"encoding/json"
	"iter"
	"time"

	"github.com/tada-run/tada-run/audit"
)

// About returns the entries about a run and about the question that led to it, oldest first.
func (p *Reader) About(r Run) iter.Seq2[audit.Entry, error] {
	f := audit.Filter{Texts: []string{r.ID}, From: r.place}
	var until time.Time
	// once it is deleted, its transcript may be named at any time
	if !r.Ended.IsZero() && (r.Level == "" || p.HasTranscript(r.ID)) {
		f.To, until = r.told, r.Ended.Add(answerLife)
	}
	if r.Envelope != "" {
		f.Texts = append(f.Texts, r.Envelope)
		var asked int64
		asked, f.To = p.Span(r.Began.Add(-answerLife), until)
		f.From = min(f.From, asked)
	}
	f.Match = func(e audit.Entry) bool {
		var body struct {
			SID      string
			Envelope string `json:"envelope_id"`
		}
		return json.Unmarshal(e.Body, &body) == nil && (body.SID == r.ID || body.SID == "" &&
			r.Envelope != "" && body.Envelope == r.Envelope)
	}
	return func(yield func(audit.Entry, error) bool) {
		last := int64(-1)
		for e, err := range p.Entries(f) {
			if !yield(e, err) {
				return
			}
			last = max(last, e.Offset)
		}
		if f.To == 0 {
			return
		}
		for e, err := range p.Redactions() {
			if (err != nil || e.Offset > last && f.Match(e)) && !yield(e, err) {
				return
			}
		}
	}
}
