package audit

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"testing"
)

// Two readers of one transcript, plain or packed, do not disturb each other, and the first stays
// open when the second is closed.
func TestReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.cast")
	long(t, path, 6000)
	plain := readAll(t, path)
	for _, packed := range []bool{false, true} {
		if packed {
			must(t, packOne(path))
		}
		first, err := OpenTranscript(path, packing)
		must(t, err)
		defer first.Close()
		begun := make([]byte, 1000)
		_, err = io.ReadFull(first, begun)
		must(t, err)
		second, err := ReadAgain(first)
		must(t, err)
		all := make(chan []byte)
		go func() {
			b, _ := io.ReadAll(second)
			all <- b
		}()
		rest, err := io.ReadAll(first)
		must(t, err)
		if !bytes.Equal(append(begun, rest...), plain) || !bytes.Equal(<-all, plain) {
			t.Errorf("packed %t: two readers do not read the same", packed)
		}
		must(t, second.Close())
		_, err = first.Seek(500, io.SeekStart)
		must(t, err)
		if rest, err := io.ReadAll(first); err != nil || !bytes.Equal(rest, plain[500:]) {
			t.Errorf("packed %t: %v after the second reader was closed", packed, err)
		}
	}
	if _, err := ReadAgain(struct{ io.ReadSeeker }{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a stream: %v", err)
	}
}
