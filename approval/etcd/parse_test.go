package etcd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"reflect"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

var testKey = headKey(bytes.Repeat([]byte("s"), 32))

func sampleHead() head {
	return head{phase: inForce, cluster: 1 << 63, n: 300, chain: sum{1}, base: 299,
		snap: body{ticket: ticket{2}, size: 7, sum: sum{3}}, origin: ticket{4}}
}

func sampleChanges() changes {
	return changes{seq: 9, changed: []string{"a", ""}, list: []change{
		{bucket: "states", key: "\x00\xff", value: []byte("v")},
		{bucket: "pending", key: "", value: []byte{}},
		{bucket: "runs", key: "k", gone: true}}}
}

func sampleState() *state {
	s := newState()
	for i := range byte(3) {
		r := record{n: uint64(i) + 1, ticket: ticket{i + 1}}
		s.apply(r, r.encode(), sampleChanges())
	}
	return s
}

// What is written is read as it was.
func TestRead(t *testing.T) {
	t.Parallel()
	h, err := readHead(sampleHead().encode(testKey, "p"), testKey, "p")
	if err != nil || h != sampleHead() {
		t.Errorf("%+v, %v", h, err)
	}
	c, err := readChanges(sampleChanges().encode())
	if err != nil || !reflect.DeepEqual(c, sampleChanges()) {
		t.Errorf("%+v, %v", c, err)
	}
	for _, want := range []record{{n: 1, ticket: ticket{1}, inline: []byte{}},
		{n: 1 << 40, inline: sampleChanges().encode()},
		{n: 2, parts: body{ticket: ticket{2}, size: maxBody, sum: sum{3}}}} {
		r, err := readRecord(want.encode())
		if err != nil || !reflect.DeepEqual(r, want) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	want := sampleState()
	s, err := readSnapshot(want.encode())
	if err != nil || s.n != 3 || s.seq != 9 || s.chain != want.chain ||
		!reflect.DeepEqual(s.tickets, want.tickets) ||
		s.values["pending"][""] == nil || string(s.values["states"]["\x00\xff"]) != "v" {
		t.Errorf("%+v, %v", s, err)
	}
}

// What is stored is the same as version 1 of the format was first written, so that an agent of
// another version goes on with it: whoever changes a byte makes another version.
func TestStoredAsBefore(t *testing.T) {
	t.Parallel()
	const before = "3365c16f6065060bd847cce46775c39d98a65f96974bb718e1f6614bb1028a2d"
	r := record{n: 7, ticket: ticket{1}, inline: sampleChanges().encode()}
	h := sha256.New()
	for _, text := range [][]byte{sampleHead().encode(testKey, "p"), sampleState().encode(),
		r.encode(), record{n: 8, parts: sampleHead().snap}.encode()} {
		h.Write(appendBytes(nil, text))
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != before {
		t.Errorf("%s, and it was %s", got, before)
	}
}

// A head is of one machine and one prefix, every bit of it counts, and a newer format is not taken
// for damage.
func TestSeal(t *testing.T) {
	t.Parallel()
	value := sampleHead().encode(testKey, "p")
	for i := range value {
		changed := bytes.Clone(value)
		changed[i] ^= 1
		if _, err := readHead(changed, testKey, "p"); err == nil {
			t.Errorf("byte %d was changed and the head was accepted", i)
		}
		if _, err := readHead(value[:i], testKey, "p"); err == nil {
			t.Errorf("cut to %d and the head was accepted", i)
		}
	}
	other := headKey(bytes.Repeat([]byte("t"), 32))
	if _, err := readHead(value, other, "p"); !errors.Is(err, errSeal) {
		t.Errorf("another secret: %v", err)
	}
	if _, err := readHead(value, testKey, "q"); !errors.Is(err, errSeal) {
		t.Errorf("another prefix: %v", err)
	}
	if _, err := readHead([]byte(headFamily+"2\nx"), testKey, "p"); !errors.Is(err, errFuture) {
		t.Errorf("a newer format: %v", err)
	}
	if _, err := readHead(nil, testKey, "p"); !errors.Is(err, errFormat) {
		t.Errorf("nothing: %v", err)
	}
}

// A process remembers as many tickets as it says.
func TestTickets(t *testing.T) {
	t.Parallel()
	s := newState()
	for i := range uint64(5 * remembered / 2) {
		r := record{n: i + 1, ticket: ticket{byte(i), byte(i >> 8)}}
		s.apply(r, nil, changes{})
	}
	s, err := readSnapshot(s.encode())
	if err != nil {
		t.Fatal(err)
	}
	for back := range uint64(remembered + 1) {
		n := s.n - back
		got, known := s.ticket(n)
		want := ticket{byte(n - 1), byte((n - 1) >> 8)}
		if known != (back < remembered) || known && got != want {
			t.Fatalf("%d back: %v, %v", back, got, known)
		}
	}
	if _, known := s.ticket(s.n + 1); known {
		t.Error("a commit that was not made is known")
	}
}

// A tx sees its own changes over the state, and reports what differs from it.
func TestTx(t *testing.T) {
	t.Parallel()
	s := newState()
	s.change([]change{{bucket: "b", key: "1", value: []byte("x")},
		{bucket: "b", key: "2", value: []byte{}}})
	x := begin([]byte("secret"), s)
	for _, err := range []error{x.Put("b", "3", nil), x.Delete("b", "1"), x.Put("b", "2", nil),
		x.Delete("b", "none"), x.Put("c", "4", []byte("y")), x.Delete("c", "4")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if keys := x.Keys("b"); !reflect.DeepEqual(keys, []string{"2", "3"}) {
		t.Errorf("keys %q", keys)
	}
	if x.Get("b", "1") != nil || x.Get("b", "3") == nil || x.Get("c", "4") != nil {
		t.Error("a tx does not see its own changes")
	}
	if c := x.changes(); len(c.list) != 2 || !c.list[0].gone || c.list[1].key != "3" {
		t.Errorf("%+v", c)
	}
	if x.Put(approval.MetaBucket, approval.SecretKey, nil) == nil ||
		string(x.Get(approval.MetaBucket, approval.SecretKey)) != "secret" {
		t.Error("the secret was stored")
	}
}

func FuzzHead(f *testing.F) {
	f.Add(sampleHead().encode(testKey, "p"))
	f.Fuzz(func(t *testing.T, value []byte) {
		if _, err := readHead(value, testKey, "p"); err == nil &&
			!bytes.Equal(value, sampleHead().encode(testKey, "p")) {
			t.Error("a forged head was accepted")
		}
		if h, err := parseHead(value); err == nil {
			again := h.encode(testKey, "p")
			if g, err := readHead(again, testKey, "p"); err != nil || g != h {
				t.Errorf("%+v, then %+v, %v", h, g, err)
			}
		}
	})
}

func FuzzRecord(f *testing.F) {
	f.Add(record{n: 1, ticket: ticket{1}, inline: sampleChanges().encode()}.encode())
	f.Add(record{n: 2, parts: body{size: 3}}.encode())
	f.Add(sampleChanges().encode())
	f.Add(sampleState().encode())
	f.Fuzz(func(t *testing.T, value []byte) {
		if r, err := readRecord(value); err == nil {
			if again, err := readRecord(r.encode()); err != nil || !reflect.DeepEqual(r, again) {
				t.Errorf("%+v, then %+v, %v", r, again, err)
			}
		}
		if c, err := readChanges(value); err == nil {
			if again, err := readChanges(c.encode()); err != nil || !reflect.DeepEqual(c, again) {
				t.Errorf("%+v, then %+v, %v", c, again, err)
			}
		}
		if s, err := readSnapshot(value); err == nil {
			if again, err := readSnapshot(s.encode()); err != nil || again.n != s.n ||
				again.seq != s.seq || !reflect.DeepEqual(s.values, again.values) {
				t.Errorf("%+v, then %+v, %v", s, again, err)
			}
		}
	})
}
