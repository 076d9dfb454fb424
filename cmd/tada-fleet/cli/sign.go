package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// personSign completes a change that takes two.
func (f *fleet) personSign(cmd *cobra.Command, args []string) error {
	text, err := readFile(args[0])
	if err != nil {
		return err
	}
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	key, err := f.key(cmd.Context(), d)
	if err != nil {
		return err
	}
	if err := f.reviewed(cmd, d, text); err != nil {
		return err
	}
	ctx, cancel := soon(cmd)
	defer cancel()
	if err := d.Finish(ctx, key, text); err != nil {
		return err
	}
	return f.say(map[string]any{"done": "changed"}, "changed\n")
}

var errNotSigned = errors.New("it was not signed")

// reviewed shows what a change does, at the terminal: nobody signs what another one has written
// without having seen it.
func (f *fleet) reviewed(cmd *cobra.Command, d desk, text []byte) error {
	ctx, cancel := soon(cmd)
	defer cancel()
	lines, by, err := d.Review(ctx, text)
	if err != nil {
		return err
	}
	tty, err := terminal()
	if err != nil {
		return err
	}
	defer tty.Close()
	fmt.Fprintf(tty, "a change of fleet %q, signed by %s:\n  %s\nsign it? (yes) ", d.own.Fleet,
		strings.Join(by, ", "), strings.Join(lines, "\n  "))
	if !saidYes(tty) {
		return errNotSigned
	}
	return nil
}

func saidYes(tty io.Reader) bool {
	said, err := bufio.NewReader(io.LimitReader(tty, 64)).ReadString('\n')
	return err == nil && strings.TrimSpace(said) == "yes"
}

func readFile(path string) ([]byte, error) {
	in := os.Stdin
	if path != "-" {
		var err error
		if in, err = os.Open(path); err != nil {
			return nil, err
		}
		defer in.Close()
	}
	text, err := io.ReadAll(io.LimitReader(in, document.MaxSize+1))
	if err == nil && len(text) > document.MaxSize {
		err = fmt.Errorf("%q: %w", path, approval.ErrOversized)
	}
	return text, err
}
