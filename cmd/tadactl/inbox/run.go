package inbox

import (
	"context"
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/tada-run/tada-run/integration/distant"
	"github.com/tada-run/tada-run/launcher/prompt"
)

// A Source is what an inbox shows, and who takes its answers.
type Source struct {
	Desk    Desk
	Changes <-chan struct{} // of the questions
	Phrase  string          // of this account, which no other program knows
	Look    prompt.Look
	Fleet   distant.Fleet
	Latest  func() []string // what was changed lately, a line each
}

// Run shows an inbox on a terminal until the person leaves it, or ctx has ended.
func Run(ctx context.Context, s Source, tty *os.File) error {
	b := &board{ctx: ctx, desk: s.Desk, changes: s.Changes, phrase: s.Phrase, now: time.Now,
		leaf:   leaf{look: s.Look},
		far:    far{fleet: s.Fleet, lists: s.Fleet.Watch(ctx)},
		lately: lately{latest: s.Latest}}
	_, err := tea.NewProgram(b, tea.WithContext(ctx), tea.WithInput(tty), tea.WithOutput(tty)).Run()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) &&
		ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, b.failed)
}
