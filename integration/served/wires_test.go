package served

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A node that first asks whether another one is there, and then says who it is on the same
// connection, is parted from it like any other.
func TestWires(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "heard")
	}))
	defer server.Close()
	at := server.Listener.Addr().String()
	w, err := newWires(t, []string{at, at})
	if err != nil {
		t.Fatal(err)
	}
	w.name(0, "serving a0")
	w.name(1, "serving b1")
	client := http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}, Timeout: time.Second}
	defer client.CloseIdleConnections()
	hears := func(who string) bool {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, "http://"+w.at[0].Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if who != "" {
			r.Header.Set("X-Server-From", who)
		}
		got, err := client.Do(r)
		if err != nil {
			return false
		}
		text, err := io.ReadAll(got.Body)
		return errors.Join(err, got.Body.Close()) == nil && string(text) == "heard"
	}
	if !hears("") || !hears("b1") {
		t.Error("nothing is parted, and it does not hear")
	}
	w.part(0, false, true)
	if hears("b1") {
		t.Error("it hears what is lost")
	}
	if w.heal(); !hears("b1") {
		t.Error("it does not hear afterwards")
	}
	for _, says := range []bool{true, false} {
		w.part(0, says, !says)
		if hears("b1") {
			t.Errorf("it says %t and hears %t, and the request is answered", says, !says)
		}
		w.heal()
	}
}
