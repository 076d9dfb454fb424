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
		{sandbox.ErrNoAnswers, "start tada-run outside the other program, or with tadactl policy edit set network: {default: on}, which lets commands connect to any host"},
		{sandbox.ErrCannotHide, "tadactl doctor, which shows what is missing for level strong"},
		{sandbox.ErrUnsupported, "tadactl doctor"},
	} {
		if errors.Is(err, r.cause) {
			return fmt.Errorf("%w; try: %s", err, r.try)
		}
	}
	return err
}
