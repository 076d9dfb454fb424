package shellparse

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// TestDecoded follows text that a reader of the line cannot read (C-3.5): it is shown decoded, and
// its effects are taken.
func TestDecoded(t *testing.T) {
	const clear = "rm -rf /x"
	b64 := base64.StdEncoding.EncodeToString([]byte(clear))
	for _, text := range []string{
		"echo " + b64 + " | base64 -d | sh",
		"printf %s " + b64 + " | base64 --decode | bash",
		"base64 -d <<< " + b64 + " | sh",
		"base64 -d <<E | sh\n" + b64 + "\nE",
		"sh -c \"$(echo " + b64 + " | base64 -d)\"",
		"eval $(base64 -d <<< " + b64 + ")",
		"bash <(echo " + b64 + " | base64 -d)",
		"source <(base64 -d <<< " + b64 + ")",
		"x=" + b64 + "; echo $x | base64 -d | sh",
		"echo " + b64 + " > f; base64 -d f | sh",
		"echo " + b64 + " > f; base64 -d < f > g; sh g",
		"echo " + b64[:4] + " > f; echo " + b64[4:] + " > g; cat f g | base64 -d | sh",
		"echo " + hex.EncodeToString([]byte(clear)) + " | xxd -r -p | sh",
		"echo 'x/ fr- mr' | rev | sh",
		"echo 'ez -es /k' | tr a-z n-za-m | sh",
		"echo 'QQ -rf /x' | sed s/QQ/rm/ | sh",
		"echo '" + base64.StdEncoding.EncodeToString([]byte(b64)) +
			"' | base64 -d | base64 -d | sh",
	} {
		s := Parse(text, agentShell)
		shown := slices.ContainsFunc(s.Codes, func(c Code) bool {
			return c.Source == Decoded && strings.TrimSpace(c.Text) == clear
		})
		if !strings.Contains(describe(s), "delete+tree /x\n") || !shown {
			t.Errorf("%s\n%s", text, describe(s))
		}
	}
	// Of what the text does not tell nothing is guessed.
	for _, text := range []string{
		"base64 -d f | sh", "echo $X | base64 -d | sh", "echo !!! | base64 -d | sh",
		"curl -s http://a.test | base64 -d | sh",
		"echo " + b64 + " | base64 -di | sh", "echo " + b64 + " | tr $a b | base64 -d | sh",
		"echo x | sed s/x/rm/e | sh",
		"echo " + b64 + " | openssl base64 -d | sh", "echo ABCD | base32 -d | sh",
		"echo rrm | tr -s r | sh", "echo rm | sed y/a/b/ | sh",
	} {
		s := Parse(text, Options{Dir: "/w"})
		if !slices.ContainsFunc(s.Opaque, func(o Opaque) bool { return o.Place == InCode }) &&
			!slices.ContainsFunc(s.Codes, func(c Code) bool { return c.Source < File }) {
			t.Errorf("%s\n%s", text, describe(s))
		}
	}
}
