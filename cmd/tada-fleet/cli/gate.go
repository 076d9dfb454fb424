package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/replay"
)

// refused is the exit status of a gate that is closed, as of tadactl policy replay.
const refused = 1

// A draft is a configuration that is to become a bundle, or to be in force as one.
type draft struct {
	file     string
	text     []byte
	machines document.Selector
	except   document.Selector // of them, those that have another draft
}

func (x draft) isFor(m people.Member) bool {
	return !m.Revoked && x.machines.Selects(m.Labels) && !x.except.Selects(m.Labels)
}

// drafts are what machines would have with the next version of a bundle in force; the zero Bundle
// withdraws it. Machines that had the bundle and would not have it any more are judged without it.
func drafts(p people.Policy, next document.Bundle) (list []draft) {
	if next.Text != "" {
		list = append(list, draft{file: p.Name, text: []byte(next.Text), machines: next.Machines})
	}
	had := p.Force.Machines
	if p.Lapsed {
		had = document.Everywhere()
	}
	if (p.Force.Text != "" || p.Lapsed) && had.String() != next.Machines.String() {
		list = append(list, draft{file: p.Name, machines: had, except: next.Machines})
	}
	return list
}

// pushGate is the gate of a bundle that is only tried: where it is asked for.
func (f *fleet) pushGate(cmd *cobra.Command, x draft) error {
	o := f.o.Policy
	if o.Gate == "" && len(o.Identities) == 0 {
		if len(o.Accept) > 0 {
			return usagef("--accept is for a gate: --identity FILE")
		}
		return nil
	}
	return f.gate(cmd, x)
}

// without says why there is no gate for a bundle that is to be in force; "" if there is one. Where
// records are shipped, only a person who says why can do without.
func (f *fleet) without(to document.Shipping) (why string, err error) {
	o := f.o.Policy
	asked := o.Gate != "" || len(o.Identities) > 0
	switch {
	case o.NoGate != "" && (asked || len(o.Accept) > 0):
		return "", usagef("--no-gate is instead of --gate, --identity and --accept")
	case asked && len(o.Identities) == 0:
		return "", usagef("--gate needs --identity: a file with the key of a recipient")
	case asked:
		return "", nil
	case o.NoGate != "":
		return o.NoGate, nil
	case to.Nowhere():
		return "the fleet ships no records", nil
	}
	return "", usagef("what ran is judged again first, from bucket %q: give the key of a "+
		"recipient, --identity FILE; to do without: --no-gate REASON", to.Bucket)
}

// gate judges the shipped runs of the machines that a draft is for again, and fails where it would
// allow what was asked about or denied.
func (f *fleet) gate(cmd *cobra.Command, x draft) error {
	o := f.o.Policy
	f.o.Verify.Bucket, f.o.Verify.Identities = o.Gate, o.Identities
	check, err := f.check(cmd.Context())
	if err != nil {
		return err
	}
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	ctx, cancel := soon(cmd)
	defer cancel()
	all, err := d.Members(ctx)
	if err != nil {
		return err
	}
	r, err := replay.Bundle(d.l.Recorded().Account, x.file, x.text,
		replay.Options{Accept: o.Accept})
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m people.Member) bool { return !x.isFor(m) })
	absent, err := replayAll(cmd.Context(), check, all, r)
	if err != nil {
		return err
	}
	return f.gated(r.Result(), len(all), absent)
}

// replayAll judges what was shipped of machines again. absent have shipped nothing.
func replayAll(ctx context.Context, check ship.Check, all []people.Member,
	r *replay.Replaying) (absent []string, err error) {
	there, err := check.Machines(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if !slices.Contains(there, m.ID) {
			absent = append(absent, m.Name)
			continue
		}
		if err := replayOne(ctx, check, m, r); err != nil {
			return nil, fmt.Errorf("%w; see: tadactl fleet verify %s", err, m.ID)
		}
	}
	return absent, nil
}

// replayOne judges what was shipped of one machine again, after it was verified.
func replayOne(ctx context.Context, check ship.Check, m people.Member,
	r *replay.Replaying) error {
	dir, err := os.MkdirTemp("", "tada-gate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	_, record, err := check.Restore(ctx, m.ID, dir)
	if err != nil {
		return err
	}
	for _, log := range record.Logs {
		if err := r.Add(replay.Copy{Machine: m.Name, Log: log,
			Plans: record.Plans}); err != nil {
			return err
		}
	}
	return nil
}

// gated prints a replay, and fails where something would be allowed that nobody accepted.
func (f *fleet) gated(r replay.Replayed, machines int, absent []string) error {
	text := fmt.Sprintf("records of %s, %d of them with nothing shipped\n",
		audit.Plural(machines, "machine"), len(absent)) + r.Table(notice.UTF8())
	if err := f.say(map[string]any{"machines": machines, "absent": append([]string{}, absent...),
		"runs": r.Runs, "plans": r.Plans, "same": r.Same,
		"changes": append([]*replay.Changed{}, r.Changes...),
		"skipped": append([]replay.Skipped{}, r.Skipped...)}, "%s", text); err != nil {
		return err
	}
	loose := r.Loose()
	if len(loose) == 0 {
		return nil
	}
	for i, rule := range loose {
		loose[i] = render.Inert(rule)
	}
	return &exitError{fmt.Errorf("it would allow what was asked about or denied, so it was not "+
		"signed; to accept that: --accept %s", strings.Join(loose, " --accept ")), refused}
}
