// Package cli is the command line of tada-fleet.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/member"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
)

// A fleet is one run of the program.
type fleet struct {
	place launcher.Place
	json  bool
	out   io.Writer
	err   io.Writer
}

// A usageError ends with exit status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// Main runs the command line argv and returns the exit status.
func Main(argv []string) int {
	f := &fleet{out: os.Stdout, err: os.Stderr}
	root := f.command()
	root.SetArgs(argv[1:])
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM,
		syscall.SIGHUP)
	defer stop()
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintf(f.err, "tadactl fleet: %v\n", err)
	var usage *usageError
	if errors.As(err, &usage) || strings.HasPrefix(err.Error(), "unknown command") {
		fmt.Fprintln(f.err, "tadactl fleet: try: tadactl fleet --help")
		return exit.Usage
	}
	return launcher.ExitOf(err)
}

// command is the tree of verbs. They are named as people type them.
func (f *fleet) command() *cobra.Command {
	root := &cobra.Command{Use: "fleet", Version: launcher.Version(), SilenceUsage: true,
		SilenceErrors: true, Short: "Connect machines: one inbox, one policy, one way to stop"}
	root.SetOut(f.out)
	root.SetErr(f.err)
	root.PersistentFlags().StringVar(&f.place.State, "home", "",
		"use this state directory instead of ~/.tada")
	root.PersistentFlags().BoolVar(&f.json, "json", false, "print JSON")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(f.init(), f.serve(), f.invite(), f.join(), f.leave(), f.agent(), f.status(),
		f.list(), f.revoke(), f.person(), f.pending(), f.answer(), f.freeze(), f.unfreeze())
	return root
}

// exactly makes wrong arguments a usage error.
func exactly(n int, cmd *cobra.Command) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, words []string) error {
		if len(words) != n {
			return usagef("missing or extra argument; usage: tadactl fleet %s", cmd.Use)
		}
		return nil
	}
	return cmd
}

// say prints v with --json, otherwise the text.
func (f *fleet) say(v any, format string, args ...any) error {
	if f.json {
		enc := json.NewEncoder(f.out)
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}
	_, err := fmt.Fprintf(f.out, format, args...)
	return err
}

// dialWait is how long etcd may take to be reached.
const dialWait = 10 * time.Second

// A desk is a member machine, opened and connected.
type desk struct {
	l      *launcher.Launcher
	folder member.Folder
	own    member.Membership
	people.Office
}

// open opens the state directory and connects to the fleet that it is in. The caller closes Etcd.
func (f *fleet) open() (desk, error) {
	l, err := f.place.Open()
	if err != nil {
		return desk{}, err
	}
	d := desk{l: l, folder: member.In(l.Home())}
	if d.own, err = d.folder.Load(); err != nil {
		return desk{}, err
	}
	if d.Known, err = d.folder.Document(); err != nil {
		return desk{}, err
	}
	access, err := d.folder.Access()
	if err != nil {
		return desk{}, err
	}
	d.Etcd, err = clientv3.New(clientv3.Config{Endpoints: d.own.Endpoints, TLS: access,
		DialTimeout: dialWait, Logger: quiet()})
	return d, err
}

// soon is a context that ends when etcd should have answered.
func soon(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	return context.WithTimeout(cmd.Context(), dialWait)
}
