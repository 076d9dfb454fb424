package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/prompt"
)

var errTerminal = errors.New("no terminal: run this in a terminal")

// terminal opens the terminal of the person.
func terminal() (*os.File, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, errTerminal
	}
	if !term.IsTerminal(int(tty.Fd())) {
		tty.Close()
		return nil, errTerminal
	}
	return tty, nil
}

// passphrase asks for the passphrase of the person's key, if it has one.
func (f *fleet) passphrase(ctx context.Context) func() (string, error) {
	return func() (string, error) {
		tty, err := terminal()
		if err != nil {
			return "", err
		}
		defer tty.Close()
		return prompt.ReadSecret(ctx, tty, "passphrase: ")
	}
}

// key opens the person's key.
func (f *fleet) key(ctx context.Context, d desk) (approval.Key, error) {
	key, err := d.l.OwnKey(f.passphrase(ctx))
	if err != nil {
		return key, err
	}
	known := d.Known
	asking, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	if newer, err := d.Fleet(asking); err == nil { // otherwise what is done next says why
		known = newer
	}
	if p, ok := known.Person(key.Name); !ok || !p.Key.Equal(key.Public()) {
		return key, fmt.Errorf("%q is not one of the people in fleet %q; an administrator can "+
			"add it: tadactl fleet person add '%s'", key.Name, d.own.Fleet, key.TrustLine())
	}
	return key, nil
}
