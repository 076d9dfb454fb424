package launcher

import (
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// unfenced adds to the error of a fence that cannot be had here what to type next.
func (l *Launcher) unfenced(err error) error {
	for _, r := range []struct {
		cause error
		try   string
	}{
		{sandbox.ErrNoAnswers, fmt.Sprintf("tada-run outside of the other program, or network: {default: on} in %q, with which commands reach every host", l.home.Config())},
		{sandbox.ErrCannotHide, "tadactl doctor, which says what keeps this machine from level strong, where it can"},
		{sandbox.ErrUnsupported, "tadactl doctor"},
	} {
		if errors.Is(err, r.cause) {
			return fmt.Errorf("%w; try: %s", err, r.try)
		}
	}
	return err
}
