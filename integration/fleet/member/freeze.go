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

// Freeze writes an order down, so that nothing new starts. It reports whether the order is in
// force, and whether it is new here. An order that has ended stays ended, whoever gives it again.
// The caller does one Freeze or Thaw at a time.
func (f Folder) Freeze(o document.Freeze, text []byte) (inForce, fresh bool, err error) {
	if ended, err := exists(f.thawed(o.ID)); err != nil || ended {
		return false, false, err
	}
	known, err := exists(f.order(o.ID))
	if err != nil {
		return false, false, err
	}
	if why, err := f.Frozen(); known && (why != "" || err != nil) {
		return true, false, err
	}
	line := fmt.Sprintf("by %s at %s", strings.Join(o.By, ", "),
		o.Time.UTC().Format(time.RFC3339))
	if o.Reason != "" {
		line += ": " + oneLine(o.Reason)
	}
	// The file that stops everything is first: an order without it would be lost by a crash. It
	// names the order, so that until the order is there too the end of another one ends nothing.
	if err := state.Replace(f.path(freezeFile), []byte(line+"\n"+o.ID+"\n")); err != nil {
		return false, false, err
	}
	return true, !known, state.Replace(f.order(o.ID), text)
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
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
	if ended, err := exists(f.thawed(t.ID)); err != nil {
		return false, err
	} else if !ended {
		if err := state.Replace(f.thawed(t.ID), text); err != nil {
			return false, err
		}
	}
	if was, err = exists(f.order(t.ID)); err != nil {
		return false, err
	}
	if err := remove(f.order(t.ID)); err != nil {
		return was, err
	}
	left, err := f.InForce()
	if err != nil || len(left) > 0 {
		return was, err
	}
	return was, remove(f.path(freezeFile))
}

// remove removes a file, if it is there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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
	if len(ids) > 0 {
		return ids, nil
	}
	return f.begun()
}

// OnlyPauses reports whether all orders in force leave what runs alive. One that cannot be read any
// more, such as by an administrator who has left, does not.
func (f Folder) OnlyPauses(fleet document.Fleet) bool {
	ids, err := f.InForce()
	for _, id := range ids {
		text, bad := private.Read(f.order(id), document.MaxSize)
		if bad == nil {
			var o document.Freeze
			if o, bad = fleet.Freeze(text); bad == nil && o.Pause {
				continue
			}
		}
		return false
	}
	return err == nil && len(ids) > 0
}

// begun returns the order that the file names which stops everything, unless it has ended: the
// order itself may not have been written yet.
func (f Folder) begun() ([]string, error) {
	text, err := f.freeze()
	if _, id, ok := strings.Cut(text, "\n"); ok && err == nil {
		ended, err := exists(f.thawed(id))
		if !ended {
			return []string{id}, err
		}
	}
	return nil, err
}

// Frozen returns why nothing starts on this machine; "" if commands may start.
func (f Folder) Frozen() (string, error) {
	text, err := f.freeze()
	line, _, _ := strings.Cut(text, "\n")
	return line, err
}

// freeze returns the lines of the file that stops everything; "" if it is not there.
func (f Folder) freeze() (string, error) {
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
