package pairing

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
)

// No file makes a panic, and what is read is a pairing that a person could have asked for.
func FuzzPending(f *testing.F) {
	good, err := json.Marshal(pending{hashOf("token"), "https://console.example", "ada", 2,
		time.Unix(1, 0), time.Unix(2, 0)})
	if err != nil {
		f.Fatal(err)
	}
	if p, err := parsePending(good); err != nil || p.Name != "ada" {
		f.Fatal(p, err)
	}
	f.Add(good)
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePending(text)
		if err != nil {
			return
		}
		if _, err := passkey.Host(p.Origin); err != nil || approval.CheckPerson(p.Name,
			p.MaxRisk) != nil {
			t.Errorf("%+v", p)
		}
	})
}
