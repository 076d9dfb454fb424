package console

import (
	"encoding/json"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
)

const (
	// intentLife is how long a person may take to confirm an act.
	intentLife = 2 * time.Minute
	// mostIntents is how many acts may wait to be confirmed.
	mostIntents = 32
)

var (
	errIntent = errors.New("it was confirmed already, or not within two minutes; try again")
	errBusy   = errors.New("too many acts wait to be confirmed; wait two minutes")
)

// A confirmation is what a page sends with an act: the code of the terminal, or what a passkey has
// signed.
type confirmation struct {
	Nonce    string          `json:"nonce"`
	Code     string          `json:"code"`
	Response json.RawMessage `json:"response"`
}

// An intent is an act that a page has begun and that no one has confirmed.
type intent struct {
	act   approval.Act
	code  *code     // nil until the page asks for one
	begun time.Time // by the wall clock, which goes on while the machine sleeps
}

// over reports whether a person took too long, or the clock was set back, which may hide that.
func (i *intent) over(now time.Time) bool {
	age := now.Sub(i.begun)
	return age < 0 || age >= intentLife
}

// intents are the open ones, by their nonce.
type intents struct {
	mu   sync.Mutex
	open map[string]*intent
}

// add opens one. The nonce is new, so that nothing that was signed before confirms it.
func (i *intents) add(a approval.Act, now time.Time) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.open == nil {
		i.open = map[string]*intent{}
	}
	maps.DeleteFunc(i.open, func(_ string, in *intent) bool { return in.over(now) })
	if len(i.open) >= mostIntents {
		return errBusy
	}
	i.open[a.Nonce] = &intent{act: a, begun: now.Round(0)}
	return nil
}

// find runs f on an open intent for exactly this act; f returns whether it stays open.
func (i *intents) find(a approval.Act, now time.Time, f func(*intent) (stays bool)) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	in := i.open[a.Nonce]
	if in == nil || in.act != a || in.over(now) {
		return errIntent
	}
	if !f(in) {
		delete(i.open, a.Nonce)
	}
	return nil
}
