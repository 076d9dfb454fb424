package audit

import (
	"bytes"
	"path/filepath"
	"testing"
)

// Head knows the end of a log without reading the rest, and refuses one that does not end as it was
// written, or that never was where others remember it. What was changed before that is Verify's.
func TestHead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := openTest(t, dir)
	var places []Place
	for range 40 {
		mustAppend(t, l, "exec.end", `{"cmd":"ls"}`)
		places = append(places, lastPlace(t, dir))
	}
	want := places[39].Point()
	whole := readLog(t, dir)
	change := func(at int) []byte {
		b := bytes.Clone(whole)
		b[at] ^= 1
		return b
	}
	last := int(places[38].Size)
	for _, c := range []struct {
		name   string
		log    []byte
		places []Place
		bad    bool
	}{
		{"as written", whole, nil, false},
		{"torn", append(bytes.Clone(whole), `{"body":{`...), nil, false},
		{"places that it passed", whole, []Place{places[3], places[39], {}}, false},
		{"changed far before", change(20), nil, false},
		{"cut", whole[:last], nil, true},
		{"the last changed", change(last + 20), nil, true},
		{"others appended", append(bytes.Clone(whole), "x\n"...), nil, true},
		{"a place of another log", whole,
			[]Place{{3, places[2].Size, places[2].Last, Hash{1}}}, true},
		{"a longer log", whole, []Place{{50, 1 << 20, 90, Hash{1}}}, true},
		{"a changed place", change(int(places[2].Size) + 20), []Place{places[3]}, true},
	} {
		writeLog(t, dir, c.log)
		got, err := Head(dir, VerifyOptions{}, c.places...)
		if (err != nil) != c.bad || err == nil && got != want {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
}

func lastPlace(t *testing.T, dir string) Place {
	p, err := newestPlace(dir, Codec{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
