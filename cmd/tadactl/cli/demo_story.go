package cli

import (
	"context"
	"fmt"

	"github.com/tada-run/tada-run/launcher/exit"
)

// A step is one command of the story.
type step struct {
	shows string // what it shows, in one line
	play  func(ctx context.Context, d *demo, s step) error

	as      manner
	program string
	args    []string
	ends    int // the status with which it ends
}

var story = []step{
	{shows: "A harmless command runs at once, sandboxed and recorded.",
		play: told, program: "tada-run", args: []string{"wc -l notes.txt"}},
	{shows: "So does a deletion, because it can be undone: nobody has to be asked.",
		play: told, program: "tada-run", args: []string{"rm -r photos; ls"}},
	{shows: "You take it back, and read first what comes back.",
		play: takeBack},
	{shows: "Deleting the history of a project is dangerous, so that is a question.",
		play: asked},
	{shows: "No agent can give the answer: that is denied.",
		play: told, as: quiet, program: "tada-run", args: []string{"tadactl approve 0b6d"},
		ends: exit.Denied},
	{shows: "What a command printed can be watched again.",
		play: told, as: piped, program: "tadactl", args: []string{"replay", "--no-wait"}},
	{shows: "The record proves that no step was changed or left out.",
		play: told, program: "tadactl", args: []string{"audit", "verify"}},
}

// told runs the command of a step.
func told(ctx context.Context, d *demo, s step) error {
	status, err := d.run(ctx, s.as, s.program, s.args...)
	if err == nil && status != s.ends {
		err = fmt.Errorf("%s ended with status %d, not %d; if your configuration is why, see: "+
			"tadactl policy show; if not, try: tadactl doctor", s.program, status, s.ends)
	}
	return err
}

// takeBack has the person undo the last run. Without one, the demo does what an agent may do with
// a run that it has started itself.
func takeBack(ctx context.Context, d *demo, s step) error {
	if d.present {
		status, err := d.run(ctx, asTyped, "tadactl", "undo")
		if err == nil && status != 0 {
			fmt.Fprintln(d.out, "Nothing was taken back.")
		}
		return err
	}
	fmt.Fprintln(d.out, "$ tadactl --home ../state undo\n"+
		"(Only a person can type that. An agent can take back its own last run.)")
	steps, err := d.undoOwn(ctx)
	d.printSteps(steps)
	return err
}

// asked runs the dangerous command. The person answers at the question; without one, the command
// waits, the demo answers, and the same command runs.
func asked(ctx context.Context, d *demo, s step) error {
	s.as, s.program, s.args, s.ends = quiet, "tada-run", []string{dangerous}, exit.Pending
	if d.present {
		status, err := d.run(ctx, asTyped, s.program, dangerous)
		if err == nil && status != 0 {
			fmt.Fprintln(d.out, "It was not approved, so nothing ran.")
		}
		return err
	}
	if err := told(ctx, d, s); err != nil {
		return err
	}
	if err := d.answer(ctx); err != nil {
		return err
	}
	fmt.Fprintln(d.out, "(The demo has approved it, with a key that only its state directory\n"+
		"trusts. Now the same command runs, once.)")
	s.ends = 0
	return told(ctx, d, s)
}
