package ship

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A storage that takes a request and never answers delays no run: what is shipped is not locked.
func TestStorageThatHangs(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	asked, over := make(chan struct{}, 100), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-over
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(over) })
	b.fleet.Ship.Endpoint = s.URL
	m := b.member()
	m.run("one", false)
	shipper := m.shipper()
	shipper.sure = true // the bucket has nothing
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := shipper.Once(ctx)
		done <- err
	}()
	<-asked
	m.run("two", false) // fails after the wait for a lock
	cancel()
	if err := <-done; err == nil {
		t.Error("it was shipped")
	}
}
