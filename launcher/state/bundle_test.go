package state

import (
	"bytes"
	"testing"
)

// What is read is what was written: no other file is taken for a bundle.
func FuzzParseBundle(f *testing.F) {
	f.Add(Bundle{Name: "base", Version: 7, Text: []byte("background: end\n")}.Marshal())
	f.Add(Bundle{Name: "ci", Version: 1, Trial: true}.Marshal())
	f.Add([]byte("tada-fleet-policy/v1 base 7 force 00\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := ParseBundle(file)
		if err == nil && !bytes.Equal(b.Marshal(), file) {
			t.Errorf("%q was read as %+v", file, b)
		}
	})
}

// A file in which any byte was changed, or that was cut, is no bundle.
func TestDamagedBundle(t *testing.T) {
	t.Parallel()
	file := Bundle{Name: "base", Version: 7, Text: []byte("background: end\n")}.Marshal()
	for i := range file {
		bad := bytes.Clone(file)
		bad[i] ^= 1
		if b, err := ParseBundle(bad); err == nil {
			t.Errorf("byte %d: %+v", i, b)
		}
		if b, err := ParseBundle(file[:i]); err == nil {
			t.Errorf("cut at %d: %+v", i, b)
		}
	}
}
