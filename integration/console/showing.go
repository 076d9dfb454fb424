package console

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/coder/websocket"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/play"
)

// A showing is a replay in one browser.
type showing struct {
	socket  *websocket.Conn
	drawn   chan struct{} // the browser has drawn the last scene
	waits   bool          // it has not yet
	soonest time.Time     // for the next
}

// A scene is what a browser is told at once about a replay.
type scene struct {
	Draw   string  `json:"draw"` // for the terminal: made here, nothing of it was printed
	Cols   int     `json:"cols"`
	Rows   int     `json:"rows"`
	At     float64 `json:"at"` // seconds
	Total  float64 `json:"total"`
	Paused bool    `json:"paused"`
	Busy   bool    `json:"busy"`
}

// A cue is what a viewer does.
type cue struct {
	Do   string  `json:"do"`
	Key  string  `json:"key"`
	Text string  `json:"text"`
	At   float64 `json:"at"` // seconds
	Back bool    `json:"back"`
}

// longestPause is how much of a pause is played, as by tadactl replay.
const longestPause = 2 * time.Second

// mostCues is how many may wait while a scene is drawn.
const mostCues = 256

// status is how many rows the player has below the screen.
const status = 2

// play plays a transcript until the viewer leaves.
func (v *showing) play(ctx context.Context, f io.ReadSeeker) error {
	do := make(chan func(*play.Player), mostCues)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		v.listen(ctx, do)
	}()
	set := play.Settings{Idle: longestPause, Title: "replay", Proof: "not compared with the log"}
	if audit.Recording(f) {
		set.Live = func() bool { return audit.Recording(f) }
	}
	return play.Stream(ctx, f, set, play.View{Do: do, Size: sizeOf,
		Show: func(picture []byte, p *play.Player) error { return v.show(ctx, picture, p) }})
}

// sizeOf is the size of the browser's terminal: that of the session's, and the player's rows.
func sizeOf(p *play.Player) (cols, rows int) {
	cols, rows = p.Screen().Size()
	return max(cols, 40), rows + status
}

// show sends a scene once the browser has drawn the one before.
func (v *showing) show(ctx context.Context, picture []byte, p *play.Player) error {
	if v.waits {
		select {
		case <-v.drawn:
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(drawTime):
			return errDrawing
		}
	}
	time.Sleep(time.Until(v.soonest))
	state := p.State()
	s := scene{Draw: string(picture), At: state.Position.Seconds(), Total: state.Total.Seconds(),
		Paused: state.Paused, Busy: state.Busy}
	s.Cols, s.Rows = sizeOf(p)
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	v.waits, v.soonest = true, time.Now().Add(pause)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return v.socket.Write(ctx, websocket.MessageText, text)
}

// listen passes on what the viewer does, until she leaves.
func (v *showing) listen(ctx context.Context, do chan<- func(*play.Player)) {
	defer close(do)
	for {
		_, body, err := v.socket.Read(ctx)
		if err != nil {
			return
		}
		var c cue
		if json.Unmarshal(body, &c) != nil {
			return
		}
		if c.Do == "drawn" {
			select {
			case v.drawn <- struct{}{}:
			default: // it said so before
			}
			continue
		}
		act, err := c.act()
		if err != nil {
			return
		}
		select {
		case do <- act:
		default: // no viewer is so fast; to wait would be to miss what she says next
			return
		}
	}
}

// act is what a cue does to the player.
func (c cue) act() (func(*play.Player), error) {
	switch c.Do {
	case "key":
		return func(p *play.Player) { p.Key(c.Key) }, nil
	case "type":
		return func(p *play.Player) { p.Type([]byte(c.Text)) }, nil
	case "find":
		return func(p *play.Player) { p.Find(c.Text, c.Back) }, nil
	case "seek":
		const most = float64(1<<63-1024) / float64(time.Second)
		at := time.Duration(min(max(c.At, 0), most) * float64(time.Second))
		return func(p *play.Player) { p.Seek(at) }, nil
	}
	return nil, errors.New("a replay does not do that")
}
