package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/launcher/exit"
)

// verify proves the records of machines from the bucket.
func (f *fleet) verify(cmd *cobra.Command, ids []string) error {
	there := map[string]bool{}
	var check ship.Check
	err := f.each(cmd.Context(), ids, func(c ship.Check, id string) error {
		check, there[id] = c, true
		found, err := check.Machine(cmd.Context(), id)
		if failed := f.sayFinding(found, err); failed != nil {
			return &stopError{failed}
		}
		return err
	})
	var ended *exitError
	listed := err == nil || errors.As(err, &ended) || errors.Is(err, errEmpty)
	if len(ids) > 0 || !listed {
		return err
	}
	return f.absent(cmd, check, there, err)
}

// each does something with the record of each machine, or of all that the bucket has. Its error
// says of how many it failed; a *stopError ends it.
func (f *fleet) each(ctx context.Context, ids []string,
	do func(check ship.Check, id string) error) error {
	check, err := f.check(ctx)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		if ids, err = check.Machines(ctx); err != nil {
			return err
		}
		if len(ids) == 0 {
			return errEmpty
		}
	}
	broken, failed := int64(0), int64(0)
	for _, id := range ids {
		err := do(check, id)
		var b *ship.BrokenError
		var stop *stopError
		switch {
		case errors.As(err, &stop):
			return stop
		case errors.As(err, &b):
			broken++
		case err != nil:
			failed++
		}
	}
	all := audit.Plural(int64(len(ids)), "machine")
	switch {
	case broken > 0:
		return &exitError{fmt.Errorf("%d of %s %s missing or rewritten records", broken, all,
			has(broken)), exit.Tampered}
	case failed > 0:
		return &exitError{fmt.Errorf("%d of %s could not be read", failed, all), exit.Failed}
	}
	return nil
}

// has is the verb for a number of machines.
func has(n int64) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

var errEmpty = errors.New("the bucket holds no machine's record")

// A stopError is one after which no other machine is looked at.
type stopError struct{ error }

func (e *stopError) Unwrap() error { return e.error }

// sayFinding prints what is proven of a machine, and what is not.
func (f *fleet) sayFinding(x ship.Finding, err error) error {
	if f.json {
		seen, machines := map[string]any{}, map[string]any{}
		for _, s := range x.Seen {
			one := map[string]any{"time": nil, "entries": s.Entries}
			if !s.Time.IsZero() {
				one["time"] = s.Time
			}
			if s.Machine.ID != "" {
				machines[s.Machine.ID] = map[string]any{"time": s.Time, "name": s.Machine.Name}
				continue
			}
			seen[s.Witness] = one
		}
		v := map[string]any{"machine": x.ID, "name": x.Machine.Name, "ok": err == nil,
			"entries": x.Report.Entries, "head": x.Report.Head.String(),
			"last_entry": x.Report.Last, "covered": x.Covered, "shipped": x.Shipped,
			"manifests": x.Manifests, "runs": x.Report.Runs, "running": x.Report.Open,
			"missing": append([]string{}, x.Missing...), "plans_missing": x.Plans,
			"stray": x.Stray, "revoked": x.Revoked, "cosigned": seen,
			"cosigned_by_machines": machines}
		if err != nil {
			v["error"] = err.Error()
		}
		return f.say(v, "")
	}
	return f.say(nil, "%s", findingText(x, err))
}

// findingText is a finding for people.
func findingText(x ship.Finding, err error) string {
	text := fmt.Sprintf("%s  %s\n", x.ID, x.Machine.Name)
	line := func(format string, args ...any) { text += fmt.Sprintf("  "+format+"\n", args...) }
	if x.Revoked {
		line("revoked: it is no longer a member")
	}
	if err != nil {
		line("NOT PROVEN: %v", err)
	}
	r := x.Report
	if err == nil && x.Covered.IsZero() {
		line("nothing is complete yet")
	}
	if err == nil && !x.Covered.IsZero() && r.Entries == 0 {
		line("complete: it had no entry yet")
	}
	if err == nil && r.Entries > 0 {
		line("complete up to entry %d of %s, head %d:%s", r.Entries-1,
			r.Last.Local().Format(time.DateTime), r.Entries, r.Head)
		line("%s, %d without an end by then; %s", audit.Plural(int64(r.Runs), "run"), r.Open,
			audit.Plural(int64(r.Transcripts), "transcript"))
	}
	if !x.Shipped.IsZero() {
		line("silent since %s, by its own clock", x.Shipped.Local().Format(time.DateTime))
	}
	if !x.Covered.IsZero() {
		team, of, machines := x.Cosigned()
		line("cosigned by %d of %s of the team, and by %s", team, audit.Plural(of, "witness"),
			audit.Plural(machines, "machine"))
	}
	for _, s := range x.Seen {
		who := s.Witness
		if s.Machine.ID != "" {
			who = fmt.Sprintf("machine %s (%s)", s.Machine.Name, s.Machine.ID)
		}
		if s.Time.IsZero() {
			line("not cosigned by %s", who)
		} else {
			line("cosigned by %s at %s", who, s.Time.Local().Format(time.DateTime))
		}
	}
	for _, s := range x.Seen {
		if s.Entries > 0 {
			line("%s has seen %s: the bucket lacks the last of them", s.Witness,
				audit.Plural(s.Entries, "entry"))
		}
		if s.Silent != nil {
			line("what %s has seen is not known: %v", s.Witness, s.Silent)
		}
	}
	for _, p := range x.Skipped {
		line("deleted there before it was shipped: entries from %d on, up to those that follow; "+
			"their hashes are kept", p.Count)
	}
	if n := len(x.Missing); n > 0 {
		line("gone there before it was shipped: %s", audit.Plural(int64(n), "file"))
	}
	if x.Plans > 0 {
		line("%s missing: their runs cannot be judged again", audit.Plural(int64(x.Plans), "plan"))
	}
	if x.Stray > 0 {
		line("%s that no manifest names: of shipments that were interrupted, or somebody else's",
			audit.Plural(int64(x.Stray), "object"))
	}
	for _, n := range r.Notes {
		line("note: %s", n)
	}
	return text
}
