package integration

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/relay/served"
	"github.com/tada-run/tada-run/launcher/state"
)

// fleetAgent is the agent of a machine of a fleet, as far as commands meet it: it has a database in
// a file. With the argument "unconnected" it has lost its connection.
func fleetAgent() {
	home := state.Home{Dir: os.Getenv("TRANSCRIPT_HOME")}
	l, err := served.Listen(home.FleetSocket())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	file := bolt.File(filepath.Join(home.Fleet(), "approvals.db"),
		approval.Options{Rand: rand.Reader})
	var db approval.DB = file
	if slices.Contains(os.Args, "unconnected") {
		db = unconnected{file}
	}
	_ = served.Serve(ctx, l, db)
}

// unconnected is a database that cannot be reached.
type unconnected struct{ approval.DB }

func (unconnected) Connected() (time.Time, bool) { return time.Unix(1<<30, 0), false }
