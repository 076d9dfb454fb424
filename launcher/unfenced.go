package launcher

import (
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// unfenced adds the next command to type to the error about a sandbox that is not available here.
func (l *Launcher) unfenced(err error) error {
	if hide, ok := errors.AsType[*sandbox.CannotHideError](err); ok {
		for _, r := range []struct {
			what,
			dir string
		}{{"state directory, and name it with --home", l.state.Dir},
			{"home directory", l.account}} {
			if r.dir != "/" && pathname.Within(r.dir, hide.Root) &&
				(pathname.Within(hide.Path, r.dir) || pathname.Within(r.dir, hide.Path)) {
				return fmt.Errorf("%w; try: move the %s: commands may write %q, and only level "+
					"strong can hide it there (tadactl doctor)", err, r.what, hide.Root)
			}
		}
	}
	for _, r := range []struct {
		cause error
		try   string
	}{
		{sandbox.ErrNoAnswers, hostsElsewhere + ", or with tadactl policy edit set network: " +
			"{default: on}, which lets commands connect to any host"},
		{sandbox.ErrCannotHide, "tadactl doctor, which shows what is missing for level strong"},
		{sandbox.ErrUnsupported, "tadactl doctor"},
	} {
		if errors.Is(err, r.cause) {
			return fmt.Errorf("%w; try: %s", err, r.try)
		}
	}
	return err
}
