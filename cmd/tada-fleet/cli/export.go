package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/columns"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/ship"
	"github.com/tada-run/tada-run/launcher"
)

// An extract is the file that export writes, and what it lacks.
type extract struct {
	*columns.Writer
	machines int
	leftOut  []leftOut
}

// A leftOut is a machine of which the file has nothing.
type leftOut struct {
	Machine string `json:"machine"`
	Reason  string `json:"reason"`
}

// export writes the runs of machines to a file, each machine when its record is proven.
func (f *fleet) export(cmd *cobra.Command, args []string) error {
	path := args[0]
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name()) // it has another name by then
	defer out.Close()
	x := &extract{Writer: columns.New(out, "tada-fleet", launcher.Version()),
		leftOut: []leftOut{}}
	some := f.each(cmd.Context(), args[1:], func(check ship.Check, id string) error {
		return x.machine(cmd.Context(), check, id)
	})
	var partly *exitError
	if some != nil && !errors.As(some, &partly) {
		return some
	}
	if x.machines == 0 { // a file of an earlier day stays
		return errors.Join(f.sayExtract("nothing is written", x), some)
	}
	if err := errors.Join(x.Close(), out.Sync()); err != nil {
		return fmt.Errorf("writing %q: %w", path, err)
	}
	if err := os.Rename(out.Name(), path); err != nil {
		return err
	}
	return errors.Join(f.sayExtract(path, x), some)
}

// machine adds the runs of one machine. Nothing is written unless all of its record is proven.
func (x *extract) machine(ctx context.Context, check ship.Check, id string) error {
	var failed error // of the file
	begun := x.Rows
	found, err := check.Entries(ctx, id, func(m document.Machine, e audit.Entry) error {
		failed = x.Add(m, e)
		return failed
	})
	if err == nil {
		failed = x.End()
	}
	switch {
	case failed != nil:
		return &stopError{failed}
	case err != nil && x.Rows > begun:
		return &stopError{fmt.Errorf("machine %s: %w", id, err)}
	case err == nil && found.Covered.IsZero():
		x.leftOut = append(x.leftOut, leftOut{id, "nothing is complete yet"})
	case err != nil:
		x.leftOut = append(x.leftOut, leftOut{id, err.Error()})
	default:
		x.machines++
	}
	return err
}

// sayExtract says what the file has, and what it has not.
func (f *fleet) sayExtract(path string, x *extract) error {
	text := fmt.Sprintf("%s: %s of %s\n", path, audit.Plural(x.Rows, "run"),
		audit.Plural(int64(x.machines), "machine"))
	for _, m := range x.leftOut {
		text += fmt.Sprintf("LEFT OUT: %s: %s\n", m.Machine, m.Reason)
	}
	return f.say(map[string]any{"file": path, "runs": x.Rows, "machines": x.machines,
		"left_out": x.leftOut}, "%s", text)
}
