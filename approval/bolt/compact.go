package bolt

import (
	"context"
	"errors"
	"os"

	"go.etcd.io/bbolt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/private"
)

// worthCompacting is the smallest file that Compact looks at.
const worthCompacting = 1 << 20

// copyAtOnce is how much Compact copies in one transaction.
const copyAtOnce = 1 << 20

// Compact makes the database at path as small as what it holds, if more than half of the file is
// free: a database never shrinks by itself. It returns how many bytes that saved. Others wait
// meanwhile, some tenths of a second for tens of MiB. A crash leaves the database as it was.
func Compact(ctx context.Context, path string, o approval.Options) (saved int64, err error) {
	b := File(path, o)
	lock, err := b.lock(ctx, true)
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	info, err := os.Stat(path)
	if err != nil || info.Size() < worthCompacting {
		return 0, private.Named(path, err)
	}
	fresh := path + newSuffix
	defer os.Remove(fresh)
	err = b.open(path, false, func(db *bbolt.DB) error {
		if err := db.View(func(btx *bbolt.Tx) error {
			if err := check(btx, path); err != nil {
				return err
			}
			return mostlyFree(btx)
		}); err != nil {
			return err
		}
		if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) {
			return private.Named(fresh, err)
		}
		return b.open(fresh, false, func(smaller *bbolt.DB) error {
			return bbolt.Compact(smaller, db, copyAtOnce)
		})
	})
	if errors.Is(err, errUnchanged) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	b.step("copied")
	after, err := os.Stat(fresh)
	if err != nil {
		return 0, private.Named(fresh, err)
	}
	return info.Size() - after.Size(), b.publish(fresh)
}

// mostlyFree returns errUnchanged unless more than half of the pages are free.
func mostlyFree(btx *bbolt.Tx) error {
	pages, free := 0, 0
	for {
		p, err := btx.Page(pages)
		if err != nil {
			return err
		}
		if p == nil {
			break
		}
		if pages++; p.Type == "free" {
			free++
		}
	}
	if free*2 <= pages {
		return errUnchanged
	}
	return nil
}
