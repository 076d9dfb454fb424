package ship

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A long history is verified without holding it in memory: when forty manifests with a thousand
// files each were read, the names of the last files are left, and of each manifest its hash. No
// other test uses memory meanwhile.
func TestLongHistory(t *testing.T) {
	const count, files = 40, 1000
	b := newBed(t)
	m := b.member()
	s := m.shipper()
	h := newHistory(s.bucket, b.fleet, m.ID, []age.Identity{s.own, b.team})
	text := 0
	for n := range count {
		one := manifest{Machine: m.ID, Number: int64(n), Before: h.before, Time: time.Now(),
			Object: sum(fmt.Append(nil, n)), keys: keys{document.HolderOf(m.Record, m.Key), ""}}
		for i := range files {
			name := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, n, i)))
			one.Pieces = append(one.Pieces, piece{File: planFile(name), Size: 1, Sum: name,
				Last: true})
		}
		signed, err := one.sign(m.Key)
		if err != nil {
			t.Fatal(err)
		}
		text += len(signed)
		sealed, err := seal(signed, []age.Recipient{b.team.Recipient()})
		if err == nil {
			err = s.bucket.put(t.Context(), manifestName(m.ID, int64(n)), sealed)
		}
		if err == nil {
			_, err = h.take(int64(n), sealed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	before := heap()
	c := Check{Bucket: s.bucket, Fleet: b.fleet, Identities: []age.Identity{b.team}}
	told, err := c.tell(t.Context(), m.ID, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer told.all.Close()
	if left := heap() - before; left > text/4 {
		t.Errorf("%d bytes are left of %d", left, text)
	}
	n := 0
	for one, err := range told.all.all() {
		if err != nil || one.Number != int64(n) || len(one.Pieces) != files {
			t.Fatalf("%+v, %v", one.Number, err)
		}
		n++
	}
	if n != count || len(told.objects) != count || len(h.whole) > maxNoted {
		t.Errorf("%d manifests, %d objects, %d names", n, len(told.objects), len(h.whole))
	}
}

// heap is how much memory is in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
