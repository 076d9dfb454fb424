package view

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// Called as "writer", the test binary appends to a ledger until it is killed, and tells what it has
// written.
func TestMain(m *testing.M) {
	if os.Args[0] == "writer" {
		l, err := OpenLedger(os.Args[1], nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		// not so many that the next one shortens it: here, nothing of what is in it is there
		for i := uint64(1); i < idleRecords/2; i++ {
			l.Add(ID{Ino: i, Sec: 1})
			fmt.Println("made", i)
			if i%3 == 0 {
				l.Drop(ID{Ino: i, Sec: 1})
				fmt.Println("removed", i)
			}
		}
		_, _ = os.Stdin.Read(make([]byte, 1)) // it is killed
		return
	}
	os.Exit(hermetic.Tests(m).Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// killed runs a writer for a moment, and returns the last thing that it said.
func killed(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Args = []string{"writer", name}
	in, err := cmd.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewReader(out)
	last, _ := lines.ReadString('\n')
	time.AfterFunc(time.Duration(rand.IntN(5000))*time.Microsecond,
		func() { _ = cmd.Process.Kill() })
	rest, _ := io.ReadAll(lines)
	_ = cmd.Wait()
	whole := strings.Split(strings.TrimSpace(last+string(rest)), "\n")
	if len(whole) > 1 && !strings.HasSuffix(string(rest), "\n") {
		whole = whole[:len(whole)-1] // it was cut
	}
	return whole[len(whole)-1]
}

// What a killed writer has told is in the ledger, entries that it removed are not, and the next
// writer goes on.
func TestLedgerKilled(t *testing.T) {
	for range hermetic.Rounds(50) {
		name := t.TempDir() + "/ledger"
		var what string
		var last uint64
		if _, err := fmt.Sscan(killed(t, name), &what, &last); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			l, err := OpenLedger(name, nil)
			must(t, err)
			defer l.Close() // the second one is not alone
			for i := uint64(1); i <= last; i++ {
				want := i%3 != 0 || i == last && what == "made"
				if got := l.Has(ID{Ino: i, Sec: 1}); got != want && i != last {
					t.Fatalf("after %s %d: entry %d is %v", what, last, i, got)
				}
			}
			l.Add(ID{Ino: 1 << 40, Sec: 2})
			if !l.Has(ID{Ino: 1 << 40, Sec: 2}) {
				t.Error("it takes nothing in any more")
			}
		}
	}
}

// aLedger writes one with entries, of which one was removed, and returns its bytes.
func aLedger(t *testing.T, name string) []byte {
	t.Helper()
	l, err := OpenLedger(name, nil)
	must(t, err)
	for i := range uint64(4) {
		l.Add(ID{Ino: i, Sec: 1})
	}
	l.Drop(ID{Ino: 2, Sec: 1})
	l.Close()
	whole, err := os.ReadFile(name)
	must(t, err)
	return whole
}

// A ledger in which any bit is another one is refused by its name, and nothing counts as this
// workspace's: neither what stands before nor what stands behind.
func TestLedgerFlipped(t *testing.T) {
	name := t.TempDir() + "/ledger"
	whole := aLedger(t, name)
	for bit := range len(whole) * 8 {
		flipped := append([]byte(nil), whole...)
		flipped[bit/8] ^= 1 << (bit % 8)
		must(t, os.WriteFile(name, flipped, 0o600))
		l, err := OpenLedger(name, nil)
		var damaged *DamagedError
		if !errors.As(err, &damaged) || damaged.Name != name ||
			!strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Fatalf("bit %d: %v", bit, err)
		}
		for i := range uint64(4) {
			if l.Has(ID{Ino: i, Sec: 1}) {
				t.Fatalf("bit %d: entry %d counts", bit, i)
			}
		}
		l.Add(ID{Ino: 7, Sec: 1})
		if after, _ := os.ReadFile(name); string(after) != string(flipped) {
			t.Fatalf("bit %d: it was written to", bit)
		}
		if !l.Has(ID{Ino: 7, Sec: 1}) {
			t.Fatal("the run does not remember its own")
		}
		l.Close()
	}
}

// Of a ledger that is cut anywhere, whole records count; what is removed later is removed.
func TestLedgerCut(t *testing.T) {
	name := t.TempDir() + "/ledger"
	whole := aLedger(t, name)
	for size := range len(whole) {
		must(t, os.WriteFile(name, whole[:size], 0o600))
		other, err := OpenLedger(name, nil)
		must(t, err)
		for i := range uint64(4) {
			// Where a part of a record is cut off, what is not there any more is left out.
			want := i < uint64(size/recordSize) && size%recordSize == 0
			if other.Has(ID{Ino: i, Sec: 1}) != want {
				t.Fatalf("cut to %d: entry %d is %v", size, i, !want)
			}
		}
		other.Close()
	}
}

// What another process makes of the file while it is open counts from then on.
func TestLedgerDamagedMeanwhile(t *testing.T) {
	name := t.TempDir() + "/ledger"
	aLedger(t, name)
	l, err := OpenLedger(name, nil)
	must(t, err)
	defer l.Close()
	if !l.Has(ID{Ino: 1, Sec: 1}) {
		t.Fatal("it has nothing")
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.Write(make([]byte, recordSize))
	must(t, err)
	must(t, f.Close())
	if l.Has(ID{Ino: 1, Sec: 1}) {
		t.Error("what stands in a damaged ledger counts")
	}
}
