package play

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit/screen"
)

// shown streams a transcript to a terminal of that size and gives it to do in turn, each once the
// picture before it has the text. It returns what Stream returns.
func shown(t *testing.T, cast []byte, steps ...streamStep) error {
	t.Helper()
	do := make(chan func(*Player), 1)
	at := screen.New(60, 10)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return Stream(ctx, bytes.NewReader(cast), Settings{}, View{Do: do,
		Size: func(*Player) (int, int) { return 60, 10 },
		Show: func(picture []byte, p *Player) error {
			at.Write(picture)
			if len(steps) == 0 || p.State().Busy || !strings.Contains(at.String(), steps[0].text) {
				return nil
			}
			step := steps[0]
			if steps = steps[1:]; step.do == nil {
				close(do)
				return nil
			}
			do <- step.do
			return nil
		}})
}

type streamStep struct {
	text string
	do   func(*Player)
}

// A viewer elsewhere pauses, seeks, searches and leaves.
func TestStream(t *testing.T) {
	t.Parallel()
	cast := lines3(t)
	if err := shown(t, cast,
		streamStep{"00:00", func(p *Player) { p.Type([]byte(" ")) }},
		streamStep{"‖", func(p *Player) { p.Seek(62 * time.Second) }},
		streamStep{"two", func(p *Player) { p.Type([]byte("\x1b[H")) }},
		streamStep{"00:00.0", func(p *Player) { p.Type([]byte("/three\r")) }},
		streamStep{"three", func(p *Player) { p.Find("two", true) }},
		streamStep{"01:01.0", nil},
	); err != nil {
		t.Error(err)
	}
	if err := shown(t, cast, streamStep{"00:00", func(p *Player) { p.Key("q") }}); err != nil {
		t.Error(err)
	}
}

// It ends with its context, with a view that is gone, and at what is not proven.
func TestStreamEnds(t *testing.T) {
	t.Parallel()
	cast := lines3(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := errors.New("gone")
	view := View{Size: func(*Player) (int, int) { return 0, 0 },
		Show: func([]byte, *Player) error { cancel(); return nil }}
	if err := Stream(ctx, bytes.NewReader(cast), Settings{}, view); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
	view.Show = func([]byte, *Player) error { return gone }
	if err := Stream(t.Context(), bytes.NewReader(cast), Settings{}, view); !errors.Is(err, gone) {
		t.Error(err)
	}
	if err := Stream(t.Context(), bytes.NewReader([]byte("{}")), Settings{}, view); err == nil {
		t.Error("no transcript was played")
	}
}
