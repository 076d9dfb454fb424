package permit

import (
	"os"
	"os/signal"
	"syscall"
)

// holdSignals keeps signals that ask this process to end from ending it, until the function that it
// returns is called. A terminal that is closed sends more than one of them, and the second must not
// come before the question is withdrawn. With raise the process then gets the last one that came.
func holdSignals() func(raise bool) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	return func(raise bool) {
		signal.Stop(caught)
		select {
		case sig := <-caught:
			if raise {
				_ = syscall.Kill(os.Getpid(), sig.(syscall.Signal))
			}
		default:
		}
	}
}
