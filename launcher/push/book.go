package push

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/launcher/state"
)

const (
	errFull   = reason("no more devices can be notified; stop one, or revoke its passkey")
	errNoPass = reason("its passkey is not paired with this machine")
)

// A Book holds the subscriptions of a state directory. Its methods may be called from many
// goroutines and processes at once.
type Book struct {
	dir *state.Directory
}

// Open returns the book of a state directory.
func Open(dir *state.Directory) *Book { return &Book{dir} }

// without removes the subscription with an endpoint.
func without(list []Subscription, endpoint string) []Subscription {
	return slices.DeleteFunc(list, func(s Subscription) bool { return s.Endpoint == endpoint })
}

// paired removes the subscriptions whose passkey is not paired.
func paired(list []Subscription, known passkey.List) []Subscription {
	return slices.DeleteFunc(list, func(s Subscription) bool {
		return known.Find(s.Passkey) == nil
	})
}

// List returns the subscriptions that receive messages: those whose passkey is paired.
func (b *Book) List() ([]Subscription, error) {
	all, err := b.read()
	if err != nil {
		return nil, err
	}
	known, err := passkey.Load(b.dir.Passkeys())
	return paired(all, known), err
}

// ErrNone is returned by [Book.Find] for a device that is not notified.
const ErrNone = reason("this device is not notified")

// Find returns the subscription with an endpoint, if it receives messages.
func (b *Book) Find(endpoint string) (Subscription, error) {
	list, err := b.List()
	if err != nil {
		return Subscription{}, err
	}
	i := slices.IndexFunc(list, func(s Subscription) bool { return s.Endpoint == endpoint })
	if i < 0 {
		return Subscription{}, ErrNone
	}
	return list[i], nil
}

// Add adds a subscription, in the place of one with the same endpoint.
func (b *Book) Add(s Subscription) error {
	if err := s.check(); err != nil {
		return err
	}
	return b.change(func(list []Subscription, known passkey.List) ([]Subscription, error) {
		if known.Find(s.Passkey) == nil {
			return nil, errNoPass
		}
		if list = without(list, s.Endpoint); len(list) >= most {
			return nil, errFull
		}
		s.Added = b.dir.Now().UTC()
		return append(list, s), nil
	})
}

// Remove removes the subscription with an endpoint, if there is one.
func (b *Book) Remove(endpoint string) error {
	return b.change(func(list []Subscription, _ passkey.List) ([]Subscription, error) {
		return without(list, endpoint), nil
	})
}

// Prune removes the subscriptions whose passkey is paired no more. They receive nothing as it is.
func (b *Book) Prune() error {
	if _, err := os.Lstat(b.dir.Subscriptions()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return b.change(func(list []Subscription, _ passkey.List) ([]Subscription, error) {
		return list, nil
	})
}

// change replaces the list by what f makes of it, without those whose passkey is paired no more.
func (b *Book) change(f func([]Subscription, passkey.List) ([]Subscription, error)) error {
	lock, err := b.dir.Lock("push", syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer lock.Close()
	list, err := b.read()
	if err != nil {
		return err
	}
	known, err := passkey.Load(b.dir.Passkeys())
	if err != nil {
		return err
	}
	if list, err = f(paired(list, known), known); err != nil {
		return err
	}
	text, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	return state.Replace(b.dir.Subscriptions(), append(text, '\n'))
}

func (b *Book) read() ([]Subscription, error) {
	text, err := private.Read(b.dir.Subscriptions(), maxBook)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(text)
}
