package cli

import (
	"context"
	"fmt"

	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/sandbox/attack"
)

// outcomeWords are the outcomes as they are printed; JSON has their stable names.
var outcomeWords = map[attack.Outcome]string{
	attack.Held: "blocked", attack.Broken: "BROKEN", attack.Told: "not covered",
	attack.Unproven: "untested",
}

// attack tries every known escape from the sandbox at each level of this machine, and the same
// without a sandbox, which shows that the attack works at all.
func (c *ctl) attack(ctx context.Context) error {
	count := map[attack.Outcome]int{}
	var all []attack.Row
	for level := sandbox.Base; level <= sandbox.Probe().Level; level++ {
		rows, err := attack.Run(ctx, level)
		if err != nil {
			return fmt.Errorf("attack the sandbox at level %q: %w; try: tadactl doctor", level, err)
		}
		all = append(all, rows...)
	}
	if len(all) == 0 {
		return fmt.Errorf(
			"no sandbox works on this machine, so there is nothing to attack; try: tadactl doctor")
	}
	for _, r := range all {
		count[r.Outcome]++
		if !c.json {
			fmt.Fprintf(c.out, "%-11s  %-6s  %-12s %-44s %s\n", outcomeWords[r.Outcome], r.Level,
				r.Kind, r.Name, r.Note)
		}
	}
	if count[attack.Broken] > 0 {
		c.status = exit.Failed
	}
	if c.json {
		rows := make([]map[string]string, len(all))
		for i, r := range all {
			rows[i] = map[string]string{"outcome": string(r.Outcome), "level": r.Level.String(),
				"kind": r.Kind, "name": r.Name, "note": r.Note}
		}
		return c.printJSON(map[string]any{"version": launcher.Version(), "attacks": rows})
	}
	fmt.Fprintf(c.out,
		"\n%d blocked, %d broken, %d not covered by the level (each run records which), %d "+
			"untested: they fail on this machine even without a sandbox\n",
		count[attack.Held], count[attack.Broken], count[attack.Told], count[attack.Unproven])
	return nil
}
