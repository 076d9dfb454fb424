package cli

import (
	"context"
	"fmt"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/sandbox/attack"
)

// attack tries every known way out of a fence at each level of this machine, beside a victim
// without a fence that shows that the attack works at all.
func (c *ctl) attack(ctx context.Context) error {
	count := map[attack.Outcome]int{}
	var all []attack.Row
	for level := sandbox.Base; level <= sandbox.Probe().Level; level++ {
		rows, err := attack.Run(ctx, level)
		if err != nil {
			return fmt.Errorf("attack the fence at level %q: %w; try: tadactl doctor", level, err)
		}
		all = append(all, rows...)
	}
	if len(all) == 0 {
		return fmt.Errorf("there is no fence on this machine to attack; try: tadactl doctor")
	}
	for _, r := range all {
		count[r.Outcome]++
		if !c.json {
			fmt.Fprintf(c.out, "%-8s  %-6s  %-12s %-44s %s\n", r.Outcome, r.Level, r.Kind, r.Name, r.Note)
		}
	}
	if count[attack.Broken] > 0 {
		c.status = launcher.ExitFailed
	}
	if c.json {
		rows := make([]map[string]string, len(all))
		for i, r := range all {
			rows[i] = map[string]string{"outcome": string(r.Outcome), "level": r.Level.String(), "kind": r.Kind, "name": r.Name, "note": r.Note}
		}
		return c.printJSON(map[string]any{"version": launcher.Version(), "attacks": rows})
	}
	fmt.Fprintf(c.out, "\n%d held, %d broken, %d not kept by this level (the receipt of a run says so), %d that do not work on this machine even without a fence\n",
		count[attack.Held], count[attack.Broken], count[attack.Told], count[attack.Unproven])
	return nil
}
