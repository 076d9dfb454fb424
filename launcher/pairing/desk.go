package pairing

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/state"
)

// A Desk is where passkeys are paired and answer. Its methods may be called from many goroutines
// and processes at once.
type Desk struct {
	approvals *permit.Approvals
	dir       *state.Directory
}

// Open returns the desk of a state directory.
func Open(p *permit.Approvals) *Desk { return &Desk{p, p.Directory()} }

// Passkeys returns those whose answers count.
func (d *Desk) Passkeys() (passkey.List, error) { return passkey.Load(d.dir.Passkeys()) }

// lock keeps the list of passkeys from being changed by others. An answer holds it too, so that the
// log has it before the entry that revokes its passkey.
func (d *Desk) lock() (*os.File, error) { return d.dir.Lock("passkeys", syscall.LOCK_EX) }

// write replaces the list.
func (d *Desk) write(l passkey.List) error {
	text, err := l.Text()
	if err != nil {
		return err
	}
	return state.Replace(d.dir.Passkeys(), text)
}

// A Wish is what a person wants to pair.
type Wish struct {
	Console string // base address of the console; "" for the one that runs
	Name    string // the person; "" for the account, as at the terminal
	MaxRisk int
}

// maxAddress is the maximum length of the address of a console.
const maxAddress = 1 << 10

// Link returns the link that pairs one device, and until when. Only a person at a terminal may ask
// for it, with a one-time code where codes are set up.
func (d *Desk) Link(ctx context.Context, w Wish, f permit.Factor) (string, time.Time, error) {
	if w.Name == "" {
		w.Name = permit.Person()
	}
	if err := approval.CheckPerson(w.Name, w.MaxRisk); err != nil {
		return "", time.Time{}, err
	}
	base, origin, err := d.console(w.Console)
	if err != nil {
		return "", time.Time{}, err
	}
	if _, err := d.approvals.Enrolling(ctx, f); err != nil {
		return "", time.Time{}, err
	}
	random := make([]byte, 32)
	if _, err := io.ReadFull(d.dir.Random, random); err != nil {
		return "", time.Time{}, err
	}
	token := base64.RawURLEncoding.EncodeToString(random)
	now := d.dir.Now().UTC()
	text, err := json.Marshal(pending{hashOf(token), origin, w.Name, w.MaxRisk, now,
		now.Add(tokenLife)})
	if err != nil {
		return "", time.Time{}, err
	}
	lock, err := d.lock()
	if err != nil {
		return "", time.Time{}, err
	}
	defer lock.Close()
	return base + "pair#" + token, now.Add(tokenLife), state.Replace(d.dir.Pairing(), text)
}

// ErrNoConsole is returned by [Desk.Link] if no console runs and no address was given.
var ErrNoConsole = errors.New("no console runs")

// console returns the base address of a console, which ends in a slash, and its origin.
func (d *Desk) console(address string) (base, origin string, err error) {
	if address == "" {
		text, err := private.Read(d.dir.Console(), maxAddress)
		if errors.Is(err, os.ErrNotExist) {
			return "", "", ErrNoConsole
		}
		if err != nil {
			return "", "", err
		}
		address = strings.TrimSuffix(string(text), "\n")
	}
	u, err := url.Parse(address)
	if err != nil || len(address) > maxAddress || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" || u.Opaque != "" {
		return "", "", fmt.Errorf("%q is not the address of a console", address)
	}
	origin = u.Scheme + "://" + u.Host
	if _, err := passkey.Host(origin); err != nil {
		return "", "", err
	}
	return strings.TrimSuffix(u.String(), "/") + "/", origin, nil
}
