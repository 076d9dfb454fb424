package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

// one has one message of each kind, with all its members.
func one() []Message {
	var out []Message
	for _, k := range []byte(kinds) {
		m := Message{Kind: Kind(k)}
		for _, letter := range layouts[k] {
			switch letter {
			case 'b':
				m.Bucket = "states"
			case 'k':
				m.Key = "key"
			case 'v':
				m.Value = []byte("value")
			case 'y':
				m.Yes = true
			case 'n':
				m.Number = 1 << 40
			case 's':
				m.Seq = 7
			case 't':
				m.Ticket = Ticket{1, 2, 3}
			case 'l':
				m.Names = []string{"", "a", "b"}
			case 'c':
				m.Changes = []Change{{Put, "states", "k", []byte("v")},
					{Delete, "states", "k", []byte{}},
					{SetSeq, "", "", make([]byte, 8)}, {Changed, "", "id", []byte{}}}
			case 'f':
				m.Failure = Failure{'c', "path", "hint", "text"}
			}
		}
		out = append(out, m)
	}
	return out
}

// What was sent arrives.
func TestSent(t *testing.T) {
	var stream bytes.Buffer
	c := NewConn(&stream)
	if err := c.Send(one()...); err != nil {
		t.Fatal(err)
	}
	for _, want := range one() {
		if got, err := c.Receive(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v, %v", got, want, err)
		}
	}
	if _, err := c.Receive(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// A frame that is cut off or has one byte too many is none.
func TestTorn(t *testing.T) {
	for _, m := range one() {
		frame, err := Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n < len(frame); n++ {
			_, err := NewConn(bytes.NewBuffer(frame[:n])).Receive()
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%q, %d of %d bytes: %v", byte(m.Kind), n, len(frame), err)
			}
		}
		if _, err := decode(m.Kind, append(frame[headerSize:], 0)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q with a byte too many: %v", byte(m.Kind), err)
		}
	}
}

// What is wrong with a frame is said, and a length alone costs no memory.
func TestWrong(t *testing.T) {
	const change = "\x00\x00\x00\x11\x01c\x00\x00\x00\x01"
	for _, c := range []struct {
		bytes string
		want  error
	}{
		{"\xff\xff\xff\xff\x01h", ErrTooLong},
		{"\x00\x80\x00\x01\x01h", ErrTooLong},
		{"\x00\x80\x00\x00\x01h", io.ErrUnexpectedEOF},
		{"\x00\x00\x00\x00\x02h", ErrVersion},
		{"\x00\x00\x00\x00\x01z", ErrFormat},
		{"\x00\x00\x00\x00\x01\xff", ErrFormat},
		{"\x00\x00\x00\x02\x01V\x02\x00", ErrFormat},             // no flag
		{"\x00\x00\x00\x05\x01N\x00\xff\xff\xff\xff", ErrFormat}, // no names
		{"\x00\x00\x00\x04\x01c\xff\xff\xff\xff", ErrFormat},     // no changes
		{change + "z" + strings.Repeat("\x00", 12), ErrFormat},   // no way
		{change + "s" + strings.Repeat("\x00", 12), ErrFormat},   // no number
	} {
		if _, err := NewConn(bytes.NewBufferString(c.bytes)).Receive(); !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.bytes, err, c.want)
		}
	}
	long := Message{Kind: Value, Value: make([]byte, MaxFrame)}
	if err := NewConn(&bytes.Buffer{}).Send(long); !errors.Is(err, ErrTooLong) {
		t.Errorf("a long frame is sent: %v", err)
	}
}

// An error of the database is the same on the other side, and a text of any length stays one.
func TestFailure(t *testing.T) {
	for _, c := range codes {
		f := FailureOf(&approval.FileError{Path: "/p", Err: c.err, Hint: "do it"})
		err := (&RemoteError{f}).Named()
		var file *approval.FileError
		if !errors.Is(err, c.err) || !errors.As(err, &file) || file.Path != "/p" ||
			file.Hint != "do it" {
			t.Errorf("%v became %v", c.err, err)
		}
	}
	f := FailureOf(errors.New("a\x1bb" + strings.Repeat("日", maxText)))
	if err := (&RemoteError{f}).Named(); len(f.Text) > maxText ||
		!strings.Contains(err.Error(), `"a\x1bb日`) || strings.Contains(err.Error(), "\ufffd") {
		t.Errorf("%.200v", err)
	}
}

func FuzzReceive(f *testing.F) {
	for _, m := range one() {
		frame, err := Append(nil, m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		c := NewConn(bytes.NewBuffer(stream))
		for {
			m, err := c.Receive()
			if err != nil {
				return
			}
			frame, err := Append(nil, m)
			if err != nil || !bytes.HasPrefix(stream, frame) {
				t.Fatalf("%+v is %q, %v", m, frame, err)
			}
			stream = stream[len(frame):]
			_ = (&RemoteError{m.Failure}).Named().Error()
		}
	})
}
