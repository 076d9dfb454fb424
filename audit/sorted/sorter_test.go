package sorted

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func all(t *testing.T, s *Sorter) (list []string) {
	t.Helper()
	for record, err := range s.all() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(record))
	}
	return list
}

// Whatever fits in memory, the order is that of all records.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []int{1, 40, 1000, 1 << 20} {
		for _, n := range []int{0, 1, 2, 300} {
			s := &Sorter{Limit: limit}
			var want []string
			for range n {
				record := bytes.Repeat([]byte{byte(random.IntN(256))}, random.IntN(200))
				s.Add(record)
				want = append(want, string(record))
			}
			slices.Sort(want)
			for range 2 {
				if got := all(t, s); !slices.Equal(got, want) {
					t.Fatalf("limit %d: %q, want %q", limit, got, want)
				}
			}
			if spilled := s.file != nil; n == 300 && spilled != (limit <= 1000) {
				t.Errorf("limit %d, %d records: a file %t", limit, n, spilled)
			}
			for range s.all() {
				break
			}
			s.Close()
			s.Close()
		}
	}
}

// Memory does not grow with the number of records.
func TestMemory(t *testing.T) {
	s := &Sorter{Limit: 1 << 16}
	defer s.Close()
	for i := range 100_000 {
		s.Add(fmt.Appendf(nil, "%06d", (i*7919)%100_000))
		if used := cap(s.text) + spanSize*cap(s.spans); used > 3<<16 {
			t.Fatalf("%d bytes after %d records", used, i)
		}
	}
	list := all(t, s)
	if len(list) != 100_000 || !slices.IsSorted(list) {
		t.Errorf("%d records", len(list))
	}
}

// A temporary file has no name that others could open it by; without one there is an error.
func TestNameless(t *testing.T) {
	s := &Sorter{Limit: 1}
	defer s.Close()
	s.Add([]byte("b"))
	s.Add([]byte("a"))
	name, err := os.Readlink(filepath.Join("/proc/self/fd", fmt.Sprint(s.file.Fd())))
	if err == nil && !strings.HasSuffix(name, " (deleted)") {
		t.Errorf("%q is there", name)
	}
	if info, err := s.file.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	s.file.Close()
	s.Add([]byte("c"))
	for _, err := range s.all() {
		if err == nil || !strings.Contains(err.Error(), "temporary file") {
			t.Errorf("%v", err)
		}
	}
}

func TestKey(t *testing.T) {
	for _, text := range []string{"", "a", "ab", "a\x00", "\xff"} {
		key, got, rest := cutKey(append(AppendKey(nil, text), "rest"...))
		if string(got) != text || string(rest) != "rest" ||
			!bytes.Equal(key, AppendKey(nil, text)) {
			t.Errorf("%q: %q %q", text, got, rest)
		}
	}
}
