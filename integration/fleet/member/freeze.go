package member

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher/state"
)

// Freeze writes an order down, so that nothing new starts, and reports whether it is a new one. An
// order that has ended before stays ended, whoever gives it again.
func (f Folder) Freeze(o document.Freeze, text []byte) (fresh bool, err error) {
	for _, known := range []string{f.thawed(o.ID), f.order(o.ID)} {
		if _, err := os.Lstat(known); !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	line := fmt.Sprintf("by %s at %s", strings.Join(o.By, ", "),
		o.Time.UTC().Format(time.RFC3339))
	if o.Reason != "" {
		line += ": " + oneLine(o.Reason)
	}
	// The file that stops everything is first: an order without it would be lost by a crash.
	if err := state.Replace(f.path(freezeFile), []byte(line+"\n")); err != nil {
		return false, err
	}
	return true, state.Replace(f.order(o.ID), text)
}

// oneLine makes a text of another machine one line, in which nothing hides.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// Thaw ends a freeze, and reports whether that was in force. Other freezes stay.
func (f Folder) Thaw(t document.Thaw, text []byte) (was bool, err error) {
	_, err = os.Lstat(f.order(t.ID))
	if was = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := state.Replace(f.thawed(t.ID), text); err != nil {
		return false, err
	}
	if err := os.Remove(f.order(t.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	left, err := f.InForce()
	if err != nil || len(left) > 0 {
		return was, err
	}
	err = os.Remove(f.path(freezeFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return was, err
}

// InForce returns the ids of the orders that have not ended.
func (f Folder) InForce() ([]string, error) {
	entries, err := os.ReadDir(f.path(ordersDir))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), orderSuffix); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Frozen returns why nothing starts on this machine; "" if commands may start.
func (f Folder) Frozen() (string, error) {
	text, err := private.Read(f.path(freezeFile), document.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSuffix(string(text), "\n"), err
}

const (
	orderSuffix  = ".order"
	thawedSuffix = ".thawed"
)

// order and thawed are named by ids that package document has checked: they have no slash.
func (f Folder) order(id string) string {
	return filepath.Join(f.path(ordersDir), id+orderSuffix)
}

func (f Folder) thawed(id string) string {
	return filepath.Join(f.path(ordersDir), id+thawedSuffix)
}
