package console_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A stranger learns nothing about the machine, also from what goes wrong.
func TestStrangersLearnNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada")
	g := w.guest()
	files := []string{w.l.Home().Passkeys(), w.l.Home().Pairing()}
	for _, spoil := range []func(file string) error{
		func(file string) error { return os.WriteFile(file, []byte("{"), 0o600) },
		func(file string) error { return hermetic.Chmod(file, 0o666) },
	} {
		for _, file := range files {
			if err := spoil(file); err != nil {
				t.Fatal(err)
			}
		}
		ticket, options := g.begin()
		response := json.RawMessage(d.Get(options, w.base))
		for path, body := range map[string]object{
			"/sign-in/finish": {"token": ticket, "response": response},
			"/pair/begin":     {"token": "x"},
			"/pair/finish":    {"token": "x", "response": response},
		} {
			resp, text := g.post(path, body, nil)
			if resp.StatusCode != http.StatusConflict ||
				strings.Contains(string(text), w.l.Home().Dir) {
				t.Errorf("%s: %d %s", path, resp.StatusCode, text)
			}
		}
	}
}
