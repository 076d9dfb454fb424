package console

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"github.com/tada-run/tada-run/audit/play"
	"github.com/tada-run/tada-run/launcher/session/wire"
)

// A viewer is a browser that shows the terminal of one run. All of it happens on one goroutine.
type viewer struct {
	visit   visit
	run     string
	socket  *websocket.Conn
	feed    *feed
	picture *play.Mirror
	status  wire.Status
	epoch   uint32
	seat
	display
}

// A seat is what a person at the browser may do.
type seat struct {
	device string // as the session knows it
	drives bool   // it was confirmed that she drives
	signer string // whose passkey confirmed it; "" for the code of the terminal
	credit int    // bytes of keys that she may send
}

// A display is how far the browser is.
type display struct {
	next    turn
	changed bool      // next is not told yet
	told    time.Time // when the last one was; zero once it is drawn
	soonest time.Time // for the next
}

const (
	// pause is at least between two turns: more pictures than that nobody sees.
	pause = 30 * time.Millisecond
	// drawTime is how long a browser may take to draw one.
	drawTime = 90 * time.Second
)

// take notes what the run shows or says.
func (v *viewer) take(f wire.Frame) {
	v.changed = v.changed || f.Kind != wire.Ack
	switch f.Kind {
	case wire.Redraw:
		v.picture.Reset(v.status.Cols, v.status.Rows)
		_, _ = v.picture.Write(f.Body)
	case wire.Output:
		_, _ = v.picture.Write(f.Body)
	case wire.State:
		var s wire.Status
		if json.Unmarshal(f.Body, &s) == nil {
			if (v.status.You || v.status.Frozen) && !s.You && !s.Frozen {
				v.drives = false // control was lost or given back: the next needs a confirmation
			}
			v.status, v.epoch = s, f.Epoch
			v.picture.SetSize(s.Cols, s.Rows)
		}
	case wire.Ack:
		n := wire.ReadCount(f.Body)
		v.credit += n
		v.next.Took += n
		// the echo of a key comes a moment later, and needs the same turn
		v.changed = v.changed || v.next.Took >= wire.Credit/4
	case wire.Tell:
		var n wire.Notice
		if json.Unmarshal(f.Body, &n) == nil {
			v.say(noticed(n))
		}
	case wire.End:
		var e wire.Ending
		_ = json.Unmarshal(f.Body, &e)
		v.next.Ended, v.next.State, v.drives = true, "it has ended", false
		if v.feed.send != nil {
			v.next.State = fmt.Sprintf("it has ended with status %d", e.Status)
		}
	}
}

// maxSaid is how much is said at once; of more, only the last.
const maxSaid = 500

// say tells the person something with the next turn.
func (v *viewer) say(text string) {
	if said := v.next.Said; said != "" && said != text && len(said)+len(text) < maxSaid {
		text = said + "; " + text
	}
	v.next.Said, v.changed = text, true
}

// gone notes that the run says nothing more.
func (v *viewer) gone() {
	if !v.next.Ended {
		v.next.Ended, v.next.State, v.drives, v.changed = true, "it is gone", false, true
	}
}

// yours reports whether keys of this browser reach the program.
func (v *viewer) yours() bool { return v.drives && v.status.You && !v.status.Frozen }

// tell sends what is new.
func (v *viewer) tell(ctx context.Context) error {
	t := v.next
	t.Cols, t.Rows = v.picture.Size()
	t.Epoch, t.You, t.Frozen = v.epoch, v.yours(), v.status.Frozen
	t.Session = v.feed.send != nil
	switch {
	case t.Ended:
	case t.Session:
		t.State = stateOfTerminal(v.status)
	default:
		t.State = "it runs; nobody can type there"
	}
	v.picture.Resize(t.Cols, t.Rows)
	v.picture.Keys = t.You
	t.Draw = string(v.picture.Paint())
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	v.next = turn{Ended: t.Ended, State: t.State}
	v.changed, v.told = false, time.Now()
	v.soonest = v.told.Add(pause)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return v.socket.Write(ctx, websocket.MessageText, text)
}
