package distant

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"time"
)

// The pauses before tada-fleet is started again.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// maxLine is the longest line that is read.
const maxLine = 128 << 20

// errEnded is returned when tada-fleet has ended without saying why.
var errEnded = errors.New("tada-fleet has ended")

// Watch returns a channel with what is open elsewhere: soon, and at each change. A list that nobody
// has received yet is replaced. The channel is closed when ctx ends; that of the zero Fleet is nil.
func (f Fleet) Watch(ctx context.Context) <-chan List {
	if f.IsNone() {
		return nil
	}
	lists := make(chan List, 1)
	go func() {
		defer close(lists)
		pause := firstPause
		for ctx.Err() == nil {
			began := time.Now()
			err := f.follow(ctx, lists)
			if ctx.Err() != nil {
				return
			}
			put(lists, List{Away: err})
			if time.Since(began) > lastPause {
				pause = firstPause // it worked for a while
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
			pause = min(2*pause, lastPause)
		}
	}()
	return lists
}

// put replaces what was not received.
func put(lists chan List, l List) {
	select {
	case <-lists:
	default:
	}
	lists <- l // nobody else sends
}

// follow passes on what one child says, and returns why it ended.
func (f Fleet) follow(ctx context.Context, lists chan List) error {
	cmd, err := f.command(ctx, "pending", "--follow")
	if err != nil {
		return err
	}
	// it ends with its standard input, and so with this process, however that ends
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var bad bytes.Buffer
	cmd.Stderr = &bad
	if err := cmd.Start(); err != nil {
		return err
	}
	// what it has started may hold its output longer than it lives
	defer context.AfterFunc(ctx, func() { _, _ = in.Close(), out.Close() })()
	told := known{}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	for err == nil && lines.Scan() {
		var list []Question
		if list, err = told.take(lines.Bytes()); err == nil {
			put(lists, List{Questions: list})
		}
	}
	if err = errors.Join(err, lines.Err()); err != nil {
		_ = cmd.Process.Kill()
	}
	ended := cmd.Wait()
	if err != nil {
		return err
	}
	if ended == nil {
		ended = errEnded
	}
	return why(ended, bad.Bytes())
}
