package cli

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/audit"
)

func (c *ctl) gc() *cobra.Command {
	var older, keep, reason string
	cmd := verb("gc", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		r, err := retention(older, keep, time.Now())
		if err != nil {
			return &usageError{err}
		}
		l, err := c.open()
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		f, err := l.Collect(ctx, r, reason)
		if err != nil {
			return changed(err)
		}
		if c.json {
			sessions := append([]string{}, f.Sessions...)
			return c.printJSON(map[string]any{
				"sessions": sessions, "session_bytes": f.SessionBytes, "entries": f.Entries,
				"log_bytes": f.LogBytes, "archives": f.Archives,
				"packed": f.Packed.Files, "packed_from": f.Packed.Before,
				"packed_to": f.Packed.After, "undo": f.Undo, "plans": f.Plans.Files,
				"plans_from": f.Plans.Before, "plans_to": f.Plans.After,
				"log_packed": f.Log.Files, "log_from": f.Log.Before, "log_to": f.Log.After,
				"store_saved": f.Store,
			})
		}
		if f.Packed.Files == 0 {
			fmt.Fprintln(c.out, "nothing to compress")
		} else {
			fmt.Fprintf(c.out, "compressed %s from %d to %s\n", audit.Plural(f.Packed.Files,
				"session"), f.Packed.Before, audit.Plural(f.Packed.After, "byte"))
		}
		if f.Plans.Files > 0 {
			fmt.Fprintf(c.out, "packed %s from %d to %s\n", audit.Plural(f.Plans.Files,
				"plan"), f.Plans.Before, audit.Plural(f.Plans.After, "byte"))
		}
		if f.Log.Files > 0 {
			fmt.Fprintf(c.out, "packed %s of the log from %d to %s\n", audit.Plural(f.Log.Files,
				"file"), f.Log.Before, audit.Plural(f.Log.After, "byte"))
		}
		if f.Store > 0 {
			fmt.Fprintf(c.out, "made the approval database %s smaller\n",
				audit.Plural(f.Store, "byte"))
		}
		if len(f.Sessions) > 0 || f.Entries > 0 {
			fmt.Fprintf(c.out, "deleted %s (%s) and %s (%s)\n", audit.Plural(len(f.Sessions),
				"session"), audit.Plural(f.SessionBytes, "byte"), audit.Plural(f.Entries,
				"log entry"), audit.Plural(f.LogBytes, "byte"))
		}
		if f.Archives > 0 {
			fmt.Fprintf(c.out, "deleted the archives of changes of protected files: %d\n",
				f.Archives)
		}
		if f.Undo > 0 {
			fmt.Fprintf(c.out, "deleted what was kept for undo of %s\n",
				audit.Plural(f.Undo, "run"))
		}
		return nil
	})
	cmd.Flags().StringVar(&older, "older", "", "")
	cmd.Flags().StringVar(&keep, "keep", "", "")
	cmd.Flags().StringVar(&reason, "reason", "retention", "")
	return cmd
}

// retention is what --older and --keep say.
func retention(older, keep string, now time.Time) (r audit.Retention, err error) {
	if day, dayErr := time.ParseInLocation(time.DateOnly, older, time.Local); dayErr == nil {
		if r.MaxAge, r.Dated = now.Sub(day), true; r.MaxAge <= 0 {
			return r, fmt.Errorf("%q is not in the past", older)
		}
	} else if r.MaxAge, err = parseAge(older); err != nil {
		return r, err
	}
	r.MaxBytes, err = parseSize(keep)
	return r, err
}

// parseAge reads a duration; days too, of 24 hours.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil || n == 0 {
			return 0, fmt.Errorf("%q is not an age such as 30d or 12h", text)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not an age such as 30d or 12h", text)
	}
	return d, nil
}

// parseSize reads a number of bytes, with K, M, G or T for powers of 1024.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimRight(text, "KMGT")
	unit := strings.Index("KMGT", text[len(digits):]) + 1
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || len(text)-len(digits) > 1 || len(text) == len(digits) && unit != 1 {
		return 0, fmt.Errorf("%q is not a size such as 1G or 500M", text)
	}
	if len(text) == len(digits) {
		unit = 0
	}
	if n > 1<<62>>(10*unit) {
		return 0, fmt.Errorf("%q is larger than any disk", text)
	}
	return n << (10 * unit), nil
}
