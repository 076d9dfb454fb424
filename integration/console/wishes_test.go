package console

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// visiting is a browser that was let in.
func visiting(t testing.TB) visit {
	t.Helper()
	l, err := launcher.Place{State: filepath.Join(t.TempDir(), "state")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	return visit{&Server{inbox: l, now: time.Now, say: func(string) {}}, &session{}}
}

// watching is a viewer of a session that the test is, and what it sends there.
func watching(by visit, status wire.Status, drives bool) (v *viewer, sent *[]wire.Frame) {
	sent = new([]wire.Frame)
	v = &viewer{visit: by, run: "run", picture: play.NewMirror(80, 24),
		feed:   &feed{send: func(f wire.Frame) { *sent = append(*sent, f) }},
		status: status, seat: seat{drives: drives, credit: wire.Credit}}
	return v, sent
}

// FuzzHear: whatever a browser sends, of one that has confirmed nothing only the wish to freeze
// reaches the session, and of no browser more keys than there is credit for.
func FuzzHear(f *testing.F) {
	for _, do := range []string{"drawn", "size", "take over", "continue", "end", "give back",
		"freeze"} {
		text, _ := json.Marshal(map[string]any{"do": do, "cols": 80, "rows": -1, "epoch": 1,
			"confirmed": map[string]string{"nonce": "n", "code": "c"}})
		f.Add(false, text, false)
		f.Add(false, text, true)
	}
	f.Add(true, []byte("\x00\x00\x00\x01ls\r"), true)
	f.Add(true, []byte("\x00\x00"), false)
	by := visiting(f)
	f.Fuzz(func(t *testing.T, keys bool, body []byte, drives bool) {
		m := message{websocket.MessageText, body}
		if keys {
			m.kind = websocket.MessageBinary
		}
		v, sent := watching(by, wire.Status{You: drives}, drives)
		if v.hear(m) == nil && v.credit < 0 {
			t.Error("it goes on without credit")
		}
		may := []wire.Kind{wire.Freeze}
		if drives {
			may = append(may, wire.Input, wire.Window, wire.Give)
		}
		for _, s := range *sent {
			if !slices.Contains(may, s.Kind) || len(s.Body) > wire.Credit {
				t.Errorf("%v with %d bytes", s.Kind, len(s.Body))
			}
			if cols, rows, ok := wire.ReadSize(s.Body); s.Kind == wire.Window &&
				(!ok || cols < 2 || rows < 2 || cols > 1024 || rows > 512) {
				t.Errorf("a size of %d by %d", cols, rows)
			}
		}
	})
}

// FuzzTake: no frame of a session makes the picture or a turn fail, and control that was given back
// or lost is not there again without a confirmation.
func FuzzTake(f *testing.F) {
	for _, frame := range []wire.Frame{{Kind: wire.Output, Body: []byte("\x1b]0;x\x07text")},
		{Kind: wire.Redraw, Body: []byte("\x1b[H")}, {Kind: wire.Ack, Body: wire.Count(1 << 30)},
		wire.JSON(wire.State, 1, wire.Status{Cols: -1, Rows: 1 << 30, You: true}),
		wire.JSON(wire.Tell, 1, wire.Notice{Code: wire.CodeHandback, Summary: &wire.Report{}}),
		wire.JSON(wire.End, 1, wire.Ending{Status: 1})} {
		f.Add(byte(frame.Kind), frame.Body)
	}
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		here := wire.Status{Cols: 80, Rows: 24, You: true}
		v, _ := watching(visit{}, here, true)
		v.take(wire.JSON(wire.State, 2, wire.Status{Cols: 80, Rows: 24}))
		v.take(wire.Frame{Kind: wire.Kind(kind), Epoch: 3, Body: body})
		v.take(wire.JSON(wire.State, 4, here))
		if v.yours() {
			t.Error("in control without a confirmation")
		}
		v.picture.Resize(v.picture.Size())
		v.picture.Paint()
	})
}
