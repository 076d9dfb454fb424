package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// ExitOf returns the exit status of an error of this package: 2 for an empty command, 77 for a
// record that was tampered with and for protected files, 78 for configuration or state that is
// refused, the command's own or 1 when it had run already, else 125.
func ExitOf(err error) int {
	var config *pathguard.ConfigError
	var home *state.HomeError
	var limits *approval.ConfigError
	var tampered *audit.TamperError
	var protected *tamper.TamperError
	var after *AfterError
	var forbidden *ForbiddenError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrEmpty):
		return exit.Usage
	case errors.As(err, &protected):
		// behind a command, too: a caller that reads only the status must not take it for a success
		return exit.Tampered
	case errors.As(err, &after): // 125 would say that nothing ran, and a client would run it again
		return max(after.Status, 1)
	case errors.As(err, &forbidden):
		return exit.Denied
	case errors.As(err, &tampered):
		return exit.Tampered
	case errors.As(err, &config), errors.As(err, &home), errors.As(err, &limits),
		errors.Is(err, audit.ErrUnsafe), errors.Is(err, approval.ErrMeddled):
		return exit.Config
	}
	if failure, ok := approval.Explain(err); ok {
		return failure.Exit
	}
	return exit.Failed
}
