package console

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A message is what a browser sends: keys, behind the epoch for which they were typed, or a wish.
type message struct {
	kind websocket.MessageType
	body []byte
}

var errMessage = errors.New("the page sent what it never sends")

// hear does what a browser wants. An error ends the connection.
func (v *viewer) hear(m message) error {
	if m.kind == websocket.MessageBinary {
		return v.keys(m.body)
	}
	var w wish
	if err := json.Unmarshal(m.body, &w); err != nil {
		return errMessage
	}
	do := wishes[w.Do]
	switch {
	case do == nil:
		return errMessage
	case w.Do != "drawn" && v.feed.send == nil:
		v.refuse(errors.New("this run is no session: it can only be watched"))
		return nil
	}
	if err := do(v, w); err != nil {
		v.refuse(err)
	}
	return nil
}

// wishes are what there is. A person who freezes a session needs no confirmation; see the package
// comment.
var wishes = map[string]func(*viewer, wish) error{
	"drawn":     (*viewer).drawn,
	"size":      (*viewer).size,
	"take over": (*viewer).confirmed,
	"continue":  (*viewer).confirmed,
	"end":       (*viewer).confirmed,
	"give back": (*viewer).giveBack,
	"freeze":    (*viewer).freeze,
}

// refuse tells the person why not.
func (v *viewer) refuse(err error) {
	if f, ok := approval.Explain(err); ok {
		err = errors.New(f.Message)
	}
	v.say(err.Error())
}

// keys passes on what was typed, from the browser alone that may. The others are told.
func (v *viewer) keys(body []byte) error {
	if len(body) < 4 {
		return errMessage
	}
	epoch, keys := binary.BigEndian.Uint32(body), body[4:]
	if v.credit -= len(keys); v.credit < 0 {
		return fmt.Errorf("more than %d bytes of keys at once", wire.Credit)
	}
	if !v.yours() {
		v.credit += len(keys)
		v.next.Took += len(keys)
		v.refuse(errors.New("you are only watching"))
		return nil
	}
	v.feed.send(wire.Frame{Kind: wire.Input, Epoch: epoch, Body: keys})
	return nil
}

func (v *viewer) drawn(wish) error {
	v.told = time.Time{}
	return nil
}

func (v *viewer) size(w wish) error {
	if cols, rows := w.bounded(); v.yours() {
		v.feed.send(wire.Frame{Kind: wire.Window, Epoch: w.Epoch, Body: wire.Size(cols, rows)})
	}
	return nil
}

func (v *viewer) giveBack(w wish) error {
	if !v.drives {
		return errors.New("you are only watching")
	}
	v.feed.send(wire.Frame{Kind: wire.Give, Epoch: w.Epoch})
	return nil
}

func (v *viewer) freeze(wish) error {
	v.feed.send(wire.Frame{Kind: wire.Freeze, Epoch: v.epoch})
	return nil
}
