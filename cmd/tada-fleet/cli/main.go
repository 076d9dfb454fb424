// Package cli is the command line of tada-fleet.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/cmd/tada-fleet/verbs"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

// A verb does what is typed.
type verb func(f *fleet, cmd *cobra.Command, args []string) error

// does has what each verb does.
var does = map[string]verb{
	"init": (*fleet).init, "serve": (*fleet).serve, "invite": (*fleet).invite,
	"join": (*fleet).join, "agent": (*fleet).agent, "status": (*fleet).status,
	"list": (*fleet).list, "show": (*fleet).show, "revoke": (*fleet).revoke,
	"leave":           (*fleet).leave,
	"registrar renew": (*fleet).registrarRenew, "registrar move": (*fleet).registrarMove,
	"registrar replace": (*fleet).registrarReplace,
	"person add":        (*fleet).personAdd, "person remove": (*fleet).personRemove,
	"person list": (*fleet).personList, "person sign": (*fleet).personSign,
	"pending": (*fleet).pending, "answer": (*fleet).answer, "freeze": (*fleet).freeze,
	"unfreeze": (*fleet).unfreeze, "ship": (*fleet).ship, "ship-key": (*fleet).shipKey,
	"verify": (*fleet).verify, "export": (*fleet).export, "repair": (*fleet).repair,
	"rebuild":      (*fleet).rebuild,
	"policy push":  (*fleet).policyPush,
	"policy force": (*fleet).policyForce, "policy withdraw": (*fleet).policyWithdraw,
	"policy list": (*fleet).policyList, "policy status": (*fleet).policyStatus,
}

// Main runs the command line argv and returns the exit status.
func Main(argv []string) int {
	f := &fleet{out: os.Stdout, err: os.Stderr}
	root := f.command()
	if len(argv) > 0 {
		root.SetArgs(argv[1:])
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM,
		syscall.SIGHUP)
	defer stop()
	err := root.ExecuteContext(ctx)
	if err == nil {
		return f.code
	}
	fmt.Fprintf(f.err, "tadactl fleet: %v\n", err)
	var usage *usageError
	var ended *exitError
	if errors.As(err, &ended) {
		return ended.status
	}
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		fmt.Fprintln(f.err, "tadactl fleet: try: tadactl fleet --help")
		return exit.Usage
	}
	return launcher.ExitOf(err)
}

// command is the tree of verbs. tadactl has their help.
func (f *fleet) command() *cobra.Command {
	root := &cobra.Command{Use: "tada-fleet", Version: launcher.Version(), SilenceUsage: true,
		SilenceErrors: true, Short: "The verbs of tadactl fleet; see tadactl fleet --help"}
	root.SetOut(f.out)
	root.SetErr(f.err)
	root.PersistentFlags().StringVar(&f.place.State, "home", "", "")
	root.PersistentFlags().BoolVar(&f.json, "json", false, "")
	root.PersistentFlags().BoolVar(&f.place.Plain, "plain", false, "")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(verbs.All(&f.o, func(name string, cmd *cobra.Command, args []string) error {
		return does[name](f, cmd, args)
	})...)
	return root
}
