package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
)

// looking is the body of a verb that reads what the fleet has.
func (f *fleet) looking(cmd *cobra.Command, do func(ctx context.Context, d desk) error) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	ctx, cancel := soon(cmd)
	defer cancel()
	return do(ctx, d)
}

// signing is the body of a verb that signs something with the person's key. Typing its passphrase
// may take as long as it takes.
func (f *fleet) signing(cmd *cobra.Command,
	do func(ctx context.Context, d desk, key approval.Key) error) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	key, err := f.key(cmd.Context(), d)
	if err != nil {
		return err
	}
	ctx, cancel := soon(cmd)
	defer cancel()
	return do(ctx, d, key)
}
