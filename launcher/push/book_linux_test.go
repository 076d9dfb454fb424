package push

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval/private"
)

// Once a passkey is revoked, its devices receive nothing: no new message, and no second attempt at
// an old one. Their subscriptions leave the file.
func TestRevoked(t *testing.T) {
	w := newWorld(t)
	w.subscribe("/ada", 0)
	w.subscribe("/bob", 1)
	w.send()
	if a, b := w.next(), w.next(); a.path == b.path {
		t.Error(a.path)
	}
	revoked := make(chan bool)
	w.answers(func(rw http.ResponseWriter, _ *http.Request) {
		<-revoked
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	w.sender.sendAll(ctx, soon())
	w.next()
	w.next()
	w.pair(w.keys[1:])
	close(revoked)
	w.sender.posted.Wait()
	for range mostTries - 1 {
		if p := w.next(); p.path != "/bob" {
			t.Error("sent again to a revoked passkey")
		}
	}
	w.none()
	if _, err := w.sender.book.Find(w.base + "/ada"); !errors.Is(err, ErrNone) || w.counts() != 1 {
		t.Error("it is notified still")
	}
	if err := w.sender.Test(ctx, w.base+"/ada"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	if err := w.sender.book.Prune(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.dir.Subscriptions())
	if err != nil || strings.Contains(string(text), "/ada") {
		t.Errorf("%s, %v", text, err)
	}
	s, _ := w.sender.book.Find(w.base + "/bob")
	s.Passkey = w.keys[0].ID
	if err := w.sender.book.Add(s); !errors.Is(err, errNoPass) {
		t.Error(err)
	}
	// and with a list of passkeys that cannot be read no one is notified
	if err := os.WriteFile(w.dir.Passkeys(), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.send()
	w.none()
}

// The file is this user's alone, has at most 16 devices, each once, and takes changes of many at
// once.
func TestBook(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	errs := make(chan error, most+4)
	for i := range most + 4 {
		all.Go(func() {
			s, err := Read(newDevice(t).subscription(fmt.Sprintf("%s/%d", w.base, i)))
			s.Passkey = w.keys[0].ID
			errs <- errors.Join(err, Open(w.dir).Add(s))
		})
	}
	all.Wait()
	refused := 0
	for range most + 4 {
		if err := <-errs; errors.Is(err, errFull) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if n := w.counts(); n != most || refused != 4 {
		t.Errorf("%d are kept, %d refused", n, refused)
	}
	list, err := w.sender.book.List()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.sender.book.Add(list[0]); err != nil {
		t.Errorf("one that is there: %v", err)
	}
	if err := w.sender.book.Remove(list[0].Endpoint); err != nil || w.counts() != most-1 {
		t.Errorf("removed: %v", err)
	}
	path := w.dir.Subscriptions()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// an edited endpoint makes the whole list one that is not used
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(text), w.base, "https://10.0.0.1", 1)
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	w.send()
	w.none()
	if said := w.said(); !strings.Contains(said, "push.json") {
		t.Error(said)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.sender.book.List(); !errors.Is(err, private.ErrMeddled) {
		t.Error(err)
	}
}

// The key is made once, by whichever process is first.
func TestKeyIsMadeOnce(t *testing.T) {
	w := newWorld(t)
	keys := make(chan string, 8)
	for range 8 {
		go func() {
			key, err := Open(w.dir).Public()
			if err != nil {
				t.Error(err)
			}
			keys <- key
		}()
	}
	first := <-keys
	for range 7 {
		if key := <-keys; key != first {
			t.Errorf("%q and %q", key, first)
		}
	}
	for _, text := range []string{"", "x", encode(make([]byte, 32)), encode(make([]byte, 31))} {
		if err := os.WriteFile(w.dir.PushKey(), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := w.sender.book.Public(); err == nil {
			t.Errorf("key %q is taken", text)
		}
	}
}

// Of several consoles one sends; when it ends, the next one does, and does not repeat it.
func TestOneConsoleSends(t *testing.T) {
	w := newWorld(t)
	w.subscribe("/push", 0)
	other := NewSender(Open(w.dir), func(string) {})
	other.client, other.settle = w.sender.client, 0
	open := []Question{asked("a", "R1", time.Now().Add(time.Hour))}
	first, stop := context.WithCancel(ctx)
	ended := make(chan bool)
	go func() { w.sender.Run(first); close(ended) }()
	w.sender.Notify(open)
	w.next()
	second, stopOther := context.WithCancel(ctx)
	endedOther := make(chan bool)
	go func() { other.Run(second); close(endedOther) }()
	open = append(open, asked("b", "R2", open[0].Until))
	w.sender.Notify(open)
	w.next()
	for range 2 { // once the second is taken, it is through with the first
		for other.Notify(open); len(other.open) > 0; {
			time.Sleep(time.Millisecond)
		}
	}
	stop()
	<-ended
	open = append(open, asked("c", "R3", open[0].Until))
	other.Notify(open)
	w.next()
	stopOther()
	<-endedOther
	w.none()
}

// Tests of a device are few.
func TestTests(t *testing.T) {
	w := newWorld(t)
	d := w.subscribe("/push", 0)
	for range perMinute {
		if err := w.sender.Test(ctx, w.base+"/push"); err != nil {
			t.Fatal(err)
		}
		if text, err := d.open(w.next().body); err != nil || text != testText {
			t.Errorf("%q, %v", text, err)
		}
	}
	if err := w.sender.Test(ctx, w.base+"/push"); !errors.Is(err, errTests) {
		t.Error(err)
	}
	if err := w.sender.Test(ctx, w.base+"/other"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	w.none()
}
