package launcher

import (
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// A swappedError says that what would be executed is not what was judged.
type swappedError struct{ names []string }

func (e *swappedError) Error() string { return e.in(pathguard.English) }

func (e *swappedError) in(in pathguard.Locale) string {
	return refusal.Phrase(in, "swapped",
		strings.Join(quoted(e.names[:min(len(e.names), refusal.MaxItems)]), ", "))
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return out
}

// unswapped looks once more at what a shell or an interpreter will open by its name, as the last
// thing before it may.
//
// No mount could protect those names: a mount over a file goes away when the file is replaced from
// outside the sandbox, by rename(2) as editors and git do it, and until then the command itself
// could not replace the file in that way.
func (j *Judgement) unswapped() error {
	names, err := j.Plan.Changed()
	if err != nil {
		return fmt.Errorf("look again at what is executed: %w", err)
	}
	if len(names) > 0 {
		return &swappedError{names}
	}
	return nil
}

// refusal turns it into a refusal: the caller can ask again.
func (j *Judgement) swappedRefusal(e *swappedError) *refusal.Refusal {
	f := refusal.Of(j.Locale(), pathguard.Verdict{}, "denied", "mismatch", e.in(j.Locale()),
		exit.Denied)
	f.Retry = "run the identical command again"
	return f
}
