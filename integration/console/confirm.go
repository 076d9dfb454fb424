package console

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/state"
)

// maxOn is the maximum length of what an act is on, in bytes; onRoom is how much of it the terminal
// shows.
const maxOn, onRoom = 1 << 10, 80

// actBegin opens an act, and returns its nonce and what a passkey has to sign.
func (s visit) actBegin(_ *http.Request, p posted) (any, error) {
	nonce := make([]byte, 16)
	if _, err := io.ReadFull(s.random, nonce); err != nil {
		return nil, err
	}
	a := approval.Act{Do: p.Do, On: p.On, Nonce: hex.EncodeToString(nonce)}
	if _, known := a.Risk(); !known || len(a.On) > maxOn {
		return nil, fmt.Errorf("there is no act %.20q on %.20q", p.Do, p.On)
	}
	if err := s.session.intents.add(a, s.now()); err != nil {
		return nil, err
	}
	answer := map[string]any{"nonce": a.Nonce}
	if options, err := s.desk().ActBegin(a, s.base); err == nil {
		answer["options"] = json.RawMessage(options)
	}
	return answer, nil
}

// actCode shows the code of an open act on the terminal.
func (s visit) actCode(_ *http.Request, p posted) (any, error) {
	text, err := s.newCode()
	if err != nil {
		return nil, err
	}
	a := approval.Act{Do: p.Do, On: p.On, Nonce: p.Nonce}
	fresh := false
	err = s.session.intents.find(a, s.now(), func(in *intent) bool {
		if fresh = in.code == nil; fresh {
			in.code = &code{text: text, plan: a.Nonce}
		}
		return true
	})
	if err == nil && fresh {
		s.say(fmt.Sprintf("%s  to %s  code %s", named(a.On), a.Do, text))
	}
	return map[string]any{}, err
}

// confirm takes an act that this session has begun, once, records it, and returns who confirmed it.
// It is part of an attempt.
func (s visit) confirm(do, on string, c confirmation) (by string, err error) {
	defer func() {
		if err != nil {
			s.say(fmt.Sprintf("%s  not confirmed: %s: %v", named(on), do, err))
		}
	}()
	a := approval.Act{Do: do, On: on, Nonce: c.Nonce}
	var wrong error
	err = s.session.intents.find(a, s.now(), func(in *intent) (stays bool) {
		if len(c.Response) > 0 {
			return false
		}
		counts, err := in.code.take(c.Code, a.Nonce)
		wrong = err
		return err != nil && counts && !errors.Is(err, errSpent)
	})
	if err = errors.Join(err, wrong); err != nil {
		return "", err
	}
	if len(c.Response) > 0 {
		by, err = s.desk().ActByPasskey(a, s.base, s.device(), c.Response)
	} else {
		by, err = s.desk().ActByCode(a, s.device())
	}
	if err == nil {
		s.say(fmt.Sprintf("%s  to %s: confirmed by %s", named(on), do, by))
	}
	return by, err
}

// named is what an act is on, for the terminal: the run, or what the page calls it, in quotes. A
// page could call it something that reads like a line of the console.
func named(on string) string {
	if id, _, _ := strings.Cut(on, " "); state.IsID(id) {
		return id
	}
	return fmt.Sprintf("%.*q", onRoom, on)
}
