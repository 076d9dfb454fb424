package document

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

// recorded has a document of each kind as commit aec72fb4 has signed it.
const recorded = "testdata/version1"

// A program of an earlier version, on a machine or at the registrar, understands the documents of
// this one, and this one understands those: what was recorded then is read, and signed now it is
// the same text. Whoever changes a document makes another kind, which an older program refuses with
// words that say so.
func TestDocumentsOfAnEarlierVersion(t *testing.T) {
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(recorded, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	fleet, err := FirstFleet(read("fleet"))
	if err != nil || len(fleet.People) != 3 || len(fleet.Revoked) != 1 || fleet.Ship.Nowhere() {
		t.Fatalf("%+v, %v", fleet, err)
	}
	key := newKey(t, "now")
	for name, again := range map[string]func(text []byte) ([]byte, error){
		"fleet": func([]byte) ([]byte, error) { return fleet.Sign(key) },
		"machine": func(text []byte) ([]byte, error) {
			m, err := fleet.Machine(text)
			if err != nil {
				return nil, err
			}
			return m.Sign(key)
		},
		"freeze": func(text []byte) ([]byte, error) {
			o, err := fleet.Freeze(text)
			if err != nil {
				return nil, err
			}
			return o.Sign(key)
		},
		"thaw": func(text []byte) ([]byte, error) {
			thaw, err := fleet.Thaws(text)
			if err != nil {
				return nil, err
			}
			return thaw.Sign(key)
		},
		"bundle": func(text []byte) ([]byte, error) {
			b, err := fleet.Bundle(text)
			if err != nil {
				return nil, err
			}
			return b.Sign(key)
		},
	} {
		old := read(name)
		now, err := again(old)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		was, err := unverified(old)
		if err != nil {
			t.Fatal(err)
		}
		if is, err := unverified(now); err != nil || is != was {
			t.Errorf("%s is now\n%s\nand was\n%s", name, is, was)
		}
	}
}

// What a newer version has made is not called damaged alone: it is said what helps.
func TestDocumentOfANewerVersion(t *testing.T) {
	for _, first := range []string{"tada-fleet/v2 fleet", "tada-fleet/v10 fleet"} {
		_, err := body(first+"\n{}\n", kindFleet)
		if !errors.Is(err, approval.ErrMalformed) || !strings.Contains(err.Error(), "upgrade") {
			t.Errorf("%q: %v", first, err)
		}
	}
	for _, first := range []string{"tada-fleet/v1 freeze", "tada-fleets/v2 fleet", ""} {
		if _, err := body(first+"\n{}\n", kindFleet); err == nil ||
			strings.Contains(err.Error(), "upgrade") {
			t.Errorf("%q: %v", first, err)
		}
	}
}
