package console

import (
	"errors"
	"net/http"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/launcher/push"
)

// notified is what the page of a device shows.
type notified struct {
	On      bool   `json:"on"`
	Problem string `json:"problem"`
}

var errConfirm = errors.New("a passkey of this device has to confirm it")

// notifyAdd has a device notified, once its passkey has confirmed it.
func (s visit) notifyAdd(_ *http.Request, p posted) (any, error) {
	d, err := push.Read(p.Subscription)
	if err != nil {
		return nil, err
	}
	if len(p.Response) == 0 {
		return nil, errConfirm
	}
	by, err := s.confirm("notify", d.Name(), confirmation{Nonce: p.Nonce, Response: p.Response})
	if err != nil {
		return nil, err
	}
	list, err := s.desk().Passkeys()
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		if k.Signer() == by {
			d.Passkey = k.ID
		}
	}
	return notified{On: true}, s.book().Add(d)
}

// notifyState is what a device sees of itself: who knows an endpoint is that device.
func (s visit) notifyState(_ *http.Request, p posted) (any, error) {
	_, err := s.book().Find(p.On)
	return notified{err == nil, render.Inert(s.sender.Problem(p.On))}, nil
}

// notifyTest sends a test to a device.
func (s visit) notifyTest(r *http.Request, p posted) (any, error) {
	return notified{On: true}, s.sender.Test(r.Context(), p.On)
}

// notifyRemove ends the notifications of a device. Nobody has to confirm that, and it is recorded.
func (s visit) notifyRemove(_ *http.Request, p posted) (any, error) {
	d, err := s.book().Find(p.On)
	if err != nil {
		return nil, err
	}
	if err := s.desk().Seen(approval.Visitor{Did: "unsubscribed", ID: s.session.id,
		Device: s.device(), How: s.session.how, Why: d.Name()}); err != nil {
		return nil, err
	}
	return notified{}, s.book().Remove(p.On)
}
