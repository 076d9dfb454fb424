package launcher

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/launcher/watch"
	"github.com/tada-run/tada-run/pathguard"
)

// facts are the entry about the start: where the command runs, by what right, and what its sandbox
// lacks.
func (s *started) facts() object {
	lost := make([]any, 0, len(s.receipt.Lost))
	for _, l := range s.receipt.Lost {
		lost = append(lost, object{"protection": string(l.Protection), "why": l.Why})
	}
	bounds := make([]any, 0, len(s.receipt.Bounds))
	_, named := s.limited()
	for _, b := range s.receipt.Bounds {
		if b.Limit == sandbox.LimitWatches || !watch.Has(named, b.Limit) {
			continue // a default: it is recorded when the run reaches it
		}
		bounds = append(bounds, object{"limit": string(b.Limit),
			"value": int64(min(b.Value, 1<<53)), "by": string(b.By), "tree": b.Tree})
	}
	search := ""
	if s.partial {
		search = "incomplete"
	}
	o := object{
		"hide_search": search, "pid": s.process.Pid(), "launcher": state.Process(),
		"level": s.receipt.Level.String(), "kernel": s.receipt.Kernel,
		"profile": s.receipt.Profile, "landlock": s.receipt.Landlock, "errata": s.receipt.Errata,
		"proven": s.receipt.Proven, "lost": lost,
		"authority": s.Kind(), "envelope_id": s.Envelope, "grant_id": s.Grant, "bounds": bounds,
	}
	if s.Batch != "" {
		o["batch_plan"] = s.Batch
	}
	if line := s.contacts().line(pathguard.English); line != "" {
		o["network"] = strings.TrimPrefix(line, reachEnglish.title)
	}
	if notice := s.unkept(); notice != "" {
		o["unkept"] = notice
	}
	if len(s.inherited) > 0 {
		o["inherited"] = fmt.Sprint(s.inherited)
	}
	if len(s.withheld) > 0 {
		o["withheld"] = s.withheld
	}
	return o
}
