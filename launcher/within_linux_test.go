package launcher

import "testing"

// A line may be let go while the session ends: the shell has its answer, and leaves before it is noted here that the line has to end. Its
// end is on record all the same.
func TestLastLineEnds(t *testing.T) {
	d, err := newDoorway(nil)
	if err != nil {
		t.Fatal(err)
	}
	answered, closing, ended := make(chan struct{}), make(chan struct{}), false
	d.busy.Go(func() {
		<-answered
		d.mu.Lock()
		d.ended = func(*int) { ended = true }
		d.mu.Unlock()
	})
	go func() {
		<-d.ctx.Done() // close has begun
		close(answered)
		close(closing)
	}()
	d.close()
	<-closing
	if !ended {
		t.Error("the last line has no end")
	}
}
