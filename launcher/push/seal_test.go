package push

import (
	"crypto/ecdh"
	"crypto/rand"
	"strings"
	"testing"
)

// The example of RFC 8291, section 5 and appendix A: the same bytes.
func TestSealAsTheRFC(t *testing.T) {
	raw := func(text string) []byte {
		t.Helper()
		b, err := decode(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	private := func(text string) *ecdh.PrivateKey {
		t.Helper()
		k, err := ecdh.P256().NewPrivateKey(raw(text))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	const text = "When I grow up, I want to be a watermelon"
	d := &device{private("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"),
		raw("BTBZMqHH6r4Tts7J_aSIgg")}
	body, err := seal(Subscription{Key: d.private.PublicKey().Bytes(), Secret: d.secret}, text,
		len(text), private("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
		raw("DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3" +
		"vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBW" +
		"LVWGNWQexSgSxsj_Qulcy4a-fN"
	if got := encode(body); got != want {
		t.Errorf("got %s", got)
	}
	if got, err := d.open(body); err != nil || got != text {
		t.Errorf("opened: %q, %v", got, err)
	}
}

// A message has one size whatever it says, opens on its device, and nowhere once a byte of it was
// changed.
func TestSeal(t *testing.T) {
	d := newDevice(t)
	s := Subscription{Key: d.private.PublicKey().Bytes(), Secret: d.secret}
	sealed := func(text string) []byte {
		t.Helper()
		sender, err := ecdh.P256().GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		salt := make([]byte, saltSize)
		_, _ = rand.Read(salt)
		body, err := seal(s, text, room, sender, salt)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	size := len(sealed("R2 in ~/proj"))
	if size > recordSize {
		t.Errorf("%d bytes", size)
	}
	for _, text := range []string{"", "R0", strings.Repeat("x", room)} {
		body := sealed(text)
		if got, err := d.open(body); err != nil || got != text || len(body) != size {
			t.Errorf("%.20q: %.20q, %v, %d bytes and not %d", text, got, err, len(body), size)
		}
	}
	body := sealed("R2 in ~/proj")
	for i := range body {
		if i >= 16 && i < 20 {
			continue // the size of records, of which there is one
		}
		body[i] ^= 1
		if got, err := d.open(body); err == nil {
			t.Errorf("byte %d was changed: %q", i, got)
		}
		body[i] ^= 1
	}
	if _, err := newDevice(t).open(body); err == nil {
		t.Error("it opens on another device")
	}
	if _, err := seal(s, strings.Repeat("x", room+1), room, nil, nil); err == nil {
		t.Error("a text that is too long")
	}
}
