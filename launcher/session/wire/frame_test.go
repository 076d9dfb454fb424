package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFrames(t *testing.T) {
	long := bytes.Repeat([]byte("x"), MaxBody+10)
	var b []byte
	b = Append(b, Frame{Kind: Hello, Body: []byte("{}")})
	b = Append(b, Frame{Kind: Take, Epoch: 7})
	b = Append(b, Frame{Kind: Output, Epoch: 1<<32 - 1, Body: long})
	for name, src := range map[string]io.Reader{"whole": bytes.NewReader(b),
		"by bytes": iotest.OneByteReader(bytes.NewReader(b))} {
		r := NewReader(src)
		var got []Frame
		for {
			f, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, Frame{f.Kind, f.Epoch, bytes.Clone(f.Body)})
		}
		if len(got) != 4 || got[0].Kind != Hello || string(got[0].Body) != "{}" ||
			got[1].Epoch != 7 || len(got[1].Body) != 0 ||
			got[2].Epoch != 1<<32-1 || !bytes.Equal(append(got[2].Body, got[3].Body...), long) {
			t.Errorf("%s: %d frames, not as they were sent", name, len(got))
		}
	}
}

// Half a frame, a giant one and one of an unknown kind end the stream, and cost no memory.
func TestBadFrames(t *testing.T) {
	whole := Append(nil, Frame{Kind: Input, Epoch: 1, Body: []byte("words")})
	for n := 1; n < len(whole); n++ {
		if _, err := NewReader(bytes.NewReader(whole[:n])).Next(); err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes of %d: %v", n, len(whole), err)
		}
	}
	giant := binary.BigEndian.AppendUint32([]byte{'i', 0, 0, 0, 1}, 1<<31)
	r := NewReader(io.MultiReader(bytes.NewReader(giant), zeros{}))
	if _, err := r.Next(); !errors.Is(err, ErrTooLong) || len(r.buf) > MaxBody {
		t.Errorf("giant frame: %v with a buffer of %d bytes", err, len(r.buf))
	}
	if _, err := NewReader(strings.NewReader("GET / HTTP/1.1\r\n\r\n")).Next(); !errors.Is(err,
		ErrKind) {
		t.Errorf("another protocol: %v", err)
	}
}

// The reader reports when it waits inside a frame, and when that is over.
func TestPartial(t *testing.T) {
	b := Append(Append(nil, Frame{Kind: Take}), Frame{Kind: Input, Body: []byte("words")})
	for name, test := range map[string]struct {
		src  io.Reader
		want string
	}{"whole": {bytes.NewReader(b), ""},
		"by bytes": {iotest.OneByteReader(bytes.NewReader(b)), "+-+-"},
		"cut off":  {bytes.NewReader(b[:len(b)-1]), "+"}} {
		told := ""
		r := NewReader(test.src)
		r.Partial = func(begun bool) { told += map[bool]string{true: "+", false: "-"}[begun] }
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
		if told != test.want {
			t.Errorf("%s: told %q, want %q", name, told, test.want)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// FuzzReader: no stream makes the reader panic or keep more than a frame, and what it takes is what
// Append would have written.
func FuzzReader(f *testing.F) {
	f.Add(Append(nil, Frame{Kind: Input, Epoch: 3, Body: []byte("ls\r")}))
	f.Add(Append(Append(nil, JSON(Hello, 0, Greeting{Take: true, Cols: 80, Rows: 24})),
		Frame{Kind: Window, Body: Size(100, 40)}))
	f.Add([]byte("i\x00\x00\x00\x01\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data))
		var again []byte
		for {
			frame, err := r.Next()
			if err != nil {
				break
			}
			again = Append(again, frame)
		}
		if !bytes.HasPrefix(data, again) {
			t.Errorf("%q was read as %q", data, again)
		}
		if len(r.buf) > headerSize+MaxBody {
			t.Errorf("a buffer of %d bytes", len(r.buf))
		}
	})
}
