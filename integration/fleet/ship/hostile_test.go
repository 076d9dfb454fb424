package ship

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// lists starts a bucket that answers each listing with pages, of which there is always one more.
func lists(t *testing.T, page func(w io.Writer, number int)) *Bucket {
	t.Helper()
	var pages atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("list-type") == "" {
			http.Error(w, "", http.StatusNotFound)
			return
		}
		number := int(pages.Add(1))
		fmt.Fprintf(w, "<ListBucketResult><IsTruncated>true</IsTruncated>"+
			"<NextContinuationToken>%d</NextContinuationToken>", number)
		page(w, number)
		fmt.Fprint(w, "</ListBucketResult>")
	}))
	t.Cleanup(s.Close)
	b, err := OpenBucket(document.Shipping{Endpoint: s.URL, Bucket: "records"}, Key{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const someID = "tada-0123456789abcdef"

func listed(w io.Writer, name string) {
	fmt.Fprintf(w, "<Contents><Key>%s</Key><Size>1</Size></Contents>", name)
}

// Whoever runs the bucket can list what there is not, for ever: a reader ends, with little memory.
func TestEndlessListings(t *testing.T) {
	t.Parallel()
	// a page that does not end
	b := lists(t, func(w io.Writer, _ int) {
		text := strings.Repeat(" ", 1<<20)
		for range 64 {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	})
	if _, err := b.documents(t.Context(), someID); err == nil {
		t.Error("a page of 64 MiB is read")
	}
	// the same page again and again
	b = lists(t, func(w io.Writer, _ int) { listed(w, manifestName(someID, 0)) })
	b.back = 100
	h := newHistory(b, document.Fleet{}, someID, nil)
	if _, err := h.highest(t.Context()); !errors.Is(err, errBack) {
		t.Error(err)
	}
	// always one more
	b = lists(t, func(w io.Writer, number int) { listed(w, manifestName(someID, int64(number))) })
	b.names = 100
	h = newHistory(b, document.Fleet{}, someID, nil)
	if _, err := h.highest(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "it has more than 100 objects") {
		t.Error(err)
	}
	b = lists(t, func(w io.Writer, number int) { listed(w, documentName(someID, int64(number))) })
	b.limits.documents = 100
	if _, err := b.documents(t.Context(), someID); !errors.Is(err, errDocuments) {
		t.Error(err)
	}
	b = lists(t, func(w io.Writer, number int) { listed(w, fmt.Sprintf("tada-%016x/x", number)) })
	b.machines = 100
	if _, err := (Check{Bucket: b}).Machines(t.Context()); !errors.Is(err, errMachines) {
		t.Error(err)
	}
}

// One machine below which there are too many documents is named, and does not hide the others'.
func TestManyDocuments(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.member()
	m.Documents = [][]byte{b.signed(b.ann, nothing)}
	m.run("one", false)
	m.ship()
	other := b.member()
	other.Documents = m.Documents
	other.run("one", false)
	other.ship()
	for serial := range int64(9) {
		b.Put(documentName(other.ID, 10+serial), []byte("x"))
	}
	c, err := b.reader(document.Fleet{}, "")
	if err == nil {
		t.Fatal("without a pin")
	}
	c.Bucket.limits.documents = 5
	if c, err = c.Newest(t.Context(), b.fleet.Pin()); err != nil || c.Fleet.Serial != 2 {
		t.Fatalf("document %d, %v", c.Fleet.Serial, err)
	}
	if _, err := c.Machine(t.Context(), m.ID); err != nil {
		t.Error(err)
	}
	var broken *BrokenError
	if _, err := c.Machine(t.Context(), other.ID); !errors.As(err, &broken) ||
		!strings.Contains(err.Error(), "more fleet documents") {
		t.Error(err)
	}
}
