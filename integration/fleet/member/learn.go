package member

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
	"github.com/tada-run/tada-run/launcher/state"
)

// Learn takes a fleet document that follows the one that is known, and with it whose answers count
// here. One that does not follow changes nothing.
func (f Folder) Learn(text []byte) (document.Fleet, error) {
	known, err := f.Document()
	if err != nil {
		return document.Fleet{}, err
	}
	next, err := known.Follows(text)
	if err != nil {
		return known, err
	}
	m, err := f.Load()
	if err != nil {
		return known, err
	}
	if err := f.keepPast(known, next, text); err != nil {
		return known, err
	}
	if err := f.move(m, next); err != nil {
		return known, err
	}
	return next, f.store(text, next, m)
}

// move notes where the administrators say that the registrar and etcd are.
func (f Folder) move(m Membership, next document.Fleet) error {
	to := m.at(next.Site)
	if to.Registrar == m.Registrar && slices.Equal(to.Endpoints, m.Endpoints) {
		return nil
	}
	text, err := to.text()
	if err != nil {
		return err
	}
	return state.Replace(f.path(membership), text)
}

// Ask asks the registrar for the documents that follow the one that is known, takes them, and
// returns the newest.
func (f Folder) Ask(ctx context.Context) (document.Fleet, error) {
	known, err := f.Document()
	if err != nil {
		return known, err
	}
	m, err := f.Load()
	if err != nil {
		return known, err
	}
	d, err := f.AskAt(ctx, m.Registrar, known.Serial)
	if err != nil {
		return known, err
	}
	for _, text := range d.Texts {
		known, err = f.Learn([]byte(text)) // one that does not follow is not on the way
	}
	return known, err // of the newest
}

// AskAt asks the registrar at a URL for the documents after a serial. It must be of this fleet.
func (f Folder) AskAt(ctx context.Context, url string, serial int64) (d registrar.Documents,
	err error) {
	access, err := f.Access()
	if err != nil {
		return d, err
	}
	client := clientOf(access)
	defer client.CloseIdleConnections()
	in, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s%s?since=%d",
		url, registrar.FleetPath, serial), nil)
	if err != nil {
		return d, err
	}
	return d, answered(client, in, &d)
}

// keepPast keeps the last document of some administrators or of a registrar, and the one by which
// others follow them: a reader of the bucket who knows the first ones needs both.
func (f Folder) keepPast(known, next document.Fleet, text []byte) error {
	if !known.LeadsTo(next) {
		return nil
	}
	before, err := f.Text()
	if err == nil {
		err = state.PrivateDir(f.path(pastDir))
	}
	if err == nil {
		err = state.Replace(f.past(known), before)
	}
	if err == nil {
		err = state.Replace(f.past(next), text)
	}
	return err
}

// serialDigits is the length of the name of a document: names sort as serials do.
const serialDigits = 16

func (f Folder) past(fleet document.Fleet) string {
	return filepath.Join(f.path(pastDir), fmt.Sprintf("%0*x", serialDigits, fleet.Serial))
}

// Documents returns the fleet documents by which a reader who knows earlier administrators comes to
// the newest one, which is the last.
func (f Folder) Documents() (list [][]byte, err error) {
	names, err := os.ReadDir(f.path(pastDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, name := range names {
		if len(name.Name()) != serialDigits {
			continue // left by a crash
		}
		text, err := private.Read(filepath.Join(f.path(pastDir), name.Name()), document.MaxSize)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	newest, err := f.Text()
	return append(list, newest), err
}
