package pathguard

import (
	"strings"
	"testing"
)

// A decision and a class are words in JSON; a word that is none is refused and leaves what was
// there.
func TestDecisionsAreWords(t *testing.T) {
	for _, d := range []Decision{Deny, Ask, Allow} {
		text, err := d.MarshalText()
		var got Decision
		if err != nil || got.UnmarshalText(text) != nil || got != d {
			t.Errorf("%s became %v, %v", text, got, err)
		}
	}
	got := Ask
	if err := got.UnmarshalText([]byte("perhaps")); err == nil || got != Ask {
		t.Errorf("%v, %v", got, err)
	}
	for class, want := range map[Class]string{SideEffecting: "side_effecting",
		ReadOnly: "read_only", Class(7): "side_effecting"} {
		if text, err := class.MarshalText(); string(text) != want || err != nil {
			t.Errorf("%s, %v; want %s", text, err, want)
		}
	}
}

// What a message says of a limit can be put into the configuration as it is.
func TestLimitText(t *testing.T) {
	for want, l := range map[string]struct {
		key   string
		value int64
	}{"processes: 4096": {"processes", 4096}, "": {"no_such_limit", 1}} {
		if got := LimitText(l.key, l.value); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A configuration with a key of another program gets an error that says what to use.
func TestForeignKeys(t *testing.T) {
	for name, instead := range ForeignKeys() {
		if got := (&decoder{keys: Keys()}).nearest(name); !strings.Contains(got, instead) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, k := range Keys() {
		if unit := k.Unit(); (unit != "") != (k.Type == "size" || k.Type == "duration") {
			t.Errorf("%s is counted in %q", k.Name, unit)
		}
	}
}
