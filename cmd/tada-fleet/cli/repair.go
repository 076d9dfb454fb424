package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/integration/fleet/people"
)

// repair puts the fleet document back that this machine knows, where etcd has something else.
func (f *fleet) repair(cmd *cobra.Command, _ []string) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	known, err := d.folder.Text()
	if err != nil {
		return err
	}
	ctx, cancel := soon(cmd)
	r, err := d.Damage(ctx, known)
	cancel()
	if err != nil {
		return err
	}
	if r.Why == nil {
		return f.say(map[string]any{"serial": r.Fleet.Serial, "repaired": false},
			"nothing to repair: etcd has document %d\n", r.Fleet.Serial)
	}
	tty, err := terminal()
	if err != nil {
		return fmt.Errorf("the fleet document in etcd is not taken: %w; %w", r.Why, err)
	}
	defer tty.Close()
	if err := confirm(tty, damageOf(r)); err != nil {
		return err
	}
	key, err := f.key(cmd.Context(), d)
	if err != nil {
		return err
	}
	ctx, cancel = soon(cmd)
	defer cancel()
	if err := d.Repair(ctx, key, r); err != nil {
		return err
	}
	return f.say(map[string]any{"serial": r.Fleet.Serial, "repaired": true},
		"etcd has document %d again\n", r.Fleet.Serial)
}

var errNotRepaired = errors.New("nothing was changed")

// confirm asks for a person's yes.
func confirm(tty *os.File, text string) error {
	fmt.Fprint(tty, text+"? (yes) ")
	if !saidYes(tty) {
		return errNotRepaired
	}
	return nil
}

// damageOf says what is in etcd, and what would replace it.
func damageOf(r people.Repair) string {
	text := fmt.Sprintf("what etcd has as the fleet document is not taken: %v\n", r.Why)
	if r.Serial >= r.Fleet.Serial {
		text += fmt.Sprintf("It says that it is document %d of this fleet. If administrators have "+
			"changed while this machine was away, it may be right: try on a machine that was "+
			"connected.\n", r.Serial)
	}
	return text + fmt.Sprintf("Put document %d back, the newest that this machine has seen",
		r.Fleet.Serial)
}
