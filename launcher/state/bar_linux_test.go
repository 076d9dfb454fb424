package state

import (
	"path/filepath"
	"testing"
)

// A port is barred from when Bar returns until it is lifted, also while runs ask, and again after
// that.
func TestBarWhileRunsAsk(t *testing.T) {
	home, err := OpenHome(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	dir := home.Use()
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			default:
				dir.IsBarred(4711)
			}
		}
	}()
	for range 200 {
		lift, err := dir.Bar(4711)
		if err != nil {
			t.Fatal(err)
		}
		if !dir.IsBarred(4711) {
			t.Fatal("not barred")
		}
		lift()
	}
	close(over)
	<-done
	if dir.IsBarred(4711) {
		t.Error("barred after it was lifted")
	}
}
