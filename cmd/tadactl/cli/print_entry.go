package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher"
)

// printEntry prints one entry: what it is, the members of its body that a reader looks for, and a
// note.
func (c *ctl) printEntry(e audit.Entry, note string) error {
	if c.json {
		return c.printJSON(c.entryFacts(e))
	}
	var body map[string]any
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return err
	}
	line := fmt.Sprintf("%6d  %s  %-18s", e.Seq, e.Time.Local().Format(time.DateTime), e.Kind)
	for _, name := range []string{"sid", "envelope_id", "agent", "verdict", "authority", "outcome",
		"approver", "channel", "status", "timed_out", "by", "workspace", "order", "lost", "code",
		"level", "did", "do", "on", "how", "device", "why", "reason", "inside", "command"} {
		if name == "command" && body["inside"] != nil {
			continue // --json also has the text that its program put around it
		}
		if v, ok := body[name]; ok && v != "" && v != false {
			line += fmt.Sprintf("  %s=%s", name, brief(fmt.Sprint(v)))
		}
	}
	if via, _ := body["via"].(map[string]any); via["device"] != nil {
		line += "  device=" + brief(fmt.Sprint(via["device"]))
	}
	if hash, _ := body["plan_hash"].(string); hash != "" {
		line += "  plan=" + inert(plan.Prefix(hash)) // as the question showed it
	}
	if note != "" {
		line += "  (" + note + ")"
	}
	if why := c.unproven(e); why != "" {
		line += "  UNPROVEN (" + inert(why) + ")"
	}
	_, err := fmt.Fprintln(c.out, c.row(line))
	return err
}

func (c *ctl) entryFacts(e audit.Entry) map[string]any {
	facts := map[string]any{"seq": e.Seq, "time": e.Time.Format(time.RFC3339Nano), "kind": e.Kind,
		"body": json.RawMessage(e.Body)}
	if why := c.unproven(e); why != "" {
		facts["unproven"] = why
	}
	return facts
}

// printer prints entries, and says of a run that was reported lost by mistake that it went on.
func (c *ctl) printer(l *launcher.Launcher) func(audit.Entry) error {
	return func(e audit.Entry) error {
		if e.Kind != audit.KindOrphan || c.json {
			return c.printEntry(e, "")
		}
		var body struct{ SID string }
		if json.Unmarshal(e.Body, &body) != nil {
			return c.printEntry(e, "")
		}
		if r, err := l.Past(body.SID); err == nil && r.Revived {
			return c.printEntry(e, "by mistake: the run continued, see its later entries")
		}
		return c.printEntry(e, "")
	}
}

// doubt reads which parts of the log are not proven, for [ctl.printEntry] to mark.
func (c *ctl) doubt(l *launcher.Launcher) (err error) {
	c.doubts, err = l.Gaps()
	return err
}

// sayMissing says which files of the log are missing: nothing of them is in an answer.
func (c *ctl) sayMissing(l *launcher.Launcher) error {
	names, err := audit.Missing(l.Home().Audit())
	for _, name := range names {
		fmt.Fprintf(c.err, "tadactl: %q is missing, so what it recorded is left out; see: "+
			"tadactl audit verify\n", name)
	}
	return err
}

// setApart reports whether an error is about bytes that the log itself sets apart.
func (c *ctl) setApart(err error) bool {
	var bad *audit.BadEntry
	return errors.As(err, &bad) && slices.ContainsFunc(c.doubts,
		func(g audit.Gap) bool { return g.Holds(bad.Offset) })
}

// unproven returns why an entry is not proven, "" for one that is.
func (c *ctl) unproven(e audit.Entry) string {
	for _, g := range c.doubts {
		if g.Covers(e.Offset) {
			return g.Unproven()
		}
	}
	return ""
}
