package pairing_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/pairing"
	"github.com/tada-run/tada-run/launcher/permit"
)

// forged is the record of another state directory, written anew with other bodies.
func (w *world) forged(entries []audit.Entry, change func(n int, body []byte) []byte) error {
	w.Helper()
	other := newWorld(w)
	log, err := other.l.OpenLog()
	if err != nil {
		w.Fatal(err)
	}
	for n, e := range entries {
		if _, err := log.Append(e.Kind, change(n, bytes.Clone(e.Body)), audit.Lazy); err != nil {
			log.Close()
			return nil // the log does not take it
		}
	}
	if err := log.Close(); err != nil {
		w.Fatal(err)
	}
	_, err = other.l.VerifyWith(audit.VerifyOptions{})
	return err
}

// T3: of a record that was written anew as a whole, with one byte of an assertion changed, that
// entry is named.
func TestForgedRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada", 3)
	a := w.ask(2, 0)
	if _, err := w.answer(a, w.sign(a, d)); err != nil {
		t.Fatal(err)
	}
	var entries []audit.Entry
	answered := -1
	for e, err := range w.l.Entries(audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == approval.KindDecided {
			answered = len(entries)
		}
		entries = append(entries, e)
	}
	if err := w.forged(entries, func(_ int, b []byte) []byte { return b }); err != nil {
		t.Fatalf("the record as it is: %v", err)
	}
	body := entries[answered].Body
	at := bytes.Index(body, []byte(`"passkey":{`))
	end := bytes.LastIndex(body, []byte(`},"plan_hash":"`))
	tried := 0
	for i := at; i < end; i += 11 {
		if c := body[i]; c == '"' || c == '\\' {
			continue
		}
		tried++
		err := w.forged(entries, func(n int, b []byte) []byte {
			if n == answered {
				if b[i]++; b[i-1] == '\\' || b[i] == '"' || b[i] == '\\' {
					b[i] = 'Z'
				}
			}
			return b
		})
		if bad := (*audit.BadEntry)(nil); !errors.As(err, &bad) || bad.Seq != int64(answered) {
			t.Fatalf("byte %d, in %q: %v", i, body[i-5:i+5], err)
		}
	}
	if tried < 30 {
		t.Errorf("only %d bytes were changed", tried)
	}
	for name, change := range map[string]func(n int, b []byte) []byte{
		"no pairing": func(n int, b []byte) []byte {
			return bytes.Replace(b, []byte(`"credential":{`), []byte(`"credentials":{`), 1)
		},
		"revoked before": func(n int, b []byte) []byte {
			return bytes.Replace(b, []byte(`"enrolled"`), []byte(`"removed"`), 1)
		},
		"no assertion": func(n int, b []byte) []byte {
			if at := bytes.Index(b, []byte(`"passkey":{`)); at >= 0 {
				return append(b[:at:at], b[bytes.LastIndex(b, []byte(`"plan_hash":"`)):]...)
			}
			return b
		},
		"over another channel": func(n int, b []byte) []byte {
			return bytes.Replace(b, []byte(`"channel":"passkey"`), []byte(`"channel":"tty"`), 1)
		},
	} {
		if err := w.forged(entries, change); !errors.As(err, new(*audit.BadEntry)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The address of the console is that of the one that runs, or the one that a person gives.
func TestLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ask := func(address string) (string, error) {
		link, _, err := w.desk.Link(ctx, pairing.Wish{Console: address}, permit.Factor{})
		return link, err
	}
	if _, err := ask(""); !errors.Is(err, pairing.ErrNoConsole) {
		t.Errorf("no console: %v", err)
	}
	for _, bad := range []string{"https://127.0.0.1:1", "http://console.example", "x", "https://",
		"https://u@console.example", "https://console.example?x", "https://console.example#x",
		"javascript:alert(1)", "https://" + strings.Repeat("a", 2000)} {
		if link, err := ask(bad); err == nil {
			t.Errorf("%q: %q", bad, link)
		}
	}
	path := w.l.Home().Console()
	if err := os.WriteFile(path, []byte("http://localhost:81/abc/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if link, err := ask(""); err != nil || !strings.HasPrefix(link,
		"http://localhost:81/abc/pair#") {
		t.Errorf("%q, %v", link, err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if link, err := ask(""); !errors.Is(err, approval.ErrMeddled) {
		t.Errorf("an address that others can write: %q, %v", link, err)
	}
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if link, err := ask(""); err == nil {
		t.Errorf("a FIFO: %q", link)
	}
	for _, wish := range []pairing.Wish{{Name: "a b"}, {Name: "x", MaxRisk: 4},
		{Name: strings.Repeat("a", 65)}, {Name: "x", MaxRisk: -1}, {Name: "uid 007"}} {
		wish.Console = console
		if link, _, err := w.desk.Link(ctx, wish, permit.Factor{}); err == nil {
			t.Errorf("%+v: %q", wish, link)
		}
	}
}
