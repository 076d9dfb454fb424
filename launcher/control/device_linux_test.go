package control

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tada-run/tada-run/launcher/session/wire"
)

// What a client calls its device is one short line, in which nothing hides.
func TestDeviceName(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"console, passkey of ada":          "console, passkey of ada",
		"a\nb\x1b[2J\x00\u202ec\u200b\xff": "ab[2Jc\ufffd",
		strings.Repeat("ä", 100):           strings.Repeat("ä", wire.MaxDevice),
	} {
		if got := deviceName(text); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
	s := client{identity: identity{who: "uid 0 at pts/3"}}
	if s.name() != s.who {
		t.Error(s.name())
	}
	if s.device = "console"; s.name() != "uid 0 at pts/3 (console)" {
		t.Error(s.name())
	}
}

func FuzzDeviceName(f *testing.F) {
	f.Add("console, passkey of ada")
	f.Fuzz(func(t *testing.T, text string) {
		got := deviceName(text)
		if utf8.RuneCountInString(got) > wire.MaxDevice || strings.ContainsAny(got, "\n\r\x1b") ||
			!utf8.ValidString(got) || deviceName(got) != got {
			t.Errorf("%q", got)
		}
	})
}
